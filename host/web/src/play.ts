// The players, and the moves of the AIs.

import { batch, computed, effect, signal } from "@preact/signals"
import { aiName } from "./ais"
import { bestMove } from "./api"
import type { AiName, Color, Limit, Line, Score, StreamRecord, BestMove } from "./api"
import {
    append,
    atEnd,
    begin,
    beginsWith,
    cursor,
    gameForm,
    gameNumber,
    goTo,
    here,
    isPending,
    other,
    play,
    plies,
    setScore,
    startTurn,
    status,
    takeBack,
    turn,
} from "./game"
import type { Moves } from "./game"
import { endingOf, faultInWords } from "./words"
import type { Ending } from "./words"

/** The user, or an AI by its id. */
export type Player = "you" | { ai: string }

export const players = signal<Record<Color, Player>>({ white: "you", black: "you" })
/** The search limit; null selects the AI's default. */
export const limit = signal<Limit | null>(null)
/** Whether an AI match is running. */
export const running = signal(false)

export interface Thought {
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
export const thought = signal<Thought | null>(null)
/** Whether an AI searches its move in the game. */
export const thinking = computed(() => thought.value !== null && !thought.value.done && asking.value !== null)
/** The AI that failed to move; `wasRunning` is true if an AI match was interrupted. */
export const fault = signal<{ ai: string; color: Color; words: string; wasRunning: boolean } | null>(null)
/** The fallback AI that gave the last answer; null if the chosen AI did. */
export const standIn = signal<AiName | null>(null)

/** A result by resignation or claimed draw, which the rules alone do not give. */
const agreed = signal<{ game: number; plies: number; ending: Ending } | null>(null)
const asking = signal<AbortController | null>(null)

/** The result by resignation or claimed draw, independent of the cursor. */
export const agreedEnding = computed<Ending | null>(() => {
    const mine = agreed.value
    return mine && mine.game === gameNumber.value && mine.plies === plies.value.length ? mine.ending : null
})
export const ending = computed<Ending | null>(() => {
    if (agreedEnding.value && atEnd.value) return agreedEnding.value
    return status.value ? endingOf(status.value) : null
})
/** Whether the user plays both sides. */
export const isAlone = computed(() => players.value.white === "you" && players.value.black === "you")
export const isDuel = computed(() => players.value.white !== "you" && players.value.black !== "you")
export const aiToMove = computed(() => {
    const player = players.value[turn.value]
    return player === "you" ? null : player.ai
})
/** The user's side: Black only if an AI plays White. */
export const yourColor = computed<Color>(() => (players.value.white !== "you" && players.value.black === "you" ? "black" : "white"))
export const youMayMove = computed(
    () => !ending.value && aiToMove.value === null && here.value !== null && !isPending.value,
)

export function setPlayer(color: Color, player: Player): void {
    stopThinking()
    batch(() => {
        players.value = { ...players.value, [color]: player }
        running.value = false
        fault.value = null
    })
}

/** Replaces the AI that failed; an interrupted AI match resumes. */
export function replaceFaulty(player: Player): void {
    const now = fault.peek()
    if (!now) return
    setPlayer(now.color, player)
    running.value = now.wasRunning && isDuel.value
}

/** Gives both sides to the user, so that no AI moves in a loaded game. */
export function moveBothSides(): void {
    setPlayer("white", "you")
    setPlayer("black", "you")
}

export const newGame = (fen?: string) => begin(fen)

/** Cancels the search when the moves of the game change. */
plies.subscribe(() => {
    stopThinking()
    fault.value = null
    if (thought.peek() && !beginsWith(thought.peek()?.game ?? gameForm())) thought.value = null
})

/** Clears the state of the previous game. */
gameNumber.subscribe(() => {
    stopThinking()
    batch(() => {
        running.value = false
        fault.value = null
        thought.value = null
        standIn.value = null
    })
})

export function stopThinking(): void {
    asking.peek()?.abort()
    const last = thought.peek()
    batch(() => {
        asking.value = null
        if (last && !last.done) thought.value = last.lines.length > 0 ? { ...last, done: true } : null
    })
}

/** The number of plies that remain after an undo; null if there is nothing to undo. */
const staying = computed(() => {
    const player = (count: number) => players.value[count % 2 === 0 ? startTurn.value : other(startTurn.value)]
    let left = plies.value.length - 1
    while (left >= 0 && player(left) !== "you" && !isDuel.value) left -= 1
    return left >= 0 ? left : null
})
export const canUndo = computed(() => staying.value !== null)

/** Takes back the user's last move and the replies to it. */
export function undo(): void {
    stopThinking()
    fault.value = null
    running.value = false
    if (staying.value !== null) takeBack(plies.value.length - staying.value)
}

export function resign(): void {
    const loser = players.value[turn.value] === "you" ? turn.value : yourColor.value
    endBy({ winner: other(loser), reason: "resignation" })
}

export function claimDraw(claim: string): void {
    endBy({ winner: null, reason: claim })
}

export function endBy(ending: Ending): void {
    stopThinking()
    running.value = false
    agreed.value = { game: gameNumber.value, plies: plies.value.length, ending }
}

export const start = () => {
    fault.value = null
    running.value = true
}
export const pauseDuel = () => {
    running.value = false
    stopThinking()
}
/** Requests one move from the AI to move. */
export const step = () => {
    fault.value = null
    void aiMoves()
}
/** Repeats the request that failed. */
export const askAgain = () => {
    const goesOn = fault.peek()?.wasRunning ?? false
    step()
    running.value = goesOn && isDuel.value
}

/** Requests a move when an AI is to move at the end of the game, in a game against the user or in a running AI match. */
effect(() => {
    const due = aiToMove.value !== null && atEnd.value && here.value !== null && !ending.value && !fault.value
    if (due && asking.value === null && (!isDuel.value || running.value)) void aiMoves()
})

async function aiMoves(): Promise<void> {
    const ai = aiToMove.value
    if (!ai || asking.value) return
    const mine = new AbortController()
    asking.value = mine
    const [ply, color] = [cursor.value, turn.value]
    const question = { game: gameForm(ply), ai, ...(limit.value ? { limit: limit.value } : {}) }
    thought.value = beginThought(ai)
    try {
        const reply = await bestMove(question, (record) => follow(record, mine), mine.signal)
        if (mine.signal.aborted) return
        batch(() => {
            if (thought.value) thought.value = concluded(thought.value, reply)
            standIn.value = reply.ai?.fallback_for ? reply.ai : null
            asking.value = null
            if (!reply.move) return
            // In an AI match the cursor stays on an earlier position; in a game against the user it moves to the new one.
            if (isDuel.value && cursor.value !== ply && ply === plies.value.length) {
                append(reply.move, reply.game.fen)
            } else {
                goTo(ply)
                play(reply.move, reply.game.fen)
            }
            setScore(ply + 1, reply.score)
        })
    } catch (error) {
        if (mine.signal.aborted) return
        batch(() => {
            stopThinking()
            fault.value = { ai, color, words: faultInWords(aiName(ai), error), wasRunning: running.value }
            running.value = false
        })
    }
}

/** Returns the progress of a new search of the current position. */
export const beginThought = (ai: string): Thought => ({
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
export function further(thought: Thought, record: StreamRecord<BestMove>): Thought {
    if (record.type !== "info") return thought
    const { depth, nodes, nps, time_ms: timeMs, score, pv, san } = record
    return { ...thought, depth, nodes, nps, timeMs, score, lines: record.lines ?? [{ score, depth, pv, san }] }
}

/** Returns the progress completed by the result. */
export function concluded(thought: Thought, { search, score, move }: BestMove): Thought {
    if (!search || !score) return { ...thought, done: true }
    const { depth, nodes, time_ms: timeMs } = search
    const known = thought.lines[0]?.pv.join() === search.pv.join() ? thought.lines[0]?.san : undefined
    const san = search.san ?? known ?? (move ? [move.san] : [])
    const lines = search.lines ?? [{ score, depth, pv: search.pv, san }]
    const nps = timeMs > 0 ? Math.round((nodes * 1000) / timeMs) : 0
    return { ...thought, depth, nodes, nps, timeMs, score, lines, done: true }
}

function follow(record: StreamRecord<BestMove>, mine: AbortController): void {
    if (asking.value === mine && thought.value) thought.value = further(thought.value, record)
}
