// The Report panel: accuracy, and the inaccuracies, mistakes and blunders.

import { signal } from "@preact/signals"
import { aiIds } from "../ais"
import type { Color, Limit, MoveReport } from "../api"
import { AiSelect, LimitField } from "../fields"
import { gameForm, goTo, opposite, plies, startTurn } from "../game"
import { AiOptions } from "../option-fields"
import { moveNumber, PvLine } from "../preview"
import { analyseGame, moveReports, progress, report, reportError, stopReport } from "../report"
import { colorName } from "../format"

const chosen = signal("")
const limit = signal<Limit | null>({ depth: 4 })

const kinds = [
    { judgement: "inaccuracy", glyph: "?!", plural: "inaccuracies" },
    { judgement: "mistake", glyph: "?", plural: "mistakes" },
    { judgement: "blunder", glyph: "??", plural: "blunders" },
] as const

const mover = (ply: number): Color => (ply % 2 === 1 ? startTurn.value : opposite(startTurn.value))

function SideReport({ color }: { color: Color }) {
    const own = [...moveReports.value.values()].filter((entry) => mover(entry.ply) === color)
    const accuracy = report.value?.accuracy[color]
    return (
        <article class="card side-report">
            <header>
                <strong>{colorName(color)}</strong>
                <span class="score big">{accuracy === null || accuracy === undefined ? "–" : `${accuracy.toFixed(1)} %`}</span>
            </header>
            <dl class="figures">
                {kinds.map(({ judgement, plural, glyph }) => (
                    <div key={judgement}>
                        <dt>{plural}</dt>
                        <dd class={judgement}>
                            {glyph} {own.filter((entry) => entry.judgement === judgement).length}
                        </dd>
                    </div>
                ))}
            </dl>
        </article>
    )
}

function BadMove({ entry }: { entry: MoveReport }) {
    return (
        <li>
            <button type="button" class="link" onClick={() => goTo(entry.ply)}>
                {moveNumber(entry.ply - 1, true)} {entry.move.san}
                <b class={entry.judgement ?? ""}>{entry.glyph}</b>
            </button>
            <span class="muted">−{entry.loss.toFixed(0)} %</span>
            {entry.best && entry.best.move.uci !== entry.move.uci && (
                <span class="best-move">
                    best: <PvLine game={gameForm(entry.ply - 1)} pv={entry.best.pv} san={entry.best.san} />
                </span>
            )}
        </li>
    )
}

export function ReportPanel() {
    const ai = chosen.value || (aiIds.value[0] ?? "")
    const now = progress.value
    const badMoves = [...moveReports.value.values()].filter((entry) => entry.judgement).sort((a, b) => a.ply - b.ply)
    if (plies.value.length === 0) {
        return <p class="hint">No moves to analyse. Play a game, or load one in the Position tab.</p>
    }
    return (
        <>
            <div class="fields">
                <AiSelect label="AI" value={ai} change={(id) => (chosen.value = id)} />
                <LimitField of={[ai]} value={limit.value} change={(value) => (limit.value = value)} />
            </div>
            <AiOptions id={ai} />
            <div class="buttons">
                {now ? (
                    <button type="button" class="primary" onClick={stopReport}>
                        Stop
                    </button>
                ) : (
                    <button type="button" class="primary" onClick={() => void analyseGame(ai, limit.value)} disabled={!ai}>
                        Analyse the game
                    </button>
                )}
            </div>
            {now && (
                <label class="progress">
                    <span>
                        Move {now.done} of {now.of}
                    </span>
                    <progress max={Math.max(1, now.of)} value={now.done} />
                </label>
            )}
            {reportError.value && <p class="error-text">{reportError.value}</p>}
            {moveReports.value.size > 0 && (
                <>
                    <div class="cards two">
                        <SideReport color="white" />
                        <SideReport color="black" />
                    </div>
                    {report.value && badMoves.length === 0 && <p class="hint">No inaccuracies, mistakes or blunders.</p>}
                    <ol class="bad-moves">
                        {badMoves.map((entry) => (
                            <BadMove key={entry.ply} entry={entry} />
                        ))}
                    </ol>
                    <details class="explained">
                        <summary>How moves are classified</summary>
                        <p>
                            A score of cp centipawns is a winning chance of 50 + 50 · (2 / (1 + e^(−0.00368208 · cp)) − 1) percent. A
                            move that loses 5, 10 or 20 percentage points of winning chance is an inaccuracy (?!), a mistake (?) or a
                            blunder (??). The accuracy of a move is 103.1668 · e^(−0.04354 · loss) − 3.1669 percent; the accuracy of a
                            side is the mean over its moves.
                        </p>
                    </details>
                </>
            )}
        </>
    )
}
