// The Position panel: board editor, import and export.

import { effect, signal } from "@preact/signals"
import { useEffect, useId } from "preact/hooks"
import { convert } from "../api"
import type { Color, GameForm, Issue } from "../api"
import { gameForm, loadGame, positionInfo, standardStart, turn } from "../game"
import { positionLink } from "../link"
import { newGame, setUserForBoth } from "../play"
import * as setup from "../setup"
import { overlay, squaresOf } from "../view"
import { colorName, pieceName } from "../format"

const pasted = signal("")
const issues = signal<Issue[]>([])
const copied = signal<{ name: string; text: string; onClipboard: boolean } | null>(null)

export function Issues({ issues }: { issues: Issue[] }) {
    if (issues.length === 0) return null
    return (
        <div class="issues" role="alert" data-testid="issues">
            <ul>
                {issues.map((issue, index) => (
                    <li key={index}>{issue.message}</li>
                ))}
            </ul>
        </div>
    )
}

function formOf(text: string): GameForm {
    if (text.startsWith("<svg")) return { svg: text }
    if (text.startsWith("<")) return { html: text, turn: turn.value }
    if (setup.isBoard(text) && text.includes(";")) return { epd: text }
    const tokens = text.split(/\s+/)
    if (tokens.every((token) => /^([a-h][1-8]){2}[qrbn]?$/.test(token))) return { fen: standardStart, moves: tokens }
    return setup.isBoard(text) || /^[^\s[]+\/[^\s]*(\s|$)/.test(text) ? { fen: text } : { pgn: text }
}

async function load(): Promise<void> {
    const text = pasted.value.trim()
    if (!text) return
    const form = formOf(text)
    issues.value = await loadGame(form)
    // No AI moves in a loaded game until the user selects one.
    if (issues.value.length === 0) setUserForBoth()
    if (issues.value.length === 0) {
        pasted.value = ""
        setup.edited.value = null
    } else if ("fen" in form && setup.isBoard(form.fen)) {
        setup.openEditor(form.fen)
    }
}

const exports: { name: string; text: () => Promise<string> }[] = [
    { name: "FEN", text: async () => positionInfo.value?.game.fen ?? "" },
    { name: "PGN", text: async () => (await convert<"pgn", string>(gameForm(), "pgn")).pgn },
    { name: "HTML", text: async () => (await convert<"html", string>(gameForm(), "html")).html },
    { name: "Link", text: async () => positionLink() },
]

async function copy(name: string, text: Promise<string>): Promise<void> {
    const value = await text
    const onClipboard = await navigator.clipboard?.writeText(value).then(
        () => true,
        () => false,
    )
    copied.value = { name, text: value, onClipboard: onClipboard ?? false }
}

const palette = ["w", "b"].map((color) => [..."kqrbnp"].map((letter) => color + letter))

function Palette() {
    const select = (piece: string | null) => (setup.selectedPiece.value = piece)
    return (
        <div class="palette" role="group" aria-label="Piece to place">
            {palette.map((row, index) => (
                <div key={index} class="palette-row">
                    {row.map((piece) => (
                        <button
                            key={piece}
                            type="button"
                            aria-pressed={setup.selectedPiece.value === piece}
                            aria-label={pieceName(piece)}
                            onClick={() => select(piece)}
                        >
                            <svg viewBox="0 0 40 40" aria-hidden="true">
                                <use href={`#${piece}`} />
                            </svg>
                        </button>
                    ))}
                </div>
            ))}
            <button type="button" class="wide" aria-pressed={setup.selectedPiece.value === null} onClick={() => select(null)}>
                Remove
            </button>
        </div>
    )
}

const rights = [
    ["K", "White O-O"],
    ["Q", "White O-O-O"],
    ["k", "Black O-O"],
    ["q", "Black O-O-O"],
] as const

function Editor() {
    const id = useId()
    const toggle = (right: string) => {
        const next = new Set(setup.editedCastling.value)
        if (!next.delete(right)) next.add(right)
        setup.editedCastling.value = next
    }
    const use = () => {
        const fen = setup.editedFen.value
        setup.edited.value = null
        issues.value = []
        newGame(fen)
    }
    return (
        <section class="editor" aria-label="Board editor">
            <Palette />
            <div class="buttons">
                <button type="button" onClick={setup.clearBoard}>
                    Clear board
                </button>
                <button type="button" onClick={() => setup.openEditor(standardStart)}>
                    Starting position
                </button>
            </div>
            <div class="field">
                <label for={id}>Side to move</label>
                <select
                    id={id}
                    value={setup.editedTurn.value}
                    onChange={(event) => (setup.editedTurn.value = event.currentTarget.value as Color)}
                >
                    {(["white", "black"] as const).map((color) => (
                        <option key={color} value={color}>
                            {colorName(color)}
                        </option>
                    ))}
                </select>
            </div>
            <fieldset class="choices">
                <legend>Castling rights</legend>
                {rights.map(([right, label]) => (
                    <label key={right} class="choice">
                        <input type="checkbox" checked={setup.editedCastling.value.has(right)} onChange={() => toggle(right)} />
                        <span>{label}</span>
                    </label>
                ))}
            </fieldset>
            <Issues issues={setup.editedIssues.value} />
            <div class="buttons">
                <button type="button" class="primary" onClick={use} disabled={setup.editedIssues.value.length > 0}>
                    Play from here
                </button>
                <button type="button" onClick={() => (setup.edited.value = null)}>
                    Cancel
                </button>
            </div>
        </section>
    )
}

export function PositionPanel() {
    const id = useId()
    useEffect(() => {
        const stop = effect(() => {
            const board = setup.editedPlacement.value
            const marks = squaresOf(setup.editedIssues.value).map((square) => ({ square, kind: "issue" as const }))
            overlay.value = board === null ? null : { placement: board, marks, arrows: [] }
        })
        return () => {
            stop()
            setup.edited.value = null
            overlay.value = null
        }
    }, [])
    if (setup.edited.value) {
        return (
            <>
                <Issues issues={issues.value.filter((issue) => !setup.editedIssues.value.some(({ message }) => message === issue.message))} />
                <Editor />
            </>
        )
    }
    return (
        <>
            <div class="field">
                <label for={id}>Paste FEN, EPD, PGN, or a board as HTML or SVG</label>
                <textarea
                    id={id}
                    rows={4}
                    spellcheck={false}
                    value={pasted.value}
                    onInput={(event) => (pasted.value = event.currentTarget.value)}
                />
            </div>
            <Issues issues={issues.value} />
            <div class="buttons">
                <button type="button" class="primary" onClick={() => void load()} disabled={!pasted.value.trim()}>
                    Load
                </button>
                <button type="button" onClick={() => setup.openEditor()}>
                    Board editor
                </button>
            </div>
            <div class="field">
                <span class="label">Copy position</span>
                <div class="buttons">
                    {exports.map(({ name, text }) => (
                        <button key={name} type="button" onClick={() => void copy(name, text())}>
                            {name}
                        </button>
                    ))}
                </div>
            </div>
            {copied.value && (
                <div class="field">
                    <span class="label" role="status">
                        {copied.value.name}
                        {copied.value.onClipboard ? " copied" : ""}
                    </span>
                    <textarea class="copied" readOnly rows={4} value={copied.value.text} aria-label={copied.value.name} />
                </div>
            )}
        </>
    )
}
