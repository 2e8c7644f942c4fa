// The players, and the moves of the AIs.

import { batch, computed, effect, signal, untracked } from "@preact/signals"
import { aiName } from "./ais"
import { bestMove, call } from "./api"
import type { AiName, Color, Game, Move } from "./api"
import { clocksForm, isPaused, pressedClock, setTimeControl } from "./clocks"
import {
    atEnd,
    currentId,
    cursor,
    endId,
    gameForm,
    gameNumber,
    goTo,
    idAfter,
    isOnLine,
    isOver,
    opposite,
    playAfter,
    playedMove,
    plies,
    positionInfo,
    redo,
    result,
    setResult,
    status,
    takeBack,
    turnAfter,
} from "./game"
import { errorMessage, resultOf } from "./format"
import { optionsOf } from "./options"
import { isPending, trackPending } from "./pending"
import {
    aiOf,
    aiToMove,
    aiToMoveAtEnd,
    isAiMatch,
    isSamePlayer,
    players,
    playersSettings,
    setSettings,
    userColor,
    userPlaysBoth,
} from "./players"
import type { Player } from "./players"
import { newProgress, scoreOfResult, withInfo, withResult } from "./progress"
import { notice } from "./reasons"
import type { SearchProgress } from "./progress"
import { setScore } from "./scores"
import { seedsOf } from "./seeds"
import { hasStarted } from "./started"
import { common } from "./texts/common"

/** Whether a game between AIs is running. */
export const matchRunning = signal(false)
/** The shortest time between moves of a game between AIs. */
export const matchDelayMs = signal(1000)

/** The progress of the last search in the game. */
export const searchProgress = signal<SearchProgress | null>(null)
/** Whether an AI is searching for its move in the game. */
export const isSearching = computed(
    () =>
        searchProgress.value !== null && !searchProgress.value.done && activeRequest.value !== null,
)
/** The AI that failed to move. `wasRunning` is true if this stopped a game between AIs. */
export const aiError = signal<{
    ai: string
    color: Color
    message: string
    wasRunning: boolean
} | null>(null)
/** The last answer of an AI in the game, as the server sent it. */
export const lastReply = signal<object | null>(null)
/** The fallback AI that gave the last answer; null if the chosen AI did. */
export const fallbackAi = signal<AiName | null>(null)

/** The request for an AI's move, and its position. */
const activeRequest = signal<{ controller: AbortController; node: number } | null>(null)

/** The position in which an AI searches for its move. */
export const searchedNode = computed(() => activeRequest.value?.node ?? null)

/** After a resignation or an agreed draw, a user who plays both sides can continue. */
const mayContinue = computed(
    () => !result.value || (userPlaysBoth.value && status.value?.state === "in_progress"),
)
/** Receives the user's moves instead of the game, as during a lesson. */
export const moveTaker = signal<{ isOpen: boolean; take: (move: Move) => Promise<void> } | null>(
    null,
)
const isTaken = computed(
    () => moveTaker.value?.isOpen ?? (mayContinue.value && aiToMove.value === null),
)
export const userMayMove = computed(
    () => isTaken.value && positionInfo.value !== null && !isPending.value,
)

export function setPlayer(color: Color, player: Player): void {
    if (isSamePlayer(players.value[color], player)) return
    batch(() => {
        stopSearch()
        players.value = { ...players.value, [color]: player }
        // A level's options apply only to the level's AI.
        setSettings(color, { ...playersSettings.value[color], options: {} })
        matchRunning.value = false
        aiError.value = null
    })
}

/** Plays a move of the user. The host validates it and returns the new position. */
export async function submitMove(move: Move): Promise<void> {
    if (moveTaker.value) return moveTaker.value.take(move)
    const [from, parent, game] = [gameForm(), currentId.value, gameNumber.value]
    const isCurrent = () => game === gameNumber.value && parent === currentId.value
    await trackPending(async () => {
        const { game: next } = await call<{ game: Game }>("/v1/validate", {
            game: { ...from, moves: [...from.moves, move.uci] },
        })
        if (isCurrent()) play(parent, move, next.fen)
    }).catch((error: unknown) => {
        if (isCurrent()) notice.value = errorMessage(common.theServer, error)
    })
}

/** Plays a move after a node. At the end of the line, this stops the player's clock. */
const play = (parent: number, move: Move, fen: string) =>
    playAfter(parent, { ...playedMove(move, fen), ...pressedClock(parent) })

/** Replaces the AI that failed. An interrupted game between AIs resumes. */
export function replaceFailedAi(player: Player): void {
    const now = aiError.peek()
    if (!now) return
    batch(() => {
        setPlayer(now.color, player)
        aiError.value = null
        matchRunning.value = now.wasRunning && isAiMatch.value
    })
}

/** Gives both sides to the user, without clocks, so that a loaded game does not move by itself. */
export function setUserForBoth(): void {
    setTimeControl(null)
    setPlayer("white", "you")
    setPlayer("black", "you")
}

/** Cancels the search when its position leaves the current line. */
effect(() => {
    const request = activeRequest.value
    if (request && !isOnLine(request.node)) untracked(stopSearch)
})

/** Clears the error when the line changes. */
endId.subscribe(() => (aiError.value = null))

/** Clears the state of the previous game. */
gameNumber.subscribe(() => {
    batch(() => {
        stopSearch()
        matchRunning.value = false
        aiError.value = null
        searchProgress.value = null
        lastReply.value = null
        fallbackAi.value = null
    })
})

export function stopSearch(): void {
    activeRequest.peek()?.controller.abort()
    const last = searchProgress.peek()
    batch(() => {
        activeRequest.value = null
        if (last && !last.done)
            searchProgress.value = last.lines.length > 0 ? { ...last, done: true } : null
    })
}

