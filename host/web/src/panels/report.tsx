// The Report panel: accuracy, and the inaccuracies, mistakes and blunders.

import { signal } from "@preact/signals"
import { aiIds } from "../ais"
import type { Color, Judged, Limit } from "../api"
import { AiSelect, LimitField } from "../fields"
import { gameForm, goTo, other, plies, startTurn } from "../game"
import { AiOptions } from "../option-fields"
import { LineOfPlay, moveNumber } from "../preview"
import { judge, judgements, progress, report, reportFault, stopReport } from "../report"
import { colorName } from "../words"

const chosen = signal("")
const limit = signal<Limit | null>({ depth: 4 })

const kinds = [
    { judgement: "inaccuracy", glyph: "?!", many: "inaccuracies" },
    { judgement: "mistake", glyph: "?", many: "mistakes" },
    { judgement: "blunder", glyph: "??", many: "blunders" },
] as const

const mover = (ply: number): Color => (ply % 2 === 1 ? startTurn.value : other(startTurn.value))

function Side({ color }: { color: Color }) {
    const mine = [...judgements.value.values()].filter((judged) => mover(judged.ply) === color)
    const accuracy = report.value?.accuracy[color]
    return (
        <article class="card side-report">
            <header>
                <strong>{colorName(color)}</strong>
                <span class="score big">{accuracy === null || accuracy === undefined ? "–" : `${accuracy.toFixed(1)} %`}</span>
            </header>
            <dl class="figures">
                {kinds.map(({ judgement, many, glyph }) => (
                    <div key={judgement}>
                        <dt>{many}</dt>
                        <dd class={judgement}>
                            {glyph} {mine.filter((judged) => judged.judgement === judgement).length}
                        </dd>
                    </div>
                ))}
            </dl>
        </article>
    )
}

function Bad({ judged }: { judged: Judged }) {
    return (
        <li>
            <button type="button" class="link" onClick={() => goTo(judged.ply)}>
                {moveNumber(judged.ply - 1, true)} {judged.move.san}
                <b class={judged.judgement ?? ""}>{judged.glyph}</b>
            </button>
            <span class="muted">−{judged.loss.toFixed(0)} %</span>
            {judged.best && judged.best.move.uci !== judged.move.uci && (
                <span class="better">
                    best: <LineOfPlay game={gameForm(judged.ply - 1)} pv={judged.best.pv} san={judged.best.san} />
                </span>
            )}
        </li>
    )
}

export function ReportPanel() {
    const ai = chosen.value || (aiIds.value[0] ?? "")
    const now = progress.value
    const bad = [...judgements.value.values()].filter((judged) => judged.judgement).sort((a, b) => a.ply - b.ply)
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
                    <button type="button" class="primary" onClick={() => void judge(ai, limit.value)} disabled={!ai}>
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
            {reportFault.value && <p class="fault-words">{reportFault.value}</p>}
            {judgements.value.size > 0 && (
                <>
                    <div class="cards two">
                        <Side color="white" />
                        <Side color="black" />
                    </div>
                    {report.value && bad.length === 0 && <p class="hint">No inaccuracies, mistakes or blunders.</p>}
                    <ol class="bad-moves">
                        {bad.map((judged) => (
                            <Bad key={judged.ply} judged={judged} />
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
