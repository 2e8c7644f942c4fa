// Players, ratings, records and results as visible text.

import type { ResultText } from "../api"
import { reasonText, resultOfTermination, sentence, signed } from "../format"
import type { ArenaState, PlayerReference, Rating, StateReply, Tally } from "./types"

export const nameOf = ({ player, version }: PlayerReference): string => (version > 1 ? `${player} (version ${version})` : player)

const noBreak = "\u00a0"

/** Formats a share. Only a whole one is 100 %. */
export function percent(share: number | null): string {
    if (share === null) return "–"
    return share < 1 && share >= 0.995 ? "> 99 %" : `${(share * 100).toFixed(0)} %`
}

export const ratingText = ({ elo, error }: Rating): string => (elo === null ? "–" : `${elo.toFixed(0)} ±${noBreak}${(error ?? 0).toFixed(0)}`)

export const differenceText = (difference: { elo: number; error: number } | null): string =>
    difference ? `${signed(difference.elo, 0)} ±${noBreak}${difference.error.toFixed(0)}` : "–"

/** Wins, draws and losses. */
export const tallyText = ({ wins, draws, losses }: Tally): string => `${wins}–${draws}–${losses}`

const count = (number: number, one: string, several: string) => `${number} ${number === 1 ? one : several}`
export const tallyWords = ({ wins, draws, losses }: Tally): string =>
    `${count(wins, "win", "wins")}, ${count(draws, "draw", "draws")}, ${count(losses, "loss", "losses")}`

export const sumOf = (tallies: readonly Tally[]): Tally =>
    tallies.reduce((sum, { wins, draws, losses }) => ({ wins: sum.wins + wins, draws: sum.draws + draws, losses: sum.losses + losses }), { wins: 0, draws: 0, losses: 0 })

export const gameCountOf = ({ wins, draws, losses }: Tally): number => wins + draws + losses
/** The points of a game, from 0 to 1; null without a game. */
export const shareOf = (tally: Tally): number | null => (gameCountOf(tally) > 0 ? (tally.wins + tally.draws / 2) / gameCountOf(tally) : null)

/** The end of a game between two players: `nnue1 beat basic1 by checkmate`. */
export function endText(white: PlayerReference, black: PlayerReference, result: ResultText, termination: string): string {
    const { winner, reason } = resultOfTermination(result, termination)
    const [first, second] = winner === "black" ? [black, white] : [white, black]
    return `${nameOf(first)} ${winner === null ? "drew with" : "beat"} ${nameOf(second)} ${reasonText(reason)}`.trim()
}

const states: Record<ArenaState, string> = { playing: "Playing", waiting: "Waiting", paused: "Paused" }

export const stateText = ({ state, reason }: StateReply): string => (reason ? `${states[state]}: ${sentence(reason)}` : states[state])

const faultTexts: Record<string, string> = {
    ai_crashed: "crashed",
    ai_timeout: "timed out",
    ai_out_of_memory: "exceeded its memory limit",
    ai_illegal_move: "played an illegal move",
    ai_failed: "returned an error",
    ai_protocol_error: "returned an invalid response",
    ai_unavailable: "was unavailable",
}

export const faultText = (code: string): string => faultTexts[code] ?? code

/** The number of the move that a ply belongs to. */
export const moveOfPly = (ply: number): number => Math.ceil(ply / 2)

export const timeOfDay = (time: string): string => new Date(time).toLocaleTimeString(undefined, { timeStyle: "short" })
export const dayText = (time: string): string => new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" })
export const timeText = (time: string): string => new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
