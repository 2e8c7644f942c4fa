// Ctrl+V outside of fields opens a game or position, whatever the page shows.

import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { issues, loadFile, loadText, losses, collection } from "./files"
import { plies, result } from "./game"
import { openTool } from "./places"
import * as setup from "./setup"
import { fenInLink } from "./spellings"
import { switches } from "./switches"
import { texts } from "./texts/board"

/**
 * A pasted position that waits for the user's decision, because it would replace the running game.
 */
const waiting = signal<string | null>(null)

const isPosition = (text: string) => setup.isBoard(fenInLink(text) ?? text)

/** A game opens in Analyse. A position starts a game in the open place. */
const replacesGame = (text: string) =>
    switches.place.peek() !== "analyse" &&
    isPosition(text) &&
    plies.peek().length > 0 &&
    result.peek() === null

async function open(text: string): Promise<void> {
    await loadText(text)
    showReport()
}

/** Shows the panel that explains how the text was loaded. */
function showReport(): void {
    if (issues.peek().length + losses.peek().length > 0 || collection.peek().length > 1)
        openTool("position")
}

function onPaste(event: ClipboardEvent): void {
    const target = event.target as Element | null
    if (target?.closest?.("input, textarea, select, dialog")) return
    const [file] = event.clipboardData?.files ?? []
    const text = event.clipboardData?.getData("text/plain").trim() ?? ""
    if (!file && !text) return
    event.preventDefault()
    if (file) return void loadFile(file).then(showReport)
    if (setup.edited.peek() && setup.isBoard(text)) return setup.openEditor(text)
    if (replacesGame(text)) waiting.value = text
    else void open(text)
}

/** Opens what is pasted outside of fields. Returns a function that stops listening. */
export function listenToPaste(): () => void {
    document.addEventListener("paste", onPaste)
    return () => document.removeEventListener("paste", onPaste)
}

/** Asks whether a pasted position should replace the game. */
export function PasteQuestion() {
    const answer = useRef<HTMLButtonElement>(null)
    const text = waiting.value
    useEffect(() => answer.current?.focus(), [text])
    if (text === null) return null
    const decide = (isYes: boolean) => {
        waiting.value = null
        if (isYes) void open(text)
    }
    return (
        <section class="card question" role="alertdialog" aria-labelledby="paste-question">
            <p id="paste-question">{texts.positions.pasteQuestion}</p>
            <div class="buttons">
                <button type="button" class="primary" ref={answer} onClick={() => decide(true)}>
                    {texts.positions.pasteYes}
                </button>
                <button type="button" onClick={() => decide(false)}>
                    {texts.positions.pasteNo}
                </button>
            </div>
        </section>
    )
}
