// The board editor: pieces, side to move, castling rights and the other parts of a position.

import { signal } from "@preact/signals"
import { useId } from "preact/hooks"
import type { Color } from "../api"
import { chess960Fen, maxStart } from "../chess960"
import { issues } from "../files"
import { DraftInput, Issues } from "../fields"
import { openTool } from "../places"
import * as setup from "../setup"
import { addStep, newGame } from "../steps"
import { switches } from "../switches"
import { colorName, textOf } from "../format"
import { texts } from "../texts/board"
import { Palette } from "./palette"

/** The FEN while it is being typed; null otherwise. */
const typedFen = signal<string | null>(null)
/** The number of the last Chess960 start. */
const startNumber = signal<number | null>(null)

/** The FEN of the position. Typing in it changes the board. */
function FenField() {
    const id = useId()
    const fen = typedFen.value ?? setup.editedFen.value
    const type = (text: string) => {
        typedFen.value = text
        if (setup.isBoard(text)) setup.openEditor(text)
    }
    const isBoard = setup.isBoard(fen)
    return (
        <div class="field">
            <label for={id}>{texts.positions.fen}</label>
            <input
                id={id}
                class="fen"
                value={fen}
                spellcheck={false}
                autocomplete="off"
                aria-invalid={!isBoard}
                onInput={(event) => type(event.currentTarget.value)}
                onBlur={() => (typedFen.value = null)}
            />
            {!isBoard && (
                <span class="input-error" role="status">
                    {texts.positions.notFen}
                </span>
            )}
        </div>
    )
}

function SideToMove() {
    const id = useId()
    return (
        <div class="field">
            <label for={id}>{texts.positions.sideToMove}</label>
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
    )
}

function EnPassant() {
    const id = useId()
    const squares = setup.enPassantSquares.value
    const chosen = squares.find((square) => square === setup.editedEnPassant.value)
    return (
        <div class="field">
            <label for={id}>{texts.positions.enPassant}</label>
            <select
                id={id}
                value={chosen ?? "-"}
                disabled={squares.length === 0}
                onChange={(event) => (setup.editedEnPassant.value = event.currentTarget.value)}
            >
                <option value="-">{texts.positions.noEnPassant}</option>
                {squares.map((square) => (
                    <option key={square}>{square}</option>
                ))}
            </select>
        </div>
    )
}

function Counter({ index, label, least }: { index: 0 | 1; label: string; least: number }) {
    const id = useId()
    const commit = (text: string) => {
        const [halfmoves, number] = setup.editedCounters.value
        const value = setup.count(text, least)
        setup.editedCounters.value = index === 0 ? [value, number] : [halfmoves, value]
    }
    return (
        <div class="field">
            <label for={id}>{label}</label>
            <DraftInput
                field={{ id, type: "number", min: least, max: 9999 }}
                value={setup.editedCounters.value[index]}
                commit={commit}
            />
        </div>
    )
}

function CastlingRights() {
    const toggle = (right: string) => {
        const next = new Set(setup.editedCastling.value)
        if (!next.delete(right)) next.add(right)
        setup.editedCastling.value = next
    }
    return (
        <fieldset class="choices">
            <legend>{texts.positions.castlingRights}</legend>
            {Object.entries(texts.positions.rights).map(([right, label]) => (
                <label key={right} class="choice">
                    <input
                        type="checkbox"
                        checked={setup.editedCastling.value.has(right)}
                        onChange={() => toggle(right)}
                    />
                    <span>{label}</span>
                </label>
            ))}
        </fieldset>
    )
}

/** Sets up a Chess960 start by its number. */
function Chess960() {
    const id = useId()
    const start = (number: number) => {
        const known = Math.max(0, Math.min(maxStart, Math.round(number) || 0))
        startNumber.value = known
        setup.openEditor(chess960Fen(known))
    }
    return (
        <div class="field">
            <label for={id}>{texts.positions.chess960(maxStart)}</label>
            <div class="buttons">
                <DraftInput
                    field={{ id, type: "number", min: 0, max: maxStart }}
                    value={startNumber.value ?? ""}
                    commit={(text) => {
                        if (text) start(Number(text))
                    }}
                />
                <button
                    type="button"
                    onClick={() => start(Math.floor(Math.random() * (maxStart + 1)))}
                >
                    {texts.positions.random}
                </button>
            </div>
        </div>
    )
}

function use(): void {
    const fen = setup.editedFen.value
    setup.edited.value = null
    issues.value = []
    newGame(fen)
    openTool(null)
}

function cancel(): void {
    const fen = setup.editedFen.value
    setup.edited.value = null
    addStep(texts.page.editorClosed, () => setup.openEditor(fen))
}

export function Editor() {
    return (
        <section class="editor" aria-label={texts.positions.editor}>
            <Palette />
            <p class="hint">{texts.positions.editorHint}</p>
            <FenField />
            <Issues issues={setup.editedIssues.value} />
            {setup.editedNotes.value.map((note) => (
                <p key={note} class="hint" role="status" data-testid="setup-note">
                    {textOf(texts.positions.notes, note)}
                </p>
            ))}
            <div class="buttons">
                <button
                    type="button"
                    class="primary"
                    onClick={use}
                    disabled={setup.editedIssues.value.length > 0}
                >
                    {switches.place.value === "analyse"
                        ? texts.positions.analyseFromHere
                        : texts.positions.playFromHere}
                </button>
                <button type="button" onClick={cancel}>
                    {texts.positions.cancel}
                </button>
            </div>
            <div class="field-grid">
                <SideToMove />
                <EnPassant />
                <Counter index={0} label={texts.positions.quietPlies} least={0} />
                <Counter index={1} label={texts.positions.moveNumber} least={1} />
            </div>
            <CastlingRights />
            <Chess960 />
        </section>
    )
}
