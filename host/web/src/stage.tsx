// The board with the players, the evaluation bar and the navigation.

import { computed } from "@preact/signals"
import { aiName, ais } from "./ais"
import { Board } from "./board"
import type { Color } from "./api"
import { Icon, StateDot } from "./fields"
import { atEnd, cursor, goTo, legal, plies, submitMove, turn } from "./game"
import { aiToMove, isSearching, players, result, userMayMove, userPlaysBoth } from "./play"
import { closeInspection, inspect } from "./inspect"
import { edited, placePiece } from "./setup"
import { arrows, flip, marks, material, orientation, overlay, shownPlacement, shownScore, unit } from "./view"
import { colorName, formatScore, pieceName, resultText, winningChance } from "./format"

/** The side that the user can move now; also on an earlier position, where a move drops the moves after it. */
const input = computed<Color | null>(() => (userMayMove.value && !overlay.value?.placement ? turn.value : null))

function PlayerStrip({ color }: { color: Color }) {
    const player = players.value[color]
    const captured = material.value[color === "white" ? "black" : "white"]
    const ahead = material.value.ahead * (color === "white" ? 1 : -1)
    const ai = player === "you" ? undefined : ais.value.find((ai) => ai.id === player.ai)
    const isToMove = turn.value === color && !result.value
    return (
        <div class={`player${isToMove ? " to-move" : ""}`} data-testid={`player-${color}`}>
            <span class={`disc ${color}`} aria-hidden="true" />
            <strong>{player !== "you" ? aiName(player.ai) : userPlaysBoth.value ? colorName(color) : "You"}</strong>
            {ai && <StateDot state={ai.state} />}
            {isToMove && isSearching.value && aiToMove.value && <span class="pulse" aria-hidden="true" />}
            <span class="captured" role="img" aria-label={captured.length > 0 ? `Captured: ${captured.map(pieceName).join(", ")}` : "No captures"}>
                {captured.map((piece, index) => (
                    <svg key={index} viewBox="0 0 40 40" aria-hidden="true">
                        <use href={`#${piece}`} />
                    </svg>
                ))}
            </span>
            {ahead > 0 && <span class="muted">+{ahead}</span>}
        </div>
    )
}

/** Returns what the evaluation bar shows: the result of a finished game, otherwise the evaluation. */
function evaluation(): { chance: number; text: string; label: string } {
    if (result.value) {
        const { winner } = result.value
        const [chance, text] = winner === "white" ? [100, "1–0"] : winner === "black" ? [0, "0–1"] : [50, "½"]
        return { chance, text, label: resultText(result.value) }
    }
    const score = shownScore.value
    if (!score) return { chance: 50, text: "–", label: "No evaluation yet" }
    const chance = winningChance(score)
    const inPawns = unit.value === "pawns" || "mate" in score
    const text = inPawns ? formatScore(score).replace(/(\.\d)\d$/, "$1") : `${chance.toFixed(0)}%`
    return { chance, text, label: `${formatScore(score)}, White’s winning chance ${chance.toFixed(0)} %` }
}

function EvaluationBar() {
    const inPawns = unit.value === "pawns"
    const { chance, text, label } = evaluation()
    return (
        <button
            type="button"
            class={`bar ${orientation.value}`}
            aria-label={`${text}: ${label}. Show ${inPawns ? "winning chance" : "pawns"}`}
            title={label}
            onClick={() => (unit.value = inPawns ? "chance" : "pawns")}
            data-testid="bar"
        >
            <span class="fill" style={{ "--share": `${chance}%` }} />
            <span class={`value ${chance >= 50 ? "white" : "black"}`}>{text}</span>
        </button>
    )
}

const steps = [
    { label: "Go to start", icon: "M6 5v14M18 6l-8 6 8 6z", go: () => goTo(0), back: true },
    { label: "Previous move", icon: "M15 6l-7 6 7 6z", go: () => goTo(cursor.value - 1), back: true },
    { label: "Next move", icon: "M9 6l7 6-7 6z", go: () => goTo(cursor.value + 1), back: false },
    { label: "Go to end", icon: "M18 5v14M6 6l8 6-8 6z", go: () => goTo(plies.value.length), back: false },
]
const flipIcon = "M8 19V5M4 9l4-4 4 4M16 5v14M12 15l4 4 4-4"

function Controls() {
    return (
        <div class="controls" role="group" aria-label="Game navigation">
            {steps.map(({ label, icon, go, back }) => (
                <button
                    key={label}
                    type="button"
                    class="icon"
                    aria-label={label}
                    title={label}
                    onClick={go}
                    disabled={back ? cursor.value === 0 : atEnd.value}
                >
                    <Icon path={icon} />
                </button>
            ))}
            <button type="button" class="icon" aria-label="Flip board" title="Flip board (f)" onClick={flip}>
                <Icon path={flipIcon} />
            </button>
        </div>
    )
}

export function Stage() {
    const bottom = orientation.value
    return (
        <section class="stage" aria-label={`Board, ${colorName(bottom)} at the bottom`}>
            <PlayerStrip color={bottom === "white" ? "black" : "white"} />
            <div class="board-row">
                <EvaluationBar />
                <Board
                    placement={shownPlacement}
                    orientation={orientation}
                    moves={legal}
                    input={input}
                    marks={marks}
                    arrows={arrows}
                    submitMove={submitMove}
                    inspect={inspect}
                    onEscape={closeInspection}
                    onPress={(square) => {
                        if (edited.peek()) placePiece(square)
                    }}
                />
            </div>
            <PlayerStrip color={bottom} />
            <Controls />
        </section>
    )
}