/** The number of plies after an undo; null if there is nothing to undo. */
const undoTarget = computed(() => {
    let left = plies.value.length - 1
    while (left >= 0 && aiOf(turnAfter(left)) !== null && !isAiMatch.value) left -= 1
    return left >= 0 ? left : null
})
export const canUndo = computed(() => undoTarget.value !== null)

/** Takes back the user's last move and the reply. In a game between AIs it takes back one move. */
export function undo(): void {
    const target = undoTarget.peek()
    batch(() => {
        stopSearch()
        matchRunning.value = false
        if (target !== null) takeBack(target)
    })
}

/** Restores what was taken back. The AI to move continues from there. */
export function redoMoves(): void {
    batch(() => {
        stopSearch()
        redo()
    })
}

export function resign(): void {
    const mover = turnAfter(plies.value.length)
    const loser = players.value[mover] === "you" ? mover : userColor.value
    endGame({ winner: opposite(loser), reason: "resignation" })
}

export function claimDraw(claim: string): void {
    endGame({ winner: null, reason: claim })
}

/** Ends the game at the end of the current line. */
export function endGame(result: Parameters<typeof setResult>[1]): void {
    // In one batch, so that no AI is asked between the end of its search and the end of the game.
    batch(() => {
        setResult(endId.value, result)
        stopSearch()
        matchRunning.value = false
        goTo(plies.value.length)
    })
}

export const startMatch = () => {
    batch(() => {
        goTo(plies.value.length)
        aiError.value = null
        matchRunning.value = true
    })
}
/** Pauses the clocks, and stops the search of the AI to move. */
export const pauseClocks = () => {
    batch(() => {
        isPaused.value = true
        stopSearch()
    })
}
export const pauseMatch = () => {
    batch(() => {
        matchRunning.value = false
        stopSearch()
    })
}
/** Requests one move from the AI to move in the current position. */
export const playOneMove = () => {
    aiError.value = null
    void requestAiMove(cursor.value)
}
/** Repeats the request that failed. */
export const retry = () => {
    const resumes = aiError.peek()?.wasRunning ?? false
    goTo(plies.value.length)
    playOneMove()
    matchRunning.value = resumes && isAiMatch.value
}

/** A game between AIs stops at its end. */
effect(() => {
    if (isOver.value) matchRunning.value = false
})

/** The time of the last move in a game between AIs. */
let lastMatchMove = 0
let matchTimer: ReturnType<typeof setTimeout> | undefined
const matchWaits = signal(false)

/**
 * Requests a move when an AI is to move at the end of the line, against the user or in a running
 * game between AIs.
 */
effect(() => {
    // At the end, the host must confirm that the game goes on. It has confirmed earlier positions.
    const isKnown = !atEnd.value || positionInfo.value !== null
    const due =
        aiToMoveAtEnd.value !== null &&
        isKnown &&
        !isOver.value &&
        !aiError.value &&
        !isPaused.value
    if (!due || activeRequest.value !== null || matchWaits.value) return
    const { length } = plies.value
    if (!isAiMatch.value) return void (hasStarted.value && untracked(() => requestAiMove(length)))
    if (!matchRunning.value) return
    const wait = lastMatchMove + matchDelayMs.value - Date.now()
    if (wait <= 0) return void untracked(() => requestAiMove(length))
    matchWaits.value = true
    clearTimeout(matchTimer)
    matchTimer = setTimeout(() => (matchWaits.value = false), wait)
})

/** Requests the AI's move after a number of plies of the current line. */
async function requestAiMove(count: number): Promise<void> {
    const color = turnAfter(count)
    const ai = aiOf(color)
    if (!ai || activeRequest.value) return
    const node = idAfter(count)
    const game = gameForm(count)
    const controller = new AbortController()
    const isActive = () => activeRequest.value?.controller === controller
    const settings = playersSettings.value[color]
    const { limit } = settings
    // The user's own seeds take precedence.
    const options = { ...seedsOf(color, ai), ...optionsOf(ai), ...settings.options }
    // After a draw, AIs continue from the position, without the game before it.
    const current = count === cursor.value ? positionInfo.value?.game : undefined
    const sent = current?.drawn_at ? { fen: current.fen } : game
    const request = {
        game: sent,
        ai,
        ...(limit ? { limit } : {}),
        ...(Object.keys(options).length > 0 ? { options } : {}),
        ...clocksForm(count),
    }
    batch(() => {
        activeRequest.value = { controller, node }
        searchProgress.value = newProgress(ai, game)
    })
    try {
        const reply = await bestMove(
            request,
            (record) => {
                if (isActive() && searchProgress.value)
                    searchProgress.value = withInfo(searchProgress.value, record)
            },
            controller.signal,
        )
        if (controller.signal.aborted) return
        batch(() => {
            if (searchProgress.value) searchProgress.value = withResult(searchProgress.value, reply)
            lastReply.value = reply
            fallbackAi.value = reply.ai.fallback_for ? reply.ai : null
            activeRequest.value = null
            if (!reply.move) return
            lastMatchMove = Date.now()
            const played = play(node, reply.move, reply.game.fen)
            setScore(played, scoreOfResult(reply), reply.ai.id)
            const over = resultOf(reply.game.status)
            if (over) setResult(played, over)
        })
    } catch (error) {
        if (controller.signal.aborted) return
        batch(() => {
            stopSearch()
            aiError.value = {
                ai,
                color,
                message: errorMessage(aiName(ai), error),
                wasRunning: matchRunning.value,
            }
            matchRunning.value = false
        })
    }
}
