// The analysis of the current position by one or several AIs. It follows the position while its
// panel is open and it is switched on.

import { batch, computed, effect, signal, untracked } from "@preact/signals"
import { aiIds, aiName, ais, strongestAi } from "./ais"
import { bestMove, Problem, stream } from "./api"
import type { Answer, BestMove, Comparison, StreamRecord } from "./api"
import { addLine, endId, gameForm, gameNumber, nodeAfter, status, tree } from "./game"
import type { Moves } from "./game"
import { longestMs } from "./fields"
import { begin, end, running } from "./one-analysis"
import type { Running } from "./one-analysis"
import { optionsOf } from "./options"
import { playedMoves } from "./played-moves"
import { userPlaysBoth } from "./players"
import { deepest, newProgress, withInfo, withLines, withResult } from "./progress"
import type { Counted, SearchProgress } from "./progress"
import { setAnalysed, setScore } from "./scores"
import { switches } from "./switches"
import { errorMessage } from "./format"
import { texts } from "./texts/board"

const { analysts, analysisLimit: limit, analyseVisited: isOn } = switches

/** The AIs that analyse: the user's choices that the server still has, or the strongest AI. */
export const chosen = computed<ReadonlySet<string>>(() => {
    const listed = aiIds.value
    const wanted = analysts.value
    // The server's list is empty until it has loaded.
    if (wanted && (wanted.length === 0 || listed.length === 0)) return new Set(wanted)
    const known = wanted?.filter((id) => listed.includes(id)) ?? []
    return new Set(known.length > 0 ? known : strongestAi.value ? [strongestAi.value] : [])
})

/** The maximum number of lines to select: as many as a chosen AI can find, but at most 8. */
export const mostLines = computed(() => {
    const found = ais.value.filter((ai) => chosen.value.has(ai.id))
    if (found.length === 0) return 8
    return Math.min(8, Math.max(1, ...found.map((ai) => ai.capabilities.lines)))
})
/** The number of lines per AI. If several AIs are chosen, each finds one line. */
export const lineCount = computed(() =>
    chosen.value.size > 1 ? 1 : Math.min(switches.analysisLines.value, mostLines.value),
)

export function toggle(id: string): void {
    const next = new Set(chosen.value)
    if (!next.delete(id)) next.add(id)
    analysts.value = [...next]
}

export const searches = signal<ReadonlyMap<string, SearchProgress>>(new Map())
export const errors = signal<ReadonlyMap<string, string>>(new Map())
export const agreement = signal<Comparison["agreement"]>([])
/** The last answer as the server sent it. */
export const lastReply = signal<object | null>(null)

/** The running search: what it asks for, and how to stop it. */
interface Active {
    controller: AbortController
    asked: string
    entry: Running
}
const active = signal<Active | null>(null)
export const isSearching = computed(() => active.value !== null)

/** Results for recently visited positions. `asked` is null until the request is answered. */
const visited = new Map<string, { progress: SearchProgress; asked: string | null }>()
const mostVisited = 50
const visitedKey = (id: string, { fen, moves }: Moves) =>
    [id, JSON.stringify(optionsOf(id)), fen, ...moves].join(" ")

function keep(progress: SearchProgress, asked: string | null): void {
    const key = visitedKey(progress.ai, progress.game)
    visited.delete(key)
    visited.set(key, { progress, asked })
    const [oldest] = visited.keys()
    if (visited.size > mostVisited && oldest !== undefined) visited.delete(oldest)
}

/** Drops analyses of positions that are no longer in the game. */
tree.subscribe(() => {
    const [progress] = searches.peek().values()
    if (!progress || nodeAfter(progress.game) !== null) return
    stop()
    batch(() => {
        searches.value = new Map()
        errors.value = new Map()
        agreement.value = []
    })
})

/** Updates an AI's progress. The bar and the graph show the first AI's score. */
function update(id: string, change: (progress: SearchProgress) => SearchProgress): void {
    const before = searches.peek().get(id)
    if (!before) return
    const after = change(before)
    const [first] = searches.peek().keys()
    batch(() => {
        searches.value = new Map(searches.peek()).set(id, after)
        if (after.score !== before.score)
            setAnalysed(nodeAfter(after.game), after.score, id, id === first)
    })
}

