// Who plays, and the AI whose turn it is.

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

/** Somebody at this page, or the AI of this id. */
export type Player = "you" | { ai: string }

export const players = signal<Record<Color, Player>>({ white: "you", black: "you" })
/** What ends each search; null leaves it to the AI's own configuration. */
export const limit = signal<Limit | null>(null)
/** Whether two AIs go on by themselves. */
export const running = signal(false)

export interface Thought {
    ai: string
    /** What led to the position. */
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

/** What the AI thinks that was asked last. */
export const thought = signal<Thought | null>(null)
/** Whether an AI is thinking about its move in the game. */
export const thinking = computed(() => thought.value !== null && !thought.value.done && asking.value !== null)
/** The AI that should have moved and did not, and whether the game would have gone on by itself. */
export const fault = signal<{ ai: string; color: Color; words: string; wasRunning: boolean } | null>(null)
/** Who answered in another's stead last. */
export const standIn = signal<AiName | null>(null)

/** How the game ended on this page, where the rules alone would let it go on. */
const agreed = signal<{ game: number; plies: number; ending: Ending } | null>(null)
const asking = signal<AbortController | null>(null)

/** How the game was ended by who plays it, wherever in it one looks. */
export const agreedEnding = computed<Ending | null>(() => {
    const mine = agreed.value
    return mine && mine.game === gameNumber.value && mine.plies === plies.value.length ? mine.ending : null
})
export const ending = computed<Ending | null>(() => {
    if (agreedEnding.value && atEnd.value) return agreedEnding.value
    return status.value ? endingOf(status.value) : null
})
/** Whether whoever sits here moves both sides. */
export const isAlone = computed(() => players.value.white === "you" && players.value.black === "you")
export const isDuel = computed(() => players.value.white !== "you" && players.value.black !== "you")
export const aiToMove = computed(() => {
    const player = players.value[turn.value]
    return player === "you" ? null : player.ai
})
/** The side of whoever sits here: Black only where an AI has White. */
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

/** Lets somebody else move in place of the AI that did not; a game that went on by itself does so again. */
export function replaceFaulty(player: Player): void {
    const now = fault.peek()
    if (!now) return
    setPlayer(now.color, player)
    running.value = now.wasRunning && isDuel.value
}

/** Nobody moves but whoever sits here, so that a game can be looked at as it is. */
export function moveBothSides(): void {
    setPlayer("white", "you")
    setPlayer("black", "you")
}

export const newGame = (fen?: string) => begin(fen)

/** Nobody waits for the answer to a game that has gone another way. */
plies.subscribe(() => {
    stopThinking()
    fault.value = null
    if (thought.peek() && !beginsWith(thought.peek()?.game ?? gameForm())) thought.value = null
})

/** What belonged to the game before belongs to no other. */
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

/** How many plies stay when whoever sits here chooses anew; null where there is nothing to choose. */
const staying = computed(() => {
    const player = (count: number) => players.value[count % 2 === 0 ? startTurn.value : other(startTurn.value)]
    let left = plies.value.length - 1
    while (left >= 0 && player(left) !== "you" && !isDuel.value) left -= 1
    return left >= 0 ? left : null
})
export const canUndo = computed(() => staying.value !== null)

/** Back to where whoever sits here can choose again. */
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
/** One move of the AI whose turn it is. */
export const step = () => {
    fault.value = null
    void aiMoves()
}
/** Asks the AI once more that did not move. */
export const askAgain = () => {
    const goesOn = fault.peek()?.wasRunning ?? false
    step()
    running.value = goesOn && isDuel.value
}

/** An AI moves by itself when it is its turn, at the end of the game, against whoever sits here or while a duel runs. */
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
            // Who looks back while AIs play each other goes on looking; one's own game calls back.
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

/** A thought about the position on the board. */
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

/** A thought with what the AI has reported since. */
export function further(thought: Thought, record: StreamRecord<BestMove>): Thought {
    if (record.type !== "info") return thought
    const { depth, nodes, nps, time_ms: timeMs, score, pv, san } = record
    return { ...thought, depth, nodes, nps, timeMs, score, lines: record.lines ?? [{ score, depth, pv, san }] }
}

/** A thought with the AI's answer. */
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
