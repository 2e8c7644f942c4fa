// The JSON types of the matches that the server plays; see docs/http-api.md.

import type { Score } from "./types"

export interface MatchProgress {
    state: "waiting" | "running" | "paused" | "finished" | "stopped" | "failed"
    /** Why it failed. */
    reason: string | null
    /** The number of finished games. */
    played: number
    /** The results of the first player. */
    tally: { wins: number; draws: number; losses: number }
    /** By how much the first player is stronger; null without a game. The error is null while all results are equal. */
    elo: { elo: number; error: number | null; bound: "exact" | "at_least" | "at_most" } | null
}

export interface Match extends MatchProgress {
    id: string
    /** Ids of AIs with options and limits, such as `basic1,depth=3`. */
    players: [string, string]
    /** The number of games that were asked for. */
    games: number
}

export interface MatchForm {
    players: [string, string]
    games: number
    limit?: { nodes: number }
    time_control?: string
}

export interface ClocksLeft {
    white_ms: number
    black_ms: number
}

/** A result as in PGN. */
export type ResultText = "1-0" | "0-1" | "1/2-1/2"

/** A move of the running game, with the position after it. */
export interface MatchMove {
    uci: string
    san: string
    fen: string
    score: Score | null
    clocks: ClocksLeft | null
}

export type MatchRecord =
    | {
          type: "playing"
          game: number
          white: string
          black: string
          fen: string
          moves: string[]
          clocks: ClocksLeft | null
      }
    | ({ type: "move"; game: number } & MatchMove)
    | { type: "game"; game: number; result: ResultText; termination: string }
    | ({ type: "progress" } & MatchProgress)
