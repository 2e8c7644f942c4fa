// The game: its moves, the cursor, and the status and legal moves of the current position. The page does not implement the
// rules of chess; positions and legal moves come from the host.

import { batch, computed, effect, signal } from "@preact/signals"
import { call, clientId, clientKey, convert, legalMoves, Problem } from "./api"
import type { Color, Game, GameForm, Issue, LegalMoves, Move, Score } from "./api"

/** A played move. */
export interface Ply {
    uci: string
    san: string
    /** The board after the move, as the first field of a FEN. */
    placement: string
}

export const standardStart = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

export const startFen = signal(standardStart)
export const plies = signal<Ply[]>([])
/** The ply of the current position, which is on the board. Less than `plies.length` while an earlier position is shown. */
export const cursor = signal(0)
/** The scores of positions, by ply. */
export const scores = signal<ReadonlyMap<number, Score>>(new Map())
/** The last response of the host, with the position it belongs to. */
const lastResponse = signal<{ start: string; moves: Ply[]; count: number; response: LegalMoves } | null>(null)
/** The status and legal moves of the current position; null until the host has responded. */
export const positionInfo = computed(() => {
    const last = lastResponse.value
    const same = last?.start === startFen.value && last.moves === plies.value && last.count === cursor.value
    return same ? last.response : null
})
/** The error of the last request for the current position. */
export const positionError = signal<Problem | null>(null)
/** Increases with each game, so that state of a previous game can be detected. */
export const gameNumber = signal(0)

export const atEnd = computed(() => cursor.value === plies.value.length)
export const placement = computed(() => placementAfter(cursor.value))
export const lastMove = computed(() => plies.value[cursor.value - 1]?.uci ?? null)
export const startTurn = computed<Color>(() => (startFen.value.split(" ")[1] === "b" ? "black" : "white"))
export const turn = computed<Color>(() => (cursor.value % 2 === 0 ? startTurn.value : opposite(startTurn.value)))
export const status = computed(() => positionInfo.value?.game.status ?? null)
export const legal = computed<Move[]>(() => positionInfo.value?.moves ?? [])

export const opposite = (color: Color): Color => (color === "white" ? "black" : "white")

export function placementAfter(count: number): string {
    const fen = count === 0 ? startFen.value : (plies.value[count - 1]?.placement ?? startFen.value)
    return fen.split(" ")[0] ?? fen
}

/** A starting position and its moves, in the form of requests. */
export interface Moves {
    fen: string
    moves: string[]
}

/** Returns the game up to a ply. */
export const gameForm = (count = cursor.value): Moves => ({
    fen: startFen.value,
    moves: plies.value.slice(0, count).map((ply) => ply.uci),
})

/** Returns whether the game begins with these moves. */
export const beginsWith = ({ fen, moves }: Moves): boolean =>
    fen === startFen.value && moves.every((uci, index) => plies.value[index]?.uci === uci)

/** Returns whether these moves lead to the current position. */
export const isCurrent = (game: Moves): boolean => game.moves.length === cursor.value && beginsWith(game)

let activeRequest: AbortController | null = null

/** Requests the legal moves of the current position. */
effect(() => {
    const form = gameForm(cursor.value)
    // Access depends on the client, so a change of the client repeats the request.
    void [clientId.value, clientKey.value]
    activeRequest?.abort()
    const controller = new AbortController()
    activeRequest = controller
    const [start, moves, count] = [startFen.value, plies.value, cursor.value]
    legalMoves(form, controller.signal).then(
        (response) => {
            if (activeRequest !== controller) return
            lastResponse.value = { start, moves, count, response }
            positionError.value = null
        },
        (error: unknown) => {
            if (activeRequest === controller && error instanceof Problem) positionError.value = error
        },
    )
})

export function goTo(count: number): void {
    cursor.value = Math.max(0, Math.min(plies.value.length, count))
}

/** Plays a legal move in the current position and drops the moves after it. */
export function applyMove(move: Move, after: string): void {
    const ply = { uci: move.uci, san: move.san, placement: after.split(" ")[0] ?? after }
    const remaining = plies.value.slice(0, cursor.value)
    batch(() => {
        scores.value = new Map([...scores.value].filter(([count]) => count <= remaining.length))
        plies.value = [...remaining, ply]
        cursor.value = remaining.length + 1
    })
}

/** Adds a move at the end of the game without moving the cursor. */
export function appendMove(move: Move, after: string): void {
    plies.value = [...plies.value, { uci: move.uci, san: move.san, placement: after.split(" ")[0] ?? after }]
}

/** Plays a move of the user: the host validates it and returns the new position. */
export async function submitMove(move: Move): Promise<void> {
    const from = gameForm()
    // The position must not change before cm-chessboard has finished handling the click.
    await null
    await trackPending(async () => {
        const { game } = await call<{ game: Game }>("/v1/validate", { game: { ...from, moves: [...from.moves, move.uci] } })
        if (isCurrent(from)) applyMove(move, game.fen)
    })
}

const pending = signal(0)
/** Whether a request that may change the position is pending. */
export const isPending = computed(() => pending.value > 0)

async function trackPending<T>(send: () => Promise<T>): Promise<T> {
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
    const remaining = Math.max(0, plies.value.length - count)
    batch(() => {
        plies.value = plies.value.slice(0, remaining)
        scores.value = new Map([...scores.value].filter(([ply]) => ply <= remaining))
        cursor.value = remaining
    })
}

/** Starts a new game. */
export function startGame(fen = standardStart): void {
    replaceGame(fen, [])
}

function replaceGame(fen: string, moves: Ply[]): void {
    batch(() => {
        gameNumber.value += 1
        scores.value = new Map()
        startFen.value = fen
        plies.value = moves
        cursor.value = moves.length
    })
}

/** Loads a game in any form that the host reads. Returns the issues of an illegal game. */
export const loadGame = (form: GameForm): Promise<Issue[]> => trackPending(() => validateAndLoad(form))

async function validateAndLoad(form: GameForm): Promise<Issue[]> {
    try {
        const { game } = await call<{ game: Game }>("/v1/validate", { game: form })
        const whole = { fen: game.start_fen, moves: game.moves }
        if (game.moves.length === 0) {
            startGame(game.start_fen)
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
        replaceGame(game.start_fen, game.moves.map(ply))
        return []
    } catch (error) {
        if (error instanceof Problem) return error.body.issues ?? [issueOf(error)]
        throw error
    }
}

const issueOf = (problem: Problem): Issue => ({ code: problem.body.code, message: problem.body.detail, pointer: "" })

const letters = " pnbrqk"

/** Converts a board of the host to the first field of a FEN. Row 0 is rank 8; Black's pieces are negative. */
export function placementOf(board: number[][]): string {
    const letter = (code: number) => {
        const name = letters[Math.abs(code)] ?? " "
        return code > 0 ? name.toUpperCase() : name
    }
    const row = (codes: number[]) => codes.map(letter).join("").replace(/ +/g, (empty) => String(empty.length))
    return board.map(row).join("/")
}
