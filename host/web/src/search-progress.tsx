// The progress and result of a search: depth, nodes, speed, time and lines.

import { aiName } from "./ais"
import type { Limit, Line } from "./api"
import type { Moves } from "./game"
import type { SearchProgress } from "./progress"
import { PvLine } from "./preview"
import { formatCount, formatScore, formatTime, sanText } from "./format"
import { texts } from "./texts/board"

/**
 * Returns the share of the search limit that has been used, from 0 to 1; null for an unlimited or
 * finished search.
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

/** Returns the depth and the time of a search. If one of them is limited, the limit follows it. */
export function depthText({ depth, timeMs }: SearchProgress, limit: Limit | null): string {
    if (depth === 0) return ""
    const target = limit && "depth" in limit ? `/${limit.depth}` : ""
    const most = limit && "movetime_ms" in limit ? ` / ${formatTime(limit.movetime_ms)}` : ""
    // The unit appears only once.
    const time = most ? formatTime(timeMs).replace(/ s$/, "") : formatTime(timeMs)
    return `${texts.analysis.atDepth(`${depth}${target}`)} · ${time}${most}`
}

/** Returns the number of searched positions, and the number per second. */
export const speedText = ({ nodes, nps }: SearchProgress): string =>
    `${formatCount(nodes)} ${texts.analysis.positions}, ${formatCount(nps)} ${texts.analysis.speed}`

/** A line has no room for more moves. */
const shownMoves = 14

interface LinesProps {
    game: Moves
    lines: Line[]
    /** The number of lines to reserve room for, to avoid shifts. */
    rows: number
    /** Adds a line to the game. */
    add?: (pv: string[]) => void
}

export function Lines({ game, lines, rows, add }: LinesProps) {
    const style = { "--rows": rows }
    if (lines.length === 0) return <div class="lines" style={style} />
    return (
        <ol class="lines" style={style}>
            {lines.map((line, index) => (
                <li key={index}>
                    <span class="score">{formatScore(line.score)}</span>
                    <PvLine
                        game={game}
                        pv={line.pv.slice(0, shownMoves)}
                        san={line.san.slice(0, shownMoves)}
                    />
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
