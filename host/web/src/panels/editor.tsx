// The board editor: pieces, side to move and castling rights.

import { useEffect, useId, useRef } from "preact/hooks"
import type { Color } from "../api"
import { standardStart } from "../game"
import { issues } from "../files"
import { Issues } from "../fields"
import * as setup from "../setup"
import { addStep, newGame } from "../steps"
import { colorName, pieceName, textOf } from "../format"
import { texts } from "../texts/board"

const pieceCodes = ["w", "b"].map((color) => [..."kqrbnp"].map((letter) => color + letter))

function Palette() {
    const select = (piece: string | null) => (setup.selectedPiece.value = piece)
    const palette = useRef<HTMLDivElement>(null)
    // On a phone the board stays above the palette.
    useEffect(() => palette.current?.scrollIntoView({ block: "nearest" }), [])
    return (
        <div class="palette" role="group" aria-label={texts.positions.palette} ref={palette}>
            {pieceCodes.map((row, index) => (
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
            <button
                type="button"
                class="wide"
                aria-pressed={setup.selectedPiece.value === null}
                onClick={() => select(null)}
            >
                {texts.positions.erase}
            </button>
        </div>
    )
}

export function Editor() {
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
    const cancel = () => {
        const fen = setup.editedFen.value
        setup.edited.value = null
        addStep(texts.page.editorClosed, () => setup.openEditor(fen))
    }
    return (
        <section class="editor" aria-label={texts.positions.editor}>
            <Palette />
            <p class="hint">{texts.positions.editorHint}</p>
            <div class="buttons">
                <button type="button" onClick={setup.clearBoard}>
                    {texts.positions.clear}
                </button>
                <button type="button" onClick={() => setup.openEditor(standardStart)}>
                    {texts.positions.start}
                </button>
            </div>
            <div class="field">
                <label for={id}>{texts.positions.sideToMove}</label>
                <select
                    id={id}
                    value={setup.editedTurn.value}
                    onChange={(event) =>
                        (setup.editedTurn.value = event.currentTarget.value as Color)
                    }
                >
                    {(["white", "black"] as const).map((color) => (
                        <option key={color} value={color}>
                            {colorName(color)}
                        </option>
                    ))}
                </select>
            </div>
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
            <Issues issues={setup.editedIssues.value} />
            {setup.editedNotes.value.map((note) => (
                <p key={note} class="hint" role="status" data-testid="setup-note">
                    {textOf(texts.positions.notes, note) ?? note}
                </p>
            ))}
            <div class="buttons">
                <button
                    type="button"
                    class="primary"
                    onClick={use}
                    disabled={setup.editedIssues.value.length > 0}
                >
                    {texts.positions.playFromHere}
                </button>
                <button type="button" onClick={cancel}>
                    {texts.positions.cancel}
                </button>
            </div>
        </section>
    )
}
