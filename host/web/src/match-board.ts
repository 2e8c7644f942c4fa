// The running game of a match on the board.

import { batch, effect, signal } from "@preact/signals"
import type { ClocksLeft, MatchMove, StreamRecord } from "./api"
import { loadedIndex } from "./files"
import { resultOfTermination } from "./format"
import type { GameResult } from "./format"
import {
    addLine,
    endId,
    gameNumber,
    goTo,
    playAfter,
    playedMove,
    setResult,
    startGame,
    tags,
    turnAfter,
} from "./game"
import { playedMoves } from "./played-moves"
import { players, playersSettings } from "./players"
import type { Player, Settings } from "./players"
import { aiOfText, seats } from "./match-names"
import type { Seats } from "./match-names"
import { coalesced } from "./repeat"
import { setScore } from "./scores"
import { switches } from "./switches"
import { rootId } from "./tree"

const { followsMatch } = switches

/** A game that the server plays. */
interface RunningGame {
    number: number
    white: string
    black: string
    start: string
    /** The moves made before the stream began. */
    earlier: string[]
    clocks: ClocksLeft | null
    moves: MatchMove[]
    result: GameResult | null
}

/** The number of the game on the board. */
export const shownGame = signal(1)

let running: RunningGame | null = null
/** The game as the board shows it, to detect changes by the user. */
let drawn: {
    game: RunningGame
    moves: number
    gameNumber: number
    end: number
    players: object
} | null = null

export function setSeats(next: Seats): void {
    seats.value = next
    running = null
}

/** Moves in fast games are drawn in batches. */
const drawIntervalMs = 300
export const draw = coalesced(drawGame, drawIntervalMs)

/** Handles a record about a match's games. */
export function onGameRecord(record: StreamRecord<unknown>): void {
    if (record.type === "playing") {
        const { game: number, white, black, fen: start, moves: earlier, clocks } = record
        running = { number, white, black, start, earlier, clocks, moves: [], result: null }
    } else if (record.type === "move" && record.game === running?.number) running.moves.push(record)
    else if (record.type === "game" && record.game === running?.number)
        running.result = resultOfTermination(record.result, record.termination)
    else return
    draw()
}

async function drawGame(): Promise<void> {
    const game = running
    if (!game || !followsMatch.value || switches.place.value !== "watch") return
    if (drawn?.game !== game) {
        const before = gameNumber.value
        const moves = await playedMoves({ fen: game.start, moves: game.earlier })
        // The user may have opened another game by now.
        if (gameNumber.value !== before) followsMatch.value = false
        if (!followsMatch.value) return
        batch(() => setBoard(game, moves))
    }
    batch(() => playMoves(game))
}

function setBoard(game: RunningGame, moves: Awaited<ReturnType<typeof playedMoves>>): void {
    startGame(game.start)
    const isLast = (index: number) => index >= moves.length - 2
    addLine(
        rootId,
        moves.map((move, index) => ({
            ...move,
            ...(isLast(index) ? clockAfter(index, game.clocks) : {}),
        })),
    )
    goTo(moves.length)
    tags.value = { Event: "Match" }
    const player = (text: string): Player => ({ ai: aiOfText(text) })
    const settings = (text: string): Settings => seats.value[text] ?? { limit: null, options: {} }
    players.value = { white: player(game.white), black: player(game.black) }
    playersSettings.value = { white: settings(game.white), black: settings(game.black) }
    loadedIndex.value = null
    shownGame.value = game.number
    drawn = {
        game,
        moves: 0,
        gameNumber: gameNumber.value,
        end: endId.value,
        players: players.value,
    }
}

/** Returns the mover's clock after a ply. */
const clockAfter = (ply: number, clocks: ClocksLeft | null): { clockSeconds?: number } =>
    clocks ? { clockSeconds: clocks[`${turnAfter(ply)}_ms`] / 1000 } : {}

function playMoves(game: RunningGame): void {
    if (drawn?.game !== game) return
    for (const move of game.moves.slice(drawn.moves)) {
        const ply = game.earlier.length + drawn.moves
        drawn.end = playAfter(drawn.end, {
            ...playedMove(move, move.fen),
            ...clockAfter(ply, move.clocks),
        })
        drawn.moves += 1
        setScore(drawn.end, move.score, aiOfText(game[turnAfter(ply)]))
    }
    if (game.result) setResult(drawn.end, game.result)
}

/**
 * The board follows the match until the user opens another game or changes the players or the line.
 */
effect(() => {
    const now = [gameNumber.value, endId.value, players.value]
    if (
        !drawn ||
        [drawn.gameNumber, drawn.end, drawn.players].every((value, index) => value === now[index])
    )
        return
    drawn = null
    followsMatch.value = false
})