const setError = (id: string, error: unknown) => {
    errors.value = new Map(errors.peek()).set(id, errorMessage(aiName(id), error))
    update(id, (progress) => ({ ...progress, done: true }))
}

/** Saves the scores with the game. */
function storeScores(): void {
    // The first AI comes last, because the last score written is the position's score.
    for (const { ai, game, score } of [...searches.peek().values()].toReversed())
        setScore(nodeAfter(game), score, ai)
}

/** The limit of the analysis; null if it runs until the user stops it. */
export const shownLimit = computed(() => {
    const now = limit.value
    const isEndless =
        now && "movetime_ms" in now && now.movetime_ms === longestMs([...chosen.value])
    return isEndless ? null : now
})
const isEndless = () => limit.peek() !== null && shownLimit.peek() === null

interface Request {
    game: Moves
    limit?: unknown
    lines?: number
}

/** Analyses the current position. Earlier lines stay until the new search reaches their depth. */
async function analyse(): Promise<void> {
    const ids = [...chosen.value]
    const game = gameForm()
    const wanted = lineCount.value
    const asked = JSON.stringify([ids, ids.map(optionsOf), game, limit.value, wanted])
    if (active.peek()?.asked === asked) return
    stop()
    const known = ids.map((id) => visited.get(visitedKey(id, game)))
    const shown = ids.map((id, index) =>
        withLines(known[index]?.progress ?? newProgress(id, game), wanted),
    )
    const isAnswered = ids.length === 1 && known[0]?.asked === asked
    const controller = new AbortController()
    batch(() => {
        searches.value = new Map(shown.map((progress) => [progress.ai, progress]))
        errors.value = new Map()
        agreement.value = []
        for (const { ai, score } of shown) setAnalysed(nodeAfter(game), score, ai, ai === ids[0])
        if (isAnswered) return
        for (const id of ids) update(id, (progress) => ({ ...progress, done: false }))
        active.value = { controller, asked, entry: begin(nameOf(ids), stop) }
    })
    if (isAnswered) return
    const request = {
        game,
        ...(limit.value ? { limit: limit.value } : {}),
        ...(wanted > 1 ? { lines: wanted } : {}),
    }
    const isLast = await searchOn(ids, request, controller.signal)
    if (controller.signal.aborted) return
    for (const progress of searches.peek().values()) keep(progress, isLast ? asked : null)
    end(active.peek()?.entry ?? null)
    active.value = null
}

const nameOf = (ids: readonly string[]) => () =>
    texts.analysis.of(ids.map((id) => aiName(id)).join(", "))

/**
 * Searches until the limit is reached or the user stops the analysis. The server limits how long
 * one search may take, so an endless analysis is a series of searches. Returns whether the AIs
 * answered.
 */
async function searchOn(ids: string[], request: Request, signal: AbortSignal): Promise<boolean> {
    const search = ids.length === 1 ? analyseWithOne : compare
    try {
        while (await search(ids, request, signal)) {
            storeScores()
            if (!isEndless()) return true
        }
        if (!signal.aborted) storeScores()
        return true
    } catch (error) {
        if (!signal.aborted) for (const id of ids) setError(id, error)
        return false
    }
}

/** Returns the counts of an AI's earlier searches. */
const countedBefore = (id: string): Counted => {
    const { nodes = 0, timeMs = 0 } = searches.peek().get(id) ?? {}
    return { nodes, timeMs }
}

/** Runs one search by one AI. Returns whether another search could continue it. */
async function analyseWithOne(
    [ai = ""]: string[],
    request: Request,
    signal: AbortSignal,
): Promise<boolean> {
    const before = countedBefore(ai)
    const wanted = request.lines ?? 1
    const reply = await bestMove(
        { ...request, ai, analysis: true },
        (record: StreamRecord<BestMove>) =>
            update(ai, (progress) => deepest(progress, withInfo(progress, record), before, wanted)),
        signal,
    )
    if (signal.aborted) return false
    lastReply.value = reply
    update(ai, (progress) => deepest(progress, withResult(progress, reply), before, wanted))
    return reply.search?.stopped_by === "movetime"
}

