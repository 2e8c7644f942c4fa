// Analyses of the current position by one or several AIs.

import { batch, computed, effect, signal, untracked } from "@preact/signals"
import { aiIds, aiName, strongestAi } from "./ais"
import { bestMove, Problem, stream } from "./api"
import type { Answer, BestMove, Comparison, Score, StreamRecord } from "./api"
import { addLine, endId, gameForm, gameNumber, isCurrent, nodeAfter, status, tree } from "./game"
import type { Moves } from "./game"
import { playedMoves } from "./played-moves"
import { userPlaysBoth } from "./players"
import { newProgress, scoreOfResult, withInfo, withResult } from "./progress"
import type { SearchProgress } from "./progress"
import { setScore } from "./scores"
import { switches } from "./switches"
import { longestMs } from "./fields"
import { errorMessage } from "./format"

const { analysts, analysisLimit: limit, analysisLines: lines } = switches
/**
 * The AIs that analyse: those that the user chose and the server has, otherwise the strongest one.
 */
export const chosen = computed<ReadonlySet<string>>(() => {
    const listed = aiIds.value
    const wanted = analysts.value
    // The list is empty until it has arrived.
    if (wanted && (wanted.length === 0 || listed.length === 0)) return new Set(wanted)
    const known = wanted?.filter((id) => listed.includes(id)) ?? []
    return new Set(known.length > 0 ? known : strongestAi.value ? [strongestAi.value] : [])
})
export const searches = signal<ReadonlyMap<string, SearchProgress>>(new Map())
export const errors = signal<ReadonlyMap<string, string>>(new Map())
export const agreement = signal<Comparison["agreement"]>([])
/** The last answer as it was sent. */
export const lastReply = signal<object | null>(null)
export const activeRequest = signal<AbortController | null>(null)
/** Whether the analysis goes on until it is stopped; it then follows the position. */
export const isEndless = signal(false)
/** Removes the analyses when the game no longer contains their position. */
tree.subscribe(() => {
    const [progress] = searches.peek().values()
    if (!progress || nodeAfter(progress.game) !== null) return
    activeRequest.peek()?.abort()
    batch(() => {
        activeRequest.value = null
        searches.value = new Map()
        errors.value = new Map()
        agreement.value = []
    })
})

export function toggle(id: string): void {
    const next = new Set(chosen.value)
    if (!next.delete(id)) next.add(id)
    analysts.value = [...next]
}

/**
 * Whether a search goes on with what the search before has found, and shows it until it is as deep
 * itself.
 */
let continues = false

const updateProgress = (id: string, change: (progress: SearchProgress) => SearchProgress) => {
    const before = searches.value.get(id)
    if (!before) return
    const after = change(before)
    const shown = continues && after.depth < before.depth ? { ...before, done: after.done } : after
    searches.value = new Map(searches.value).set(id, shown)
}
const shownScore = (id: string, found: Score | null | undefined) =>
    searches.value.get(id)?.score ?? found
const setError = (id: string, error: unknown) => {
    errors.value = new Map(errors.value).set(id, errorMessage(aiName(id), error))
    updateProgress(id, (progress) => ({ ...progress, done: true }))
}

export async function analyse(): Promise<void> {
    activeRequest.value?.abort()
    const controller = new AbortController()
    const ids = [...chosen.value]
    const game = gameForm()
    batch(() => {
        activeRequest.value = controller
        isEndless.value =
            limit.value !== null &&
            "movetime_ms" in limit.value &&
            limit.value.movetime_ms === longestMs(ids)
        searches.value = new Map(ids.map((id) => [id, newProgress(id, game)]))
        errors.value = new Map()
        agreement.value = []
        lastReply.value = null
    })
    const request = {
        game,
        ...(limit.value ? { limit: limit.value } : {}),
        ...(lines.value > 1 ? { lines: lines.value } : {}),
    }
    try {
        continues = false
        const search = () =>
            ids.length === 1
                ? analyseWithOne(ids[0] ?? "", request, controller.signal)
                : compare(ids, request, controller.signal)
        // The server limits the time of a search, not that of the user.
        while ((await search()) && isEndless.value && !controller.signal.aborted) continues = true
    } catch (error) {
        if (controller.signal.aborted) return
        for (const id of ids) setError(id, error)
        isEndless.value = false
    }
    if (activeRequest.value === controller) activeRequest.value = null
}

