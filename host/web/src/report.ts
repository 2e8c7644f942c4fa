// The game report: every move classified by an AI.

import { signal } from "@preact/signals"
import { aiName } from "./ais"
import { report as requestReport } from "./api"
import type { Limit, MoveReport, Report } from "./api"
import { gameForm, gameNumber, plies, setScore } from "./game"
import { errorMessage } from "./format"

export const moveReports = signal<ReadonlyMap<number, MoveReport>>(new Map())
export const report = signal<Report | null>(null)
export const progress = signal<{ done: number; of: number } | null>(null)
export const reportError = signal<string | null>(null)
const activeRequest = signal<AbortController | null>(null)

/** Clears the report when the game or its moves change. */
gameNumber.subscribe(forget)
plies.subscribe((moves) => {
    const other = [...moveReports.peek().values()].some((entry) => moves[entry.ply - 1]?.uci !== entry.move.uci)
    if (other) forget()
})

function forget(): void {
    activeRequest.peek()?.abort()
    moveReports.value = new Map()
    report.value = null
    progress.value = null
    reportError.value = null
}

export function stopReport(): void {
    activeRequest.value?.abort()
    progress.value = null
}

export async function analyseGame(ai: string, limit: Limit | null): Promise<void> {
    forget()
    const controller = new AbortController()
    activeRequest.value = controller
    const count = plies.value.length
    progress.value = { done: 0, of: count }
    const request = { game: gameForm(count), ai, ...(limit ? { limit } : {}) }
    const addMove = (entry: MoveReport) => {
        moveReports.value = new Map(moveReports.value).set(entry.ply, entry)
        setScore(entry.ply - 1, entry.score)
        setScore(entry.ply, entry.score_after)
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
    }
    if (activeRequest.value === controller) progress.value = null
}
