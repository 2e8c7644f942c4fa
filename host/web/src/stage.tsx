// The board with the players, the evaluation bar and the navigation.

import { computed } from "@preact/signals"
import { aiName, ais } from "./ais"
import { Board } from "./board"
import type { Color } from "./api"
import { Icon, StateDot } from "./fields"
import { atEnd, choose, cursor, goTo, legal, plies, turn } from "./game"
import { aiToMove, ending, isAlone, players, thinking, youMayMove } from "./play"
import { closeInspection, inspect } from "./inspect"
import { edited, put } from "./setup"
import { arrows, flip, marks, material, orientation, overlay, shownPlacement, shownScore, unit } from "./view"
import { colorName, endingInWords, pieceInWords, scoreInWords, winningChance } from "./words"

/** The side that the user can move now; also on an earlier position, where a move drops the moves after it. */
const input = computed<Color | null>(() => (youMayMove.value && !overlay.value?.placement ? turn.value : null))

function PlayerStrip({ color }: { color: Color }) {
    const player = players.value[color]
    const lost = material.value[color === "white" ? "black" : "white"]
    const ahead = material.value.ahead * (color === "white" ? 1 : -1)
    const ai = player === "you" ? undefined : ais.value.find((ai) => ai.id === player.ai)
    const moves = turn.value === color && !ending.value
    return (
        <div class={`player${moves ? " to-move" : ""}`} data-testid={`player-${color}`}>
            <span class={`disc ${color}`} aria-hidden="true" />
            <strong>{player !== "you" ? aiName(player.ai) : isAlone.value ? colorName(color) : "You"}</strong>
            {ai && <StateDot state={ai.state} />}
            {moves && thinking.value && aiToMove.value && <span class="pulse" aria-hidden="true" />}
            <span class="captured" role="img" aria-label={lost.length > 0 ? `Captured: ${lost.map(pieceInWords).join(", ")}` : "No captures"}>
                {lost.map((piece, index) => (
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
function judgement(): { chance: number; words: string; label: string } {
    if (ending.value) {
        const { winner } = ending.value
        const [chance, words] = winner === "white" ? [100, "1–0"] : winner === "black" ? [0, "0–1"] : [50, "½"]
        return { chance, words, label: endingInWords(ending.value) }
    }
    const score = shownScore.value
    if (!score) return { chance: 50, words: "–", label: "No evaluation yet" }
    const chance = winningChance(score)
    const inPawns = unit.value === "pawns" || "mate" in score
    const words = inPawns ? scoreInWords(score).replace(/(\.\d)\d$/, "$1") : `${chance.toFixed(0)}%`
    return { chance, words, label: `${scoreInWords(score)}, White’s winning chance ${chance.toFixed(0)} %` }
}

function EvaluationBar() {
    const inPawns = unit.value === "pawns"
    const { chance, words, label } = judgement()
    return (
        <button
            type="button"
            class={`bar ${orientation.value}`}
            aria-label={`${words}: ${label}. Show ${inPawns ? "winning chance" : "pawns"}`}
            title={label}
            onClick={() => (unit.value = inPawns ? "chance" : "pawns")}
            data-testid="bar"
        >
            <span class="fill" style={{ "--share": `${chance}%` }} />
            <span class={`words ${chance >= 50 ? "white" : "black"}`}>{words}</span>
        </button>
    )
}

const steps = [
    { label: "Go to start", icon: "M6 5v14M18 6l-8 6 8 6z", go: () => goTo(0), back: true },
    { label: "Previous move", icon: "M15 6l-7 6 7 6z", go: () => goTo(cursor.value - 1), back: true },
    { label: "Next move", icon: "M9 6l7 6-7 6z", go: () => goTo(cursor.value + 1), back: false },
    { label: "Go to end", icon: "M18 5v14M6 6l8 6-8 6z", go: () => goTo(plies.value.length), back: false },
]
const turning = "M8 19V5M4 9l4-4 4 4M16 5v14M12 15l4 4 4-4"

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
                <Icon path={turning} />
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
                    choose={choose}
                    inspect={inspect}
                    leave={closeInspection}
                    press={(square) => {
                        if (edited.peek()) put(square)
                    }}
                />
            </div>
            <PlayerStrip color={bottom} />
            <Controls />
        </section>
    )
}
