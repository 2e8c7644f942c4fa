// The board with the players, the evaluation bar and the navigation.

import { computed } from "@preact/signals"
import { ais } from "./ais"
import type { Color, Score } from "./api"
import { isAutoplaying } from "./autoplay"
import { Board } from "./board"
import { Clock } from "./clock"
import { clearDrawings, drawings, toggleDrawing } from "./drawings"
import { playerName } from "./export"
import { StateDot } from "./fields"
import { atEnd, cursor, goTo, legal, plies, result, tags, turn, turnAfter } from "./game"
import { Icon } from "./icon"
import { closeInspection, inspect } from "./inspect"
import { isSearching, submitMove, userMayMove } from "./play"
import { aiToMoveAtEnd, players, userPlaysBoth } from "./players"
import { premove, premoveColor } from "./premove"
import { explain } from "./reasons"
import { placePiece, shiftPiece } from "./setup"
import { switches } from "./switches"
import { arrows, flip, marks, material, orientation, overlay, promotion, shownPlacement, shownScore, showsAnalysis } from "./view"
import { colorName, formatScore, pieceName, resultText, winningChance } from "./format"

/** The side that the user can move now; also on an earlier position, where another move opens a variation. */
const input = computed<Color | null>(() => (userMayMove.value && !overlay.value?.placement ? turn.value : null))
const isEdited = computed(() => overlay.value?.isEdited ?? false)

function PlayerStrip({ color }: { color: Color }) {
    const player = players.value[color]
    const captured = material.value[color === "white" ? "black" : "white"]
    const ahead = material.value.ahead * (color === "white" ? 1 : -1)
    const ai = player === "you" ? undefined : ais.value.find((ai) => ai.id === player.ai)
    const isToMove = turn.value === color && !result.value
    const isThinking = isSearching.value && aiToMoveAtEnd.value !== null && turnAfter(plies.value.length) === color
    const isNamed = tags.value.White !== undefined || tags.value.Black !== undefined
    const name = player !== "you" || (userPlaysBoth.value && isNamed) ? playerName(color) : userPlaysBoth.value ? colorName(color) : "You"
    return (
        <div class={`player${isToMove ? " to-move" : ""}`} data-testid={`player-${color}`}>
            <span class={`disc ${color}`} aria-hidden="true" />
            <strong>{name}</strong>
            {ai && <StateDot state={ai.state} />}
            {isThinking && <span class="pulse" aria-hidden="true" />}
            <span class="captured" role="img" aria-label={captured.length > 0 ? `Captured: ${captured.map(pieceName).join(", ")}` : "No captures"}>
                {captured.map((piece, index) => (
                    <svg key={index} viewBox="0 0 40 40" aria-hidden="true">
                        <use href={`#${piece}`} />
                    </svg>
                ))}
            </span>
            {ahead > 0 && <span class="muted">+{ahead}</span>}
            <Clock color={color} />
        </div>
    )
}

/** Formats a score in at most four characters: `+0.3`, `−12`, `#8`. */
function shortScore(score: Score): string {
    if ("mate" in score) return `#${Math.abs(score.mate)}`
    const pawns = Math.abs(score.cp) / 100
    return `${score.cp < 0 ? "−" : "+"}${pawns < 9.95 ? pawns.toFixed(1) : Math.min(99, Math.round(pawns))}`
}

/** Returns what the evaluation bar shows: the result of a finished game, otherwise the evaluation. */
function evaluation(): { chance: number; text: string; label: string } {
    if (result.value) {
        const { winner } = result.value
        const [chance, text] = winner === "white" ? [100, "1–0"] : winner === "black" ? [0, "0–1"] : [50, "½"]
        return { chance, text, label: resultText(result.value) }
    }
    const score = shownScore.value
    if (!score) return { chance: 50, text: "–", label: "Not evaluated yet" }
    const chance = winningChance(score)
    const inPawns = switches.unit.value === "pawns" || "mate" in score
    const text = inPawns ? shortScore(score) : `${chance.toFixed(0)}%`
    return { chance, text, label: `${formatScore(score)}, White’s winning chance ${chance.toFixed(0)} %` }
}

/** From this share on, White’s part of the bar covers the number at its end. */
const coveredChance = 5

function EvaluationBar() {
    const inPawns = switches.unit.value === "pawns"
    const { chance, text, label } = evaluation()
    return (
        <button
            type="button"
            class={`bar ${orientation.value}${showsAnalysis.value || result.value ? "" : " hidden"}`}
            aria-label={`${text}: ${label}. Show ${inPawns ? "winning chance" : "pawns"}`}
            title={label}
            onClick={() => (switches.unit.value = inPawns ? "chance" : "pawns")}
            data-testid="bar"
        >
            <span class="fill" style={{ "--share": chance / 100 }} />
            <span class={`value ${chance >= coveredChance ? "white" : "black"}`}>{text}</span>
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
            <button
                type="button"
                class="icon"
                aria-label={isAutoplaying.value ? "Stop autoplay" : "Play through the game"}
                title={isAutoplaying.value ? "Stop autoplay" : "Play through the game"}
                onClick={() => (isAutoplaying.value = !isAutoplaying.value)}
                disabled={atEnd.value}
            >
                <Icon path={isAutoplaying.value ? "M7 6h3v12H7zM14 6h3v12h-3z" : "M4 6l7 6-7 6zM12 6l7 6-7 6z"} />
            </button>
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
                    premoves={premoveColor}
                    premove={premove}
                    promotion={promotion}
                    isEdited={isEdited}
                    marks={marks}
                    arrows={arrows}
                    drawings={drawings}
                    onDraw={toggleDrawing}
                    onClearDrawings={clearDrawings}
                    submitMove={submitMove}
                    explain={(from, to) => void explain(from, to)}
                    inspect={(square) => void inspect(square)}
                    onEscape={closeInspection}
                    onPlace={placePiece}
                    onShift={shiftPiece}
                />
            </div>
            <PlayerStrip color={bottom} />
            <Controls />
        </section>
    )
}
