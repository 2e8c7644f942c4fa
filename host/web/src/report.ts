// The game report: every move classified by an AI.

import { signal } from "@preact/signals"
import { aiName } from "./ais"
import { report as askForReport } from "./api"
import type { Judged, Limit, Report } from "./api"
import { gameForm, gameNumber, plies, setScore } from "./game"
import { faultInWords } from "./words"

export const judgements = signal<ReadonlyMap<number, Judged>>(new Map())
export const report = signal<Report | null>(null)
export const progress = signal<{ done: number; of: number } | null>(null)
export const reportFault = signal<string | null>(null)
const judging = signal<AbortController | null>(null)

/** Clears the report when the game or its moves change. */
gameNumber.subscribe(forget)
plies.subscribe((moves) => {
    const other = [...judgements.peek().values()].some((judged) => moves[judged.ply - 1]?.uci !== judged.move.uci)
    if (other) forget()
})

function forget(): void {
    judging.peek()?.abort()
    judgements.value = new Map()
    report.value = null
    progress.value = null
    reportFault.value = null
}

export function stopReport(): void {
    judging.value?.abort()
    progress.value = null
}

export async function judge(ai: string, limit: Limit | null): Promise<void> {
    forget()
    const mine = new AbortController()
    judging.value = mine
    const count = plies.value.length
    progress.value = { done: 0, of: count }
    const question = { game: gameForm(count), ai, ...(limit ? { limit } : {}) }
    const hear = (judged: Judged) => {
        judgements.value = new Map(judgements.value).set(judged.ply, judged)
        setScore(judged.ply - 1, judged.score)
        setScore(judged.ply, judged.score_after)
    }
    try {
        const whole = await askForReport(
            question,
            (record) => {
                if (record.type !== "judged" || mine.signal.aborted) return
                hear(record)
                progress.value = { done: record.done, of: record.of }
            },
            mine.signal,
        )
        if (mine.signal.aborted) return
        whole.moves.forEach(hear)
        report.value = whole
    } catch (error) {
        if (!mine.signal.aborted) reportFault.value = faultInWords(aiName(ai), error)
    }
    if (judging.value === mine) progress.value = null
}
