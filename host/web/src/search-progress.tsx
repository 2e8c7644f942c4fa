// The progress and result of a search: depth, nodes, speed, time and lines.

import { aiName } from "./ais"
import type { Limit, Line } from "./api"
import type { Moves } from "./game"
import type { SearchProgress } from "./progress"
import { PvLine } from "./preview"
import { formatCount, formatScore, formatTime, sanText } from "./format"
import { texts } from "./texts/board"

/**
 * Returns the used share of the search limit, 0 to 1; null if there is no limit or the search is
 * finished.
 */
function limitShare(progress: SearchProgress, limit: Limit | null): number | null {
    if (!limit || progress.done) return null
    if ("depth" in limit) return progress.depth / limit.depth
    if ("nodes" in limit) return progress.nodes / limit.nodes
    return progress.timeMs / limit.movetime_ms
}

export function SearchProgressView({
    progress,
    limit,
}: {
    progress: SearchProgress
    limit: Limit | null
}) {
    const share = limitShare(progress, limit)
    return (
        <section
            class="search-progress"
            aria-label={texts.analysis.of(aiName(progress.ai))}
            data-testid="thought"
        >
            <header>
                <strong>{texts.analysis.of(aiName(progress.ai))}</strong>
                <span class="muted">
                    {progress.done
                        ? progress.depth > 0
                            ? texts.analysis.finished
                            : ""
                        : texts.analysis.searching}
                </span>
                {!progress.done && <span class="pulse" aria-hidden="true" />}
            </header>
            {share !== null && (
                <progress
                    max={1}
                    value={Math.min(1, share)}
                    aria-label={texts.analysis.limitUsed}
                />
            )}
            <Figures {...progress} />
            <Lines game={progress.game} lines={progress.lines} rows={1} />
        </section>
    )
}

interface FiguresProps {
    depth: number
    nodes: number
    nps: number
    timeMs: number
}

export function Figures({ depth, nodes, nps, timeMs }: FiguresProps) {
    const figures = [
        [texts.analysis.depth, String(depth)],
        [texts.analysis.positions, formatCount(nodes)],
        [texts.analysis.speed, nps > 0 ? formatCount(nps) : "–"],
        [texts.analysis.time, formatTime(timeMs)],
    ]
    return (
        <dl class="figures">
            {figures.map(([name, value]) => (
                <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                </div>
            ))}
        </dl>
    )
}

interface LinesProps {
    game: Moves
    lines: Line[]
    /** The number of lines that have a place, so that nothing moves when they are found. */
    rows: number
    /** Adds a line to the game. */
    add?: (pv: string[]) => void
}

export function Lines({ game, lines, rows, add }: LinesProps) {
    const count = Math.max(rows, lines.length)
    if (lines.length === 0)
        return (
            <div
                class={`lines rows-${count === 1 ? "one" : "several"}`}
                style={{ "--rows": count }}
            />
        )
    return (
        <ol class={`lines rows-${count === 1 ? "one" : "several"}`} style={{ "--rows": count }}>
            {lines.map((line, index) => (
                <li key={index}>
                    <span class="score">{formatScore(line.score)}</span>
                    <PvLine game={game} pv={line.pv} san={line.san} />
                    {add && (
                        <button
                            type="button"
                            class="add-line"
                            aria-label={texts.analysis.addMove(line.san[0] && sanText(line.san[0]))}
                            title={texts.analysis.addLine}
                            onClick={() => add(line.pv)}
                        >
                            +
                        </button>
                    )}
                </li>
            ))}
        </ol>
    )
}