export function analyseIfNew(): void {
    const [progress] = searches.value.values()
    if (!progress || !isCurrent(progress.game)) void analyse()
}

/** Returns whether the search could go on. */
async function analyseWithOne(
    ai: string,
    request: { game: Moves },
    signal: AbortSignal,
): Promise<boolean> {
    const onRecord = (record: StreamRecord<BestMove>) =>
        updateProgress(ai, (progress) => withInfo(progress, record))
    const reply = await bestMove({ ...request, ai, analysis: true }, onRecord, signal)
    if (signal.aborted) return false
    lastReply.value = reply
    updateProgress(ai, (progress) => withResult(progress, reply))
    setScore(nodeAfter(request.game), shownScore(ai, scoreOfResult(reply)), ai)
    return reply.search?.stopped_by === "movetime"
}

/** Returns whether any of the searches could go on. */
async function compare(
    ids: string[],
    request: { game: Moves },
    signal: AbortSignal,
): Promise<boolean> {
    const onRecord = (record: StreamRecord<Comparison>) => {
        if (record.type === "info" && record.ai)
            updateProgress(record.ai, (progress) => withInfo(progress, record))
        if (record.type === "answer") storeAnswer(record)
    }
    const reply = await stream<Comparison>(
        "/v1/compare",
        { ...request, ais: ids },
        onRecord,
        signal,
    )
    if (signal.aborted) return false
    lastReply.value = reply
    reply.answers.forEach(storeAnswer)
    agreement.value = reply.agreement
    // The first AI last: its score is that of the position.
    for (const answer of reply.answers.toReversed()) {
        const { id } = answer.ai
        setScore(nodeAfter(request.game), shownScore(id, scoreOfResult(answer)), id)
    }
    return reply.answers.some(({ search }) => search?.stopped_by === "movetime")
}

function storeAnswer({ ai, error, move, score, search }: Answer): void {
    if (error) setError(ai.id, new Problem(error, null))
    else if (move && score && search) {
        updateProgress(ai.id, (progress) => withResult(progress, { score, search }))
    }
}

/** An analysis without an end follows the position, but not into another game. */
effect(() => {
    if (isEndless.value && status.value?.state === "in_progress") untracked(analyseIfNew)
})
gameNumber.subscribe(() => (isEndless.value = false))

export function stop(): void {
    isEndless.value = false
    activeRequest.value?.abort()
    activeRequest.value = null
    searches.value = new Map(
        [...searches.value].map(([id, progress]) => [id, { ...progress, done: true }]),
    )
}

/** The results of the last analysis as data. */
export type AnalysesState = [string, SearchProgress][]
export const analysesState = (): AnalysesState =>
    [...searches.value].map(([id, progress]) => [id, { ...progress, done: true }])

export function setAnalyses(state: AnalysesState): void {
    stop()
    batch(() => {
        searches.value = new Map(state)
        lastReply.value = null
        errors.value = new Map()
        agreement.value = []
    })
}

/**
 * Whether a line can be added: at the end of a running game with an AI it would become its moves.
 */
export const mayAdd = (game: Moves): boolean =>
    userPlaysBoth.value || nodeAfter(game) !== endId.value

/** Adds a line of an analysis to the game, after the analysed position. */
export async function addToGame(game: Moves, pv: string[]): Promise<void> {
    const moves = await playedMoves({ fen: game.fen, moves: [...game.moves, ...pv] })
    const node = nodeAfter(game)
    if (node !== null) addLine(node, moves.slice(game.moves.length))
}
