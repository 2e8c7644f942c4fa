// The players, and the moves of the AIs.

import { batch, computed, effect, signal } from "@preact/signals"
import { aiName } from "./ais"
import { bestMove } from "./api"
import type { AiName, BestMove, Color, Limit, Line, Score, StreamRecord } from "./api"
import {
    appendMove,
    applyMove,
    atEnd,
    beginsWith,
    cursor,
    gameForm,
    gameNumber,
    goTo,
    isPending,
    opposite,
    plies,
    positionInfo,
    setScore,
    startGame,
    startTurn,
    status,
    takeBack,
    turn,
} from "./game"
import type { Moves } from "./game"
import { errorMessage, resultOf } from "./format"
import type { GameResult } from "./format"

/** The user, or an AI by its id. */
export type Player = "you" | { ai: string }

export const players = signal<Record<Color, Player>>({ white: "you", black: "you" })
/** The search limit; null selects the AI's default. */
export const limit = signal<Limit | null>(null)
/** Whether an AI match is running. */
export const matchRunning = signal(false)

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
    began: number
}

/** The progress of the last search of the game. */
export const searchProgress = signal<SearchProgress | null>(null)
/** Whether an AI searches its move in the game. */
export const isSearching = computed(() => searchProgress.value !== null && !searchProgress.value.done && activeRequest.value !== null)
/** The AI that failed to move; `wasRunning` is true if an AI match was interrupted. */
export const aiError = signal<{ ai: string; color: Color; message: string; wasRunning: boolean } | null>(null)
/** The fallback AI that gave the last answer; null if the chosen AI did. */
export const fallbackAi = signal<AiName | null>(null)

/** A result by resignation or claimed draw, which the rules alone do not give. */
const declared = signal<{ game: number; plies: number; result: GameResult } | null>(null)
const activeRequest = signal<AbortController | null>(null)

/** The result by resignation or claimed draw, independent of the cursor. */
export const declaredResult = computed<GameResult | null>(() => {
    const last = declared.value
    return last && last.game === gameNumber.value && last.plies === plies.value.length ? last.result : null
})
export const result = computed<GameResult | null>(() => {
    if (declaredResult.value && atEnd.value) return declaredResult.value
    return status.value ? resultOf(status.value) : null
})
/** Whether the user plays both sides. */
export const userPlaysBoth = computed(() => players.value.white === "you" && players.value.black === "you")
export const isAiMatch = computed(() => players.value.white !== "you" && players.value.black !== "you")
export const aiToMove = computed(() => {
    const player = players.value[turn.value]
    return player === "you" ? null : player.ai
})
/** The user's side: Black only if an AI plays White. */
export const userColor = computed<Color>(() => (players.value.white !== "you" && players.value.black === "you" ? "black" : "white"))
export const userMayMove = computed(
    () => !result.value && aiToMove.value === null && positionInfo.value !== null && !isPending.value,
)

export function setPlayer(color: Color, player: Player): void {
    stopSearch()
    batch(() => {
        players.value = { ...players.value, [color]: player }
        matchRunning.value = false
        aiError.value = null
    })
}

/** Replaces the AI that failed; an interrupted AI match resumes. */
export function replaceFailedAi(player: Player): void {
    const now = aiError.peek()
    if (!now) return
    setPlayer(now.color, player)
    matchRunning.value = now.wasRunning && isAiMatch.value
}

/** Gives both sides to the user, so that no AI moves in a loaded game. */
export function setUserForBoth(): void {
    setPlayer("white", "you")
    setPlayer("black", "you")
}

export const newGame = (fen?: string) => startGame(fen)

/** Cancels the search when the moves of the game change. */
plies.subscribe(() => {
    stopSearch()
    aiError.value = null
    if (searchProgress.peek() && !beginsWith(searchProgress.peek()?.game ?? gameForm())) searchProgress.value = null
})

/** Clears the state of the previous game. */
gameNumber.subscribe(() => {
    stopSearch()
    batch(() => {
        matchRunning.value = false
        aiError.value = null
        searchProgress.value = null
        fallbackAi.value = null
    })
})

export function stopSearch(): void {
    activeRequest.peek()?.abort()
    const last = searchProgress.peek()
    batch(() => {
        activeRequest.value = null
        if (last && !last.done) searchProgress.value = last.lines.length > 0 ? { ...last, done: true } : null
    })
}

/** The number of plies that remain after an undo; null if there is nothing to undo. */
const undoTarget = computed(() => {
    const player = (count: number) => players.value[count % 2 === 0 ? startTurn.value : opposite(startTurn.value)]
    let left = plies.value.length - 1
    while (left >= 0 && player(left) !== "you" && !isAiMatch.value) left -= 1
    return left >= 0 ? left : null
})
export const canUndo = computed(() => undoTarget.value !== null)

