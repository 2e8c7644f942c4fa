// The running games, from the server's stream.

import { batch, signal } from "@preact/signals"
import { convert, streamRecords } from "../api"
import type { ClocksLeft, Score } from "../api"
import { sanText } from "../format"
import { moveNumber } from "../move-number"
import { refreshArena, setState } from "./ladder-data"
import { texts } from "../texts/arena"
import type { ArenaRecord, PlayerReference } from "../api/types"
import { endResult, endText, nameOf } from "./words"

export interface RunningGame {
    /** The game's number. */
    game: number
    white: PlayerReference
    black: PlayerReference
    start: string
    plies: number
    /** The position; null until the server has computed it. */
    fen: string | null
    /** The last move in UCI, and in SAN with its number. */
    uci: string | null
    lastMove: string | null
    clocks: ClocksLeft | null
    score: Score | null
    depth: number | null
    /** How the game ended; null while it is running. */
    end: string | null
}

export const running = signal<readonly RunningGame[]>([])
/** The end of the last game, for screen readers. Moves are not announced. */
export const announcement = signal("")

function update(game: number, change: (before: RunningGame) => Partial<RunningGame>): void {
    running.value = running.value.map((before) =>
        before.game === game ? { ...before, ...change(before) } : before,
    )
}

/** Replaces a finished game with a new one. The other boards keep their places. */
function begin(next: RunningGame): void {
    const others = running.value.filter(({ game }) => game !== next.game)
    const at = others.findIndex(({ end }) => end !== null)
    running.value = at < 0 ? [...others, next] : others.with(at, next)
}

const labelOf = (start: string, ply: number, san: string) =>
    `${moveNumber(ply, true, start)} ${sanText(san)}`

/**
 * Plays the moves made before the stream began. The server does this, because the page does not
 * know the rules.
 */
async function playMoves(game: number, start: string, moves: string[]): Promise<void> {
    const form = { fen: start, moves }
    const [{ fen }, { san }] = await Promise.all([
        convert<"fen", string>(form, "fen"),
        convert<"san", string[]>(form, "san"),
    ])
    const uci = moves[moves.length - 1] ?? null
    const lastMove = labelOf(start, moves.length - 1, san[san.length - 1] ?? "")
    update(game, (before) =>
        before.fen === null && before.start === start ? { fen, uci, lastMove } : {},
    )
}

function onRecord(record: ArenaRecord): void {
    if (record.type === "state") setState(record)
    else if (record.type === "game") {
        const { game, white, black, fen: start, moves, clocks } = record
        const fen = moves.length === 0 ? start : null
        begin({
            game,
            white,
            black,
            start,
            plies: moves.length,
            fen,
            uci: null,
            lastMove: null,
            clocks,
            score: null,
            depth: null,
            end: null,
        })
        if (moves.length > 0) void playMoves(game, start, moves).catch(() => undefined)
    } else if (record.type === "move") {
        const { game, uci, san, fen, score, depth, clocks } = record
        update(game, ({ start, plies }) => ({
            plies: plies + 1,
            uci,
            lastMove: labelOf(start, plies, san),
            fen,
            score,
            depth,
            clocks,
        }))
    } else if (record.type === "end") {
        update(record.game, ({ white, black }) => {
            const { result, termination } = record
            if (result === null || termination === null) {
                announcement.value = texts.disturbedGame(nameOf(white), nameOf(black))
                return { end: texts.disturbed }
            }
            announcement.value = endText(white, black, result, termination)
            return { end: endResult(result, termination) }
        })
        refreshArena()
    }
}

/**
 * Shows the running games until the signal aborts. Each connection first receives all running
 * games.
 */
export function watchGames(signal: AbortSignal): Promise<never> {
    return streamRecords<ArenaRecord, never>(
        "/v1/arena/live",
        undefined,
        (record, index) =>
            batch(() => {
                if (index === 0) running.value = []
                onRecord(record)
            }),
        signal,
    )
}