/** Runs one search by each AI. Returns whether other searches could continue any of them. */
async function compare(ids: string[], request: Request, signal: AbortSignal): Promise<boolean> {
    const before = new Map(ids.map((id) => [id, countedBefore(id)]))
    const merge = (id: string, next: (progress: SearchProgress) => SearchProgress) =>
        update(id, (progress) =>
            deepest(progress, next(progress), before.get(id) ?? { nodes: 0, timeMs: 0 }, 1),
        )
    const store = ({ ai, error, move, score, search }: Answer) => {
        if (error) setError(ai.id, new Problem(error, null))
        else if (move && score && search)
            merge(ai.id, (progress) => withResult(progress, { score, search }))
    }
    const onRecord = (record: StreamRecord<Comparison>) => {
        if (record.type === "info" && record.ai)
            merge(record.ai, (progress) => withInfo(progress, record))
        if (record.type === "answer") store(record)
    }
    const body = { ...request, ais: ids }
    const reply = await stream<Comparison>("/v1/compare", body, onRecord, signal)
    if (signal.aborted) return false
    batch(() => {
        lastReply.value = reply
        agreement.value = reply.agreement
    })
    return reply.answers.some(({ search }) => search?.stopped_by === "movetime")
}

/** Analyses each shown position while the analysis is on. Returns a function that stops it. */
export function followPosition(): () => void {
    const stopFollowing = effect(() => {
        const state = status.value?.state
        const isOther = running.value !== null && running.value !== active.peek()?.entry
        void [gameNumber.value, lineCount.value, limit.value, ...[...chosen.value].map(optionsOf)]
        // The host has not answered yet.
        if (isOn.value && state === undefined) return
        if (!isOn.value || chosen.value.size === 0 || state !== "in_progress")
            return untracked(stop)
        if (!isOther) untracked(() => void analyse())
    })
    return () => {
        stopFollowing()
        stop()
    }
}

/** Switches the analysis on or off. Switching it on stops any other analysis. */
export function switchAnalysis(on: boolean): void {
    batch(() => {
        if (on) running.peek()?.stop()
        isOn.value = on
    })
}

/** Stops the search and keeps its results. */
export function stop(): void {
    const now = active.peek()
    if (!now) return
    now.controller.abort()
    batch(() => {
        active.value = null
        end(now.entry)
        const found = [...searches.peek()].map(
            ([id, progress]) => [id, { ...progress, done: true }] as const,
        )
        searches.value = new Map(found)
        for (const [, progress] of found) keep(progress, null)
        storeScores()
    })
}

/** The results of the last analysis, in a form that can be stored. */
export type AnalysesState = [string, SearchProgress][]
export const analysesState = (): AnalysesState =>
    [...searches.value].map(([id, progress]) => [id, { ...progress, done: true }])

export function setAnalyses(state: AnalysesState): void {
    stop()
    batch(() => {
        searches.value = new Map(state)
        for (const [, progress] of state) keep(progress, null)
        lastReply.value = null
        errors.value = new Map()
        agreement.value = []
    })
}

/**
 * Whether a line can be added. At the end of a running game with an AI, the line's moves would
 * count as played.
 */
export const mayAdd = (game: Moves): boolean =>
    userPlaysBoth.value || nodeAfter(game) !== endId.value

/** Adds a line from an analysis to the game, after the analysed position. */
export async function addToGame(game: Moves, pv: string[]): Promise<void> {
    const moves = await playedMoves({ fen: game.fen, moves: [...game.moves, ...pv] })
    const node = nodeAfter(game)
    if (node !== null) addLine(node, moves.slice(game.moves.length))
}

export { active as activeRequest, analyse }
export const analyseIfNew = () => void analyse()
