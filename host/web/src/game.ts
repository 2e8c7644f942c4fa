// The game that is looked at: its moves, where in it one stands, and what the host says of that position. The page knows
// no rules of chess; each position and its legal moves come from the host.

import { batch, computed, effect, signal } from "@preact/signals"
import { call, clientId, clientKey, convert, legalMoves, Problem } from "./api"
import type { Color, Game, GameForm, Issue, LegalMoves, Move, Score } from "./api"

/** One move that was played. */
export interface Ply {
    uci: string
    san: string
    /** The board after it, as the first field of a FEN. */
    placement: string
}

export const standardStart = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

export const startFen = signal(standardStart)
export const plies = signal<Ply[]>([])
/** How many plies are on the board; fewer than there are when one looks back. */
export const cursor = signal(0)
/** What an AI thought of the position after so many plies. */
export const scores = signal<ReadonlyMap<number, Score>>(new Map())
/** What the host has said, and of which position. */
const heard = signal<{ start: string; moves: Ply[]; count: number; answer: LegalMoves } | null>(null)
/** What the host says of the position on the board; null until it has. */
export const here = computed(() => {
    const last = heard.value
    const same = last?.start === startFen.value && last.moves === plies.value && last.count === cursor.value
    return same ? last.answer : null
})
/** Why the host says nothing of it. */
export const refusal = signal<Problem | null>(null)
/** Counts games, so that what belongs to one that is gone can be told. */
export const gameNumber = signal(0)

export const atEnd = computed(() => cursor.value === plies.value.length)
export const placement = computed(() => placementAfter(cursor.value))
export const lastMove = computed(() => plies.value[cursor.value - 1]?.uci ?? null)
export const startTurn = computed<Color>(() => (startFen.value.split(" ")[1] === "b" ? "black" : "white"))
export const turn = computed<Color>(() => (cursor.value % 2 === 0 ? startTurn.value : other(startTurn.value)))
export const status = computed(() => here.value?.game.status ?? null)
export const legal = computed<Move[]>(() => here.value?.moves ?? [])

export const other = (color: Color): Color => (color === "white" ? "black" : "white")

export function placementAfter(count: number): string {
    const fen = count === 0 ? startFen.value : (plies.value[count - 1]?.placement ?? startFen.value)
    return fen.split(" ")[0] ?? fen
}

/** A first position and the moves from there, as they are sent. */
export interface Moves {
    fen: string
    moves: string[]
}

/** The game up to some move. */
export const gameForm = (count = cursor.value): Moves => ({
    fen: startFen.value,
    moves: plies.value.slice(0, count).map((ply) => ply.uci),
})

/** Whether the game that is looked at begins like this. */
export const beginsWith = ({ fen, moves }: Moves): boolean =>
    fen === startFen.value && moves.every((uci, index) => plies.value[index]?.uci === uci)

/** Whether this is the position on the board, with what led to it. */
export const isHere = (game: Moves): boolean => game.moves.length === cursor.value && beginsWith(game)

let asked: AbortController | null = null

/** Asks the host what holds in the position on the board. */
effect(() => {
    const form = gameForm(cursor.value)
    // Another client may be told what this one is not.
    void [clientId.value, clientKey.value]
    asked?.abort()
    const mine = new AbortController()
    asked = mine
    const [start, moves, count] = [startFen.value, plies.value, cursor.value]
    legalMoves(form, mine.signal).then(
        (answer) => {
            if (asked !== mine) return
            heard.value = { start, moves, count, answer }
            refusal.value = null
        },
        (error: unknown) => {
            if (asked === mine && error instanceof Problem) refusal.value = error
        },
    )
})

export function goTo(count: number): void {
    cursor.value = Math.max(0, Math.min(plies.value.length, count))
}

/** Plays a legal move from the position on the board; what came after it before is gone. */
export function play(move: Move, after: string): void {
    const ply = { uci: move.uci, san: move.san, placement: after.split(" ")[0] ?? after }
    const kept = plies.value.slice(0, cursor.value)
    batch(() => {
        scores.value = new Map([...scores.value].filter(([count]) => count <= kept.length))
        plies.value = [...kept, ply]
        cursor.value = kept.length + 1
    })
}

/** Adds a move at the game's end while an earlier position stays on the board. */
export function append(move: Move, after: string): void {
    plies.value = [...plies.value, { uci: move.uci, san: move.san, placement: after.split(" ")[0] ?? after }]
}

/** Plays a move that is chosen on the page: the host plays it and says what the board is then. */
export async function choose(move: Move): Promise<void> {
    const from = gameForm()
    // The board is told of it once it has done with the press that chose the move.
    await null
    await onItsWay(async () => {
        const { game } = await call<{ game: Game }>("/v1/validate", { game: { ...from, moves: [...from.moves, move.uci] } })
        if (isHere(from)) play(move, game.fen)
    })
}

const pending = signal(0)
/** Whether a move or a game is on its way to the host, which may put another position on the board. */
export const isPending = computed(() => pending.value > 0)

async function onItsWay<T>(send: () => Promise<T>): Promise<T> {
    pending.value += 1
    try {
        return await send()
    } finally {
        pending.value -= 1
    }
}

export function setScore(count: number, score: Score | null | undefined): void {
    if (score) scores.value = new Map(scores.value).set(count, score)
}

export function takeBack(count: number): void {
    const kept = Math.max(0, plies.value.length - count)
    batch(() => {
        plies.value = plies.value.slice(0, kept)
        scores.value = new Map([...scores.value].filter(([ply]) => ply <= kept))
        cursor.value = kept
    })
}

/** Another game from a first position. */
export function begin(fen = standardStart): void {
    replace(fen, [])
}

function replace(fen: string, moves: Ply[]): void {
    batch(() => {
        gameNumber.value += 1
        scores.value = new Map()
        startFen.value = fen
        plies.value = moves
        cursor.value = moves.length
    })
}

/** Takes over a game in whichever form the host reads; what is wrong with it, if it is not legal. */
export const take = (form: GameForm): Promise<Issue[]> => onItsWay(() => takeOver(form))

async function takeOver(form: GameForm): Promise<Issue[]> {
    try {
        const { game } = await call<{ game: Game }>("/v1/validate", { game: form })
        const whole = { fen: game.start_fen, moves: game.moves }
        if (game.moves.length === 0) {
            begin(game.start_fen)
            return []
        }
        const [{ boards }, { san }] = await Promise.all([
            convert<"boards", number[][][]>(whole, "boards"),
            convert<"san", string[]>(whole, "san"),
        ])
        const ply = (uci: string, index: number) => ({
            uci,
            san: san[index] ?? uci,
            placement: placementOf(boards[index + 1] ?? []),
        })
        replace(game.start_fen, game.moves.map(ply))
        return []
    } catch (error) {
        if (error instanceof Problem) return error.body.issues ?? [wordOf(error)]
        throw error
    }
}

const wordOf = (problem: Problem): Issue => ({ code: problem.body.code, message: problem.body.detail, pointer: "" })

const letters = " pnbrqk"

/** The first field of a FEN from the host's arrays: row 0 is rank 8, Black's pieces are negative. */
export function placementOf(board: number[][]): string {
    const letter = (code: number) => {
        const name = letters[Math.abs(code)] ?? " "
        return code > 0 ? name.toUpperCase() : name
    }
    const row = (codes: number[]) => codes.map(letter).join("").replace(/ +/g, (empty) => String(empty.length))
    return board.map(row).join("/")
}
