// The board with the players, the evaluation bar and the graph of the game.

import { computed } from "@preact/signals"
import type { Color, Score } from "./api"
import { Board } from "./board"
import { ControlLegend } from "./control-legend"
import { clearDrawings, drawings, toggleDrawing } from "./drawings"
import { legal, result, turn } from "./game"
import { Graph } from "./graph"
import { inspect } from "./inspect"
import { submitMove, userMayMove } from "./play"
import { PlayerCard } from "./player-card"
import { premove, premoveColor } from "./premove"
import { explain, explainPress } from "./reasons"
import { hasGraph, scores } from "./scores"
import { isNarrow } from "./screen"
import { placePiece, shiftPiece } from "./setup"
import { leave } from "./shortcuts"
import { switches } from "./switches"
import {
    arrows,
    marks,
    orientation,
    overlay,
    promotion,
    shownPlacement,
    shownScore,
    showsAnalysis,
} from "./view"
import { fixed, formatScore, resultText, winningChance } from "./format"
import { texts } from "./texts/board"

/** The side that the user can move. At an earlier position, another move opens a variation. */
const input = computed<Color | null>(() =>
    userMayMove.value && !overlay.value?.placement ? turn.value : null,
)
const isEdited = computed(() => overlay.value?.isEdited ?? false)

/** Formats a score in at most four characters: `+0.3`, `−12`, `#8`. */
function shortScore(score: Score): string {
    if ("mate" in score) return `#${Math.abs(score.mate)}`
    const pawns = Math.abs(score.cp) / 100
    return `${score.cp < 0 ? "−" : "+"}${pawns < 9.95 ? fixed(pawns, 1) : Math.min(99, Math.round(pawns))}`
}

/** Returns the contents of the evaluation bar: the result of a finished game, or the evaluation. */
function evaluation(): { chance: number; text: string; label: string } {
    if (result.value) {
        const { winner } = result.value
        const [chance, text] =
            winner === "white" ? [100, "1–0"] : winner === "black" ? [0, "0–1"] : [50, "½"]
        return { chance, text, label: resultText(result.value) }
    }
    const score = shownScore.value
    if (!score) return { chance: 50, text: "–", label: texts.game.notEvaluated }
    const chance = winningChance(score, turn.value)
    const inPawns = switches.unit.value === "pawns" || "mate" in score
    const text = inPawns ? shortScore(score) : `${Math.min(99, Math.round(chance))}%`
    return { chance, text, label: texts.game.evaluation(formatScore(score), chance.toFixed(0)) }
}

/** Above this chance in percent, White’s part of the bar covers the number at its end. */
const coveredChance = 5

/** The bar next to the board. A phone shows a thin strip above the board, without a number. */
function EvaluationBar() {
    if (!showsAnalysis.value || isEdited.value) return null
    const isKnown = result.value !== null || shownScore.value !== null
    // A watched game shows no bar before its first evaluation.
    if (switches.place.value === "watch" && !isKnown && scores.value.size === 0) return null
    const inPawns = switches.unit.value === "pawns"
    const { chance, text, label } = evaluation()
    const fill = <span class="fill" style={{ "--share": chance / 100 }} />
    const isUnknown = !isKnown && !switches.analyseVisited.value
    const looks = `bar ${orientation.value}${isUnknown ? " unknown" : ""}`
    if (isNarrow.value)
        return (
            <div class={looks} role="img" aria-label={label} data-testid="bar">
                {fill}
            </div>
        )
    return (
        <button
            type="button"
            class={looks}
            aria-label={(inPawns ? texts.game.showChance : texts.game.showPawns)(text, label)}
            title={label}
            onClick={() => (switches.unit.value = inPawns ? "chance" : "pawns")}
            data-testid="bar"
        >
            {fill}
            {isKnown && (
                <span class={`value ${chance >= coveredChance ? "white" : "black"}`}>{text}</span>
            )}
        </button>
    )
}

/** The graph below the board, if there is room. A review has its own graph. */
function GameGraph() {
    const isShown = hasGraph.value && showsAnalysis.value && !isEdited.value
    return isShown && !isNarrow.value && switches.tool.value !== "report" ? <Graph /> : null
}

export function Stage() {
    const bottom = orientation.value
    return (
        <section class="stage" aria-label={texts.game.boardBelow(bottom)}>
            <PlayerCard color={bottom === "white" ? "black" : "white"} />
            <div class="board-row">
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
                    onPress={(square, picked) => void explainPress(square, picked)}
                    inspect={(square) => void inspect(square)}
                    onEscape={leave}
                    onPlace={placePiece}
                    onShift={shiftPiece}
                />
                <EvaluationBar />
            </div>
            <PlayerCard color={bottom} />
            <ControlLegend />
            <GameGraph />
        </section>
    )
}
