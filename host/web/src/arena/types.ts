// The JSON types of the calls of the arena; see docs/http-api.md.

import type { ClocksLeft, Color, ResultText, Score } from "../api"

/** A version of a player. */
export interface PlayerReference {
    id: number
    /** The entry as configured: `nnue1,elo=1500`. */
    player: string
    version: number
}

export interface Tally {
    wins: number
    draws: number
    losses: number
}

export type ArenaState = "playing" | "waiting" | "paused"

export interface StateReply {
    state: ArenaState
    reason: string | null
}

/** A rating; null without a game. The error is half of the 95 % interval. */
export interface Rating {
    elo: number | null
    error: number | null
}

export interface Player extends PlayerReference, Tally, Rating {
    /** Null if this is not the current version. */
    rank: number | null
    ai: string
    name: string
    fingerprint: string
    anchor: boolean
    resting_until: string | null
    games: number
    /** Null without a game. */
    score: number | null
    faults: number
    mean_depth: number | null
    /** The mean time of a move. */
    mean_ms: number | null
    /** The likelihood to be better than the next player. */
    superiority: number | null
}

/** The games of two players, as the first scored. There is one pairing for each two players. */
export interface Pairing extends Tally {
    first: number
    second: number
}

export interface Arena extends StateReply {
    time_control: string
    /** Whether an anchor fixes the scale of the ratings. */
    anchored: boolean
    pairs: number
    games: number
    void_pairs: number
    /** The current versions, the best first. */
    players: Player[]
    pairings: Pairing[]
}

export interface Opponent {
    opponent: PlayerReference
    games: number
    score: number
    white: Tally
    black: Tally
}

export interface Fault {
    game: number
    ply: number
    code: string
    opponent: PlayerReference
    color: Color
    /** For admins only. */
    details?: string
}

export interface Version extends Rating {
    id: number
    version: number
    fingerprint: string
    since: string
    games: number
    /** The difference to the version before, from games alone. */
    difference: { elo: number; error: number } | null
}

export interface PlayerRecord {
    player: Player
    opponents: Opponent[]
    /** The newest first. */
    faults: Fault[]
    /** The oldest first. */
    versions: Version[]
}

export interface GameRow {
    id: number
    pair: number
    match: string | null
    white: PlayerReference
    black: PlayerReference
    result: ResultText
    /** How it ended, in words: `White loses on time`. */
    termination: string
    fault: { code: string; ply: number; color: Color } | null
    /** Null for an imported game. */
    opening: number | null
    plies: number
    ended: string
}

export interface GamePage {
    games: GameRow[]
    /** `before` of the next page. */
    next: number | null
}

export type LiveRecord =
    | ({ type: "state" } & StateReply)
    | {
          type: "game"
          game: number
          white: PlayerReference
          black: PlayerReference
          fen: string
          moves: string[]
          clocks: ClocksLeft | null
      }
    | {
          type: "move"
          game: number
          uci: string
          san: string
          fen: string
          score: Score | null
          depth: number
          time_ms: number
          clocks: ClocksLeft | null
      }
    | { type: "end"; game: number; result: ResultText; termination: string }
    // Other work on the machine disturbed the game.
    | { type: "end"; game: number; result: null; termination: null }
    | { type: "heartbeat" }
