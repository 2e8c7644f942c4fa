// The report on a game, which the page calls a review: an AI judges every move.

import { batch, computed, signal } from "@preact/signals"
import { aiIds, aiName, strongestAi } from "./ais"
import { report as requestReport } from "./api"
import type { Limit, MoveReport, Report, Score } from "./api"
import {
    cursor,
    endId,
    gameNumber,
    goTo,
    goToNode,
    line,
    plies,
    startFen,
    tree,
    turnAfter,
} from "./game"
import { begin, end } from "./one-analysis"
import { judge, setScore } from "./scores"
import { errorMessage } from "./format"
import { switches } from "./switches"
import { texts } from "./texts/board"
import { isMain, lineThrough, nodeOf, rootId } from "./tree"

/** The AI that reports: the user's choice, or the strongest AI. */
export const reportAi = computed(() =>
    aiIds.value.includes(switches.reportBy.value)
        ? switches.reportBy.value
        : (strongestAi.value ?? ""),
)

/** The move reports by node id. */
export const reportsById = signal<ReadonlyMap<number, MoveReport>>(new Map())
/** The move reports of the current line, by ply. */
export const moveReports = computed<ReadonlyMap<number, MoveReport>>(() => {
    const known = plies.value.map(
        ({ id }, index) => [index + 1, reportsById.value.get(id)] as const,
    )
    return new Map(known.filter((entry): entry is [number, MoveReport] => entry[1] !== undefined))
})
export const reportOf = (id: number): MoveReport | undefined => reportsById.value.get(id)

/** Whether the opponent can now mate in one, and a different move would have prevented it. */
function allowsMateInOne({ ply, score, score_after: after }: MoveReport): boolean {
    const mate = turnAfter(ply - 1) === "white" ? -1 : 1
    const isMate = (known: Score | null) => known !== null && "mate" in known && known.mate === mate
    return isMate(after) && !isMate(score)
}

/** A move report with the node after its move. */
export type ReportedNode = MoveReport & { node: number }

/** The moves of the report in order, whatever line the board shows. */
export const reported = computed<ReportedNode[]>(() =>
    [...reportsById.value]
        .filter(([node]) => tree.value.has(node))
        .map(([node, entry]) => ({ ...entry, node }))
        .sort((a, b) => a.ply - b.ply),
)
/** The moments where the game turned: bad moves, and moves that allow a mate in one. */
export const moments = computed(() =>
    reported.value.filter((entry) => entry.judgement !== null || allowsMateInOne(entry)),
)
/** The last theory move. */
export const lastOfTheory = computed(() => reported.value.findLast((entry) => entry.opening))
export const report = signal<Report | null>(null)
/** The last position of the reported line. */
export const reportEnd = signal<number | null>(null)
export const progress = signal<{ done: number; of: number } | null>(null)
export const reportError = signal<string | null>(null)
const activeRequest = signal<AbortController | null>(null)

/** Clears the report of the previous game. */
gameNumber.subscribe(forget)

function forget(): void {
    activeRequest.peek()?.abort()
    reportsById.value = new Map()
    report.value = null
    reportEnd.value = null
    judge.value = null
    progress.value = null
    reportError.value = null
}

export function stopReport(): void {
    activeRequest.value?.abort()
    progress.value = null
}

/** Reports on a line of the game, given as its nodes from the root. */
export async function analyseGame(
    ai: string,
    limit: Limit | null,
    ids: readonly number[],
): Promise<void> {
    forget()
    const analysis = begin(
        () => texts.analysis.review(progress.value?.done ?? 0, progress.value?.of ?? 0),
        stopReport,
    )
    const controller = new AbortController()
    activeRequest.value = controller
    const moves = ids.slice(1).map((id) => nodeOf(tree.value, id).uci)
    batch(() => {
        judge.value = ai
        reportEnd.value = ids[ids.length - 1] ?? null
        progress.value = { done: 0, of: moves.length }
    })
    const request = { game: { fen: startFen.value, moves }, ai, ...(limit ? { limit } : {}) }
    const addMove = (entry: MoveReport) => {
        const [before, after] = [ids[entry.ply - 1] ?? null, ids[entry.ply] ?? null]
        if (after !== null) reportsById.value = new Map(reportsById.value).set(after, entry)
        setScore(before, entry.score, ai)
        setScore(after, entry.score_after, ai)
    }
    try {
        const whole = await requestReport(
            request,
            (record) => {
                if (record.type !== "judged" || controller.signal.aborted) return
                addMove(record)
                progress.value = { done: record.done, of: record.of }
            },
            controller.signal,
        )
        if (controller.signal.aborted) return
        whole.moves.forEach(addMove)
        report.value = whole
    } catch (error) {
        if (!controller.signal.aborted) reportError.value = errorMessage(aiName(ai), error)
    } finally {
        end(analysis)
    }
    if (activeRequest.value === controller) progress.value = null
}

/** Whether the current line leaves the main line. */
export const isVariation = computed(() => !isMain(tree.value, endId.value))

const mainLine = () => lineThrough(tree.value, rootId)

/** Whether the whole main line has a report. */
export const isReviewed = computed(
    () => report.value !== null && reportEnd.value === mainLine().at(-1),
)

/** Reports on the main line if it has moves and no report. */
export function beginReview(): void {
    const hasMoves = mainLine().length > 1
    if (hasMoves && !report.value && !progress.value && reportAi.value) void reviewGame()
}

/** Reports on the main line, and shows the report. */
export function reviewGame(): Promise<void> {
    const main = mainLine()
    const shared = line.value.findLastIndex((id, ply) => main[ply] === id)
    if (isVariation.value) {
        const at = Math.min(cursor.value, shared)
        goToNode(main[main.length - 1] ?? rootId)
        goTo(at)
    }
    return analyseGame(reportAi.value, switches.reportLimit.value, main)
}

export interface ReportState {
    moves: [number, MoveReport][]
    whole: Report | null
    end: number | null
}

/** Returns the report in a form that can be stored. */
export const reportState = (): ReportState => ({
    moves: [...reportsById.value],
    whole: report.value,
    end: reportEnd.value,
})

export function setReport({ moves, whole, end }: ReportState): void {
    // Older versions of the page stored reports without claims.
    reportsById.value = new Map(
        moves.map(([id, entry]) => [id, { ...entry, claims: entry.claims ?? [] }]),
    )
    report.value = whole
    reportEnd.value = end
}
