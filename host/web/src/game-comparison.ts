// Scores of a whole game by several AIs, with one report each.

import { signal } from "@preact/signals"
import { aiName } from "./ais"
import { report } from "./api"
import type { Limit } from "./api"
import { errorMessage } from "./format"
import { gameForm, gameNumber, idAfter, plies } from "./game"
import { begin, end } from "./one-analysis"
import { setScore } from "./scores"
import { texts } from "./texts/board"

export const progress = signal<{ done: number; of: number } | null>(null)
export const comparisonError = signal<string | null>(null)
let activeRequest: AbortController | null = null

gameNumber.subscribe(stopComparison)

export function stopComparison(): void {
    activeRequest?.abort()
    activeRequest = null
    progress.value = null
    comparisonError.value = null
}

export async function compareGame(ids: readonly string[], limit: Limit | null): Promise<void> {
    stopComparison()
    const analysis = begin(
        () => texts.analysis.comparison(progress.value?.done ?? 0, progress.value?.of ?? 0),
        stopComparison,
    )
    const controller = new AbortController()
    activeRequest = controller
    const count = plies.value.length
    const nodes = Array.from({ length: count + 1 }, (_, ply) => idAfter(ply))
    progress.value = { done: 0, of: count * ids.length }
    const judge = (ai: string) =>
        report(
            { game: gameForm(count), ai, ...(limit ? { limit } : {}) },
            (record) => {
                if (record.type !== "judged" || activeRequest !== controller) return
                setScore(nodes[record.ply - 1] ?? null, record.score, ai)
                setScore(nodes[record.ply] ?? null, record.score_after, ai)
                if (progress.value)
                    progress.value = { ...progress.value, done: progress.value.done + 1 }
            },
            controller.signal,
        ).catch((error: unknown) => {
            if (activeRequest === controller)
                comparisonError.value = errorMessage(aiName(ai), error)
        })
    await Promise.all(ids.map(judge))
    end(analysis)
    if (activeRequest === controller) progress.value = null
}
