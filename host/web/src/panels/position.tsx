// Opening, pasting and sharing games, recent games, and the board editor.

import { effect, signal } from "@preact/signals"
import { useEffect, useId, useRef } from "preact/hooks"
import { convert } from "../api"
import { gamePgn } from "../export"
import { Issues } from "../fields"
import { downloadPgn, format, issues, loadFile, loadText, losses } from "../files"
import { gameForm, positionInfo } from "../game"
import { gameLink } from "../link"
import * as setup from "../setup"
import { panelOverlay, squaresOf } from "../view"
import { Editor } from "./editor"
import { Games } from "./games"
import { Recent } from "./recent"
import { texts } from "../texts/board"

const pasted = signal("")
const copied = signal<{
    name: string
    text: string
    onClipboard: boolean
    isError: boolean
} | null>(null)

/** Formats that need no message, because users know what they paste. */
const usualFormats = new Set(["pgn", "fen", "san", "uci"])

async function load(): Promise<void> {
    if (await loadText(pasted.value.trim())) pasted.value = ""
}

const exports = (): { name: string; title: string; text: () => Promise<string> }[] => [
    { name: "PGN", title: texts.positions.wholeGame, text: async () => gamePgn() },
    {
        name: "FEN",
        title: texts.positions.thisPosition,
        text: async () => positionInfo.value?.game.fen ?? "",
    },
    {
        name: "HTML",
        title: texts.positions.thisPosition,
        text: async () => (await convert<"html", string>(gameForm(), "html")).html,
    },
    { name: texts.positions.link, title: texts.positions.gameAtPosition, text: gameLink },
]

async function copy(name: string, text: Promise<string>): Promise<void> {
    let value: string
    try {
        value = await text
    } catch (error) {
        copied.value = { name, text: (error as Error).message, onClipboard: false, isError: true }
        return
    }
    const onClipboard = await navigator.clipboard?.writeText(value).then(
        () => true,
        () => false,
    )
    copied.value = { name, text: value, onClipboard: onClipboard ?? false, isError: false }
}

function OpenFile() {
    const input = useRef<HTMLInputElement>(null)
    const open = (event: { currentTarget: HTMLInputElement }) => {
        const [file] = event.currentTarget.files ?? []
        if (file) void loadFile(file)
        event.currentTarget.value = ""
    }
    return (
        <>
            <button type="button" onClick={() => input.current?.click()}>
                {texts.positions.openFile}
            </button>
            <input
                ref={input}
                class="visually-hidden"
                type="file"
                accept=".pgn,.fen,.epd,.txt,.cs"
                tabIndex={-1}
                aria-label={texts.positions.file}
                onChange={open}
            />
        </>
    )
}

function Export() {
    return (
        <>
            <div class="field">
                <span class="label">{texts.positions.copy}</span>
                <div class="buttons">
                    {exports().map(({ name, title, text }) => (
                        <button
                            key={name}
                            type="button"
                            title={title}
                            onClick={() => void copy(name, text())}
                        >
                            {name}
                        </button>
                    ))}
                    <button type="button" onClick={downloadPgn}>
                        {texts.positions.downloadPgn}
                    </button>
                </div>
            </div>
            {copied.value?.isError && (
                <p class="error-text" role="alert">
                    {copied.value.text}
                </p>
            )}
            {copied.value && !copied.value.isError && (
                <div class="field">
                    <span class="label" role="status">
                        {copied.value.onClipboard
                            ? texts.positions.copied(copied.value.name)
                            : copied.value.name}
                    </span>
                    <textarea
                        class="copied"
                        readOnly
                        rows={4}
                        value={copied.value.text}
                        aria-label={copied.value.name}
                    />
                </div>
            )}
        </>
    )
}

export function PositionPanel() {
    const id = useId()
    useEffect(() => {
        const stop = effect(() => {
            const board = setup.editedPlacement.value
            const marks = squaresOf(setup.editedIssues.value).map((square) => ({
                square,
                kind: "issue" as const,
            }))
            panelOverlay.value =
                board === null ? null : { placement: board, marks, arrows: [], isEdited: true }
        })
        return () => {
            stop()
            panelOverlay.value = null
        }
    }, [])
    if (setup.edited.value) {
        return (
            <>
                <Issues
                    issues={issues.value.filter(
                        (issue) =>
                            !setup.editedIssues.value.some(
                                ({ message }) => message === issue.message,
                            ),
                    )}
                />
                <Editor />
            </>
        )
    }
    return (
        <>
            <div class="field">
                <label for={id}>{texts.positions.paste}</label>
                <textarea
                    id={id}
                    rows={4}
                    spellcheck={false}
                    value={pasted.value}
                    placeholder={texts.positions.dropFile}
                    onInput={(event) => (pasted.value = event.currentTarget.value)}
                />
            </div>
            <Issues issues={issues.value} />
            {format.value && !usualFormats.has(format.value) && (
                <p class="hint" role="status" data-testid="format">
                    {texts.positions.readAs(format.value)}
                </p>
            )}
            {losses.value.length > 0 && (
                <ul class="hint" role="status" data-testid="losses">
                    {losses.value.map((loss, index) => (
                        <li key={index}>{loss}</li>
                    ))}
                </ul>
            )}
            <div class="buttons">
                <button
                    type="button"
                    class="primary"
                    onClick={() => void load()}
                    disabled={!pasted.value.trim()}
                >
                    {texts.positions.load}
                </button>
                <OpenFile />
                <button type="button" onClick={() => setup.openEditor()}>
                    {texts.positions.editor}
                </button>
            </div>
            <Games />
            <Recent />
            <Export />
        </>
    )
}
