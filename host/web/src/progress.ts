// The progress and result of one search.

import type { BestMove, Line, Score, StreamRecord } from "./api"
import type { Moves } from "./game"

export interface SearchProgress {
    ai: string
    /** The moves that led to the searched position. */
    game: Moves
    depth: number
    nodes: number
    nps: number
    timeMs: number
    score: Score | null
    lines: Line[]
    done: boolean
}

/** Returns the progress of a new search. */
export const newProgress = (ai: string, game: Moves): SearchProgress => ({
    ai,
    game,
    depth: 0,
    nodes: 0,
    nps: 0,
    timeMs: 0,
    score: null,
    lines: [],
    done: false,
})

/** Returns the progress updated by an `info` record. */
export function withInfo(progress: SearchProgress, record: StreamRecord<BestMove>): SearchProgress {
    if (record.type !== "info") return progress
    const { depth, nodes, nps, time_ms: timeMs, score, pv, san } = record
    return {
        ...progress,
        depth,
        nodes,
        nps,
        timeMs,
        score,
        lines: record.lines ?? [{ score, depth, pv, san }],
        done: false,
    }
}

type Result = Pick<BestMove, "search" | "score">

/**
 * Returns the score of a result; null if no search found it, as for a book move. The host's reports
 * follow the same rule.
 */
export const scoreOfResult = ({ score, search }: Partial<Result>): Score | null => {
    if (!score || !search || !("cp" in score)) return score ?? null
    const { depth, nodes, stopped_by: end } = search
    const isGuess = nodes <= 1 && (depth === 0 || (depth === 1 && end === "ai"))
    return isGuess || (depth === 0 && score.cp === 0) ? null : score
}

/** Returns the progress completed by the result. */
export function withResult(progress: SearchProgress, result: Result): SearchProgress {
    const { depth, nodes, time_ms: timeMs, pv, san, lines: found } = result.search
    const known = scoreOfResult(result)
    // A last iteration that was cut short may change the score, but has no line.
    const score = known && (found?.[0]?.score ?? known)
    const lines = found ?? [{ score, depth, pv, san }]
    const nps = timeMs > 0 ? Math.round((nodes * 1000) / timeMs) : 0
    return { ...progress, depth, nodes, nps, timeMs, score, lines, done: true }
}

/** A search's counts. */
export type Counted = Pick<SearchProgress, "nodes" | "timeMs">

/** Adds lines that begin with different moves, up to the requested number of lines. */
function filled(lines: readonly Line[], further: readonly Line[], wanted: number): Line[] {
    const first = new Set(lines.map(({ pv }) => pv[0]))
    return [...lines, ...further.filter(({ pv }) => !first.has(pv[0]))].slice(0, wanted)
}

/** Returns the progress with at most this number of lines. */
export const withLines = (progress: SearchProgress, wanted: number): SearchProgress => ({
    ...progress,
    lines: progress.lines.slice(0, wanted),
})

/**
 * Returns what to show for a search that continues an earlier one: its own result once it is as
 * deep, and until then the earlier lines. The counts are added up.
 */
export function deepest(
    shown: SearchProgress,
    next: SearchProgress,
    before: Counted,
    wanted: number,
): SearchProgress {
    const counted = {
        nodes: before.nodes + next.nodes,
        timeMs: before.timeMs + next.timeMs,
        nps: next.nps,
        done: next.done,
    }
    const isDeeper = next.depth >= shown.depth && next.lines.length > 0
    const [first, further] = isDeeper ? [next, shown] : [shown, next]
    const { depth, score } = first
    return { ...shown, ...counted, depth, score, lines: filled(first.lines, further.lines, wanted) }
}