/** Takes back the last move of the user and the reply to it; in an AI match, the last move. */
export function undo(): void {
    stopSearch()
    aiError.value = null
    matchRunning.value = false
    if (undoTarget.value !== null) takeBack(plies.value.length - undoTarget.value)
}

export function resign(): void {
    const loser = players.value[turn.value] === "you" ? turn.value : userColor.value
    endGame({ winner: opposite(loser), reason: "resignation" })
}

export function claimDraw(claim: string): void {
    endGame({ winner: null, reason: claim })
}

export function endGame(result: GameResult): void {
    stopSearch()
    matchRunning.value = false
    declared.value = { game: gameNumber.value, plies: plies.value.length, result }
}

export const startMatch = () => {
    aiError.value = null
    matchRunning.value = true
}
export const pauseMatch = () => {
    matchRunning.value = false
    stopSearch()
}
/** Requests one move from the AI to move. */
export const playOneMove = () => {
    aiError.value = null
    void requestAiMove()
}
/** Repeats the request that failed. */
export const retry = () => {
    const resumes = aiError.peek()?.wasRunning ?? false
    playOneMove()
    matchRunning.value = resumes && isAiMatch.value
}

/** Requests a move when an AI is to move at the end of the game, in a game against the user or in a running AI match. */
effect(() => {
    const due = aiToMove.value !== null && atEnd.value && positionInfo.value !== null && !result.value && !aiError.value
    if (due && activeRequest.value === null && (!isAiMatch.value || matchRunning.value)) void requestAiMove()
})

async function requestAiMove(): Promise<void> {
    const ai = aiToMove.value
    if (!ai || activeRequest.value) return
    const controller = new AbortController()
    activeRequest.value = controller
    const [ply, color] = [cursor.value, turn.value]
    const request = { game: gameForm(ply), ai, ...(limit.value ? { limit: limit.value } : {}) }
    searchProgress.value = newProgress(ai)
    try {
        const reply = await bestMove(request, (record) => onRecord(record, controller), controller.signal)
        if (controller.signal.aborted) return
        batch(() => {
            if (searchProgress.value) searchProgress.value = withResult(searchProgress.value, reply)
            fallbackAi.value = reply.ai?.fallback_for ? reply.ai : null
            activeRequest.value = null
            if (!reply.move) return
            // In an AI match the cursor stays on an earlier position; in a game against the user it moves to the new one.
            if (isAiMatch.value && cursor.value !== ply && ply === plies.value.length) {
                appendMove(reply.move, reply.game.fen)
            } else {
                goTo(ply)
                applyMove(reply.move, reply.game.fen)
            }
            setScore(ply + 1, reply.score)
        })
    } catch (error) {
        if (controller.signal.aborted) return
        batch(() => {
            stopSearch()
            aiError.value = { ai, color, message: errorMessage(aiName(ai), error), wasRunning: matchRunning.value }
            matchRunning.value = false
        })
    }
}

/** Returns the progress of a new search of the current position. */
export const newProgress = (ai: string): SearchProgress => ({
    ai,
    game: gameForm(),
    depth: 0,
    nodes: 0,
    nps: 0,
    timeMs: 0,
    score: null,
    lines: [],
    done: false,
    began: Date.now(),
})

/** Returns the progress updated by an `info` record. */
export function withInfo(progress: SearchProgress, record: StreamRecord<BestMove>): SearchProgress {
    if (record.type !== "info") return progress
    const { depth, nodes, nps, time_ms: timeMs, score, pv, san } = record
    return { ...progress, depth, nodes, nps, timeMs, score, lines: record.lines ?? [{ score, depth, pv, san }] }
}

/** Returns the progress completed by the result. */
export function withResult(progress: SearchProgress, { search, score, move }: BestMove): SearchProgress {
    if (!search || !score) return { ...progress, done: true }
    const { depth, nodes, time_ms: timeMs } = search
    const known = progress.lines[0]?.pv.join() === search.pv.join() ? progress.lines[0]?.san : undefined
    const san = search.san ?? known ?? (move ? [move.san] : [])
    const lines = search.lines ?? [{ score, depth, pv: search.pv, san }]
    const nps = timeMs > 0 ? Math.round((nodes * 1000) / timeMs) : 0
    return { ...progress, depth, nodes, nps, timeMs, score, lines, done: true }
}

function onRecord(record: StreamRecord<BestMove>, controller: AbortController): void {
    if (activeRequest.value === controller && searchProgress.value) searchProgress.value = withInfo(searchProgress.value, record)
}
