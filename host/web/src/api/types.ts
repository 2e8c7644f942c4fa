// The JSON types of the HTTP API; see docs/http-api.md.

export type Color = "white" | "black"

export type Role = "pawn" | "knight" | "bishop" | "rook" | "queen" | "king"

/** From White's point of view. */
export type Score = { cp: number } | { mate: number }

export type Limit = { depth: number } | { nodes: number } | { movetime_ms: number }

/** The time of both players, in milliseconds. */
export interface Clocks {
    white_ms: number
    black_ms: number
    white_increment_ms: number
    black_increment_ms: number
}

export interface Move {
    uci: string
    san: string
    from: string
    to: string
    promotion: string | null
    capture: boolean
    check: boolean
}

export interface Status {
    state: "in_progress" | "win" | "draw"
    winner: Color | null
    reason: string | null
    turn: Color
    check: boolean
    claims: string[]
}

export interface Opening {
    eco: string
    name: string
}

export interface Game {
    fen: string
    start_fen: string
    moves: string[]
    status: Status
    opening?: Opening
    /** The format of a text that was sent as `any`. */
    format?: string
    assumed?: Record<string, string | number>
    /** Where the game was drawn by today's rules, if it went on. */
    drawn_at?: { ply: number; reason: string }
    /** What the host accepted in the text. */
    notes?: string[]
}

/** A game in a request. */
export type GameForm =
    | { fen: string; moves?: string[] }
    | { fen: string; san?: string[] }
    | { pgn: string }
    | { any: string; turn: Color }

export interface AiName {
    id: string
    name: string
    version: string
    varies?: true
    fallback_for?: string
    options?: Record<string, unknown>
}

export interface Line {
    /** Null if the AI has judged nothing. */
    score: Score | null
    depth: number
    pv: string[]
    san: string[]
}

export interface Search {
    depth: number
    nodes: number
    time_ms: number
    pv: string[]
    san?: string[]
    stopped_by: string
    lines?: Line[]
    limit?: Record<string, number>
}

export interface BestMove {
    move: Move | null
    score: Score | null
    game: Game
    search: Search | null
    ai: AiName | null
    trace?: Trace
}

export interface LegalMoves {
    moves: Move[]
    dests: Record<string, string[]>
    game: Game
}

export interface OptionSchema {
    type?: string
    default?: unknown
    minimum?: number
    maximum?: number
    enum?: unknown[]
    readOnly?: boolean
    advanced?: boolean
    description?: string
}

export interface Ai {
    id: string
    name: string
    version: string
    author: string
    kinds: string[]
    capabilities: {
        lines: number
        trace_nodes: number
        chess960: boolean
        threads: number
        memory_mb: number | null
    }
    options: { properties?: Record<string, OptionSchema> }
    limit: { default: Limit; properties: Record<string, { maximum: number }> }
    state: "starting" | "ready" | "busy" | "draining" | "failed" | "quarantined"
    nodes?: { name: string; slots: number; busy: number }[]
    library: { file: string; sha256: string }
}

/** The last fault of an AI. */
export interface LastFault {
    code: string
    /** RFC 3339. */
    time: string
    detail: string
    request_id?: string
    stderr: string
}

/** An opponent of known strength. */
export interface ServerLevel {
    id: string
    name: string
    elo: number
    ai: string
    options: Record<string, boolean | number | string>
    limit: Limit
}

export interface Issue {
    code: string
    message: string
    pointer: string
    ply?: number
}

export interface ProblemBody {
    title: string
    status: number
    detail: string
    code: string
    request_id: string | null
    issues?: Issue[]
}

export interface Info {
    type: "info"
    ai?: string
    depth: number
    nodes: number
    nps: number
    time_ms: number
    score: Score
    pv: string[]
    san: string[]
    lines?: Line[]
}

export interface Answer {
    ai: AiName
    move?: Move | null
    score?: Score | null
    search?: Search | null
    error?: ProblemBody
}

export interface Comparison {
    game: Game
    answers: Answer[]
    agreement: { move: Move; ais: string[] }[]
}

export interface MoveReport {
    ply: number
    move: Move
    /** Of a move of theory. */
    opening?: Opening
    /** Null if no search has found one. */
    score: Score | null
    score_after: Score | null
    winning_chances: { before: number | null; after: number | null }
    loss: number | null
    judgement: "inaccuracy" | "mistake" | "blunder" | null
    glyph: string | null
    best: { move: Move; pv: string[]; san: string[] } | null
    accuracy: number | null
}

export interface Report {
    ai: AiName
    game: Game
    moves: MoveReport[]
    accuracy: { white: number | null; black: number | null }
}

export interface TraceNode {
    parent: number | null
    move: { uci: string; san: string } | null
    depth: number
    alpha: Score | null
    beta: Score | null
    score: Score | null
    bound: "exact" | "lower" | "upper"
    kind: string
}

export interface Trace {
    nodes: TraceNode[]
    truncated: boolean
}

export interface Reach {
    piece: { color: Color; role: Role }
    squares: {
        to: string
        movement: string
        legal: boolean
        why: string | null
        by: string | null
    }[]
}

/** The attackers of each attacked square, and what they endanger. */
export interface Attacks {
    squares: Record<string, { attackers: Record<Color, string[]> }>
    pinned: { square: string; by: string; line: string[] }[]
    hanging: string[]
    dangerous: string[]
}

/** A move with its weight among the moves of the book. */
export interface BookMove extends Move {
    weight: number
}

/** The heaviest move first. */
export interface Book {
    book: string
    moves: BookMove[]
}

export type TableResult = "win" | "cursed_win" | "draw" | "blessed_loss" | "loss"

/** A move, and what it leads to for the side that moves. */
export interface TableMove extends Move {
    wdl: TableResult
    dtz: number
}

/** For the side to move; every legal move, the best first. */
export interface Tablebase {
    wdl: TableResult
    dtz: number
    moves: TableMove[]
}
