// Short names for the types of the HTTP API. `schema.d.ts` is generated from the OpenAPI document.

import type * as schema from "./schema"

export type {
    AiReply as AiName,
    ArenaReply as Arena,
    ArenaRecord,
    ArenaState,
    ArenaStateReply as StateReply,
    AttacksReply as Attacks,
    BestMoveReply as BestMove,
    BookReply as Book,
    Claim,
    ClocksForm as Clocks,
    Color,
    CompareReply as Comparison,
    ComparedAiReply as Answer,
    FaultReply as Fault,
    GameForm,
    GameReply as Game,
    GamesReply as GamePage,
    IllegalReasonReply as IllegalReason,
    JudgedReply as MoveReport,
    LadderRowReply as Player,
    LastFaultReply as LastFault,
    LegalMovesReply as LegalMoves,
    ListedGameReply as GameRow,
    LiveClocksReply as ClocksLeft,
    MatchForm,
    MoveReply as Move,
    OpponentReply as Opponent,
    PairingReply as Pairing,
    PlacedPiece,
    PlayerRecordReply as PlayerRecord,
    PlayerReply as PlayerReference,
    ResultsReply as Tally,
    Role,
    ScoreReply as Score,
    StatusReply as Status,
    StreamInfo as Info,
    StreamMatchMove as MatchMove,
    TableMoveReply as TableMove,
    TableResult,
    TablebaseReply as Tablebase,
    TraceNodeReply as TraceNode,
    TraceReply as Trace,
    VersionReply as Version,
    WhyReply as Why,
} from "./schema"

/** A schema type with some members narrowed. */
type Narrowed<T, Members> = Omit<T, keyof Members> & Members

/** A limit of one kind. The page never combines kinds. */
export type Limit = { depth: number } | { nodes: number } | { movetime_ms: number }

/** An option in the JSON Schema of an AI's options. */
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

export type Ai = Narrowed<
    schema.AiDescription,
    {
        /** The page adds `faulty`: running, but its last answer to this page was a fault. */
        state: schema.AiState | "faulty"
        options: { properties?: Record<string, OptionSchema> }
        limit: { default: Limit; properties: Record<string, { maximum: number }> }
    }
>

export type ServerLevel = Narrowed<
    schema.LevelReply,
    { limit: Limit; options: Record<string, boolean | number | string> }
>

/** The page adds its own codes for text that it rejects itself. */
export type Issue = Narrowed<schema.IssueReply, { code: string }>

/** In a stream, a problem's type is not a URI. */
export type ProblemBody = Narrowed<Omit<schema.Problem, "type">, { code: string }>

/** The score is null if the AI gave none. */
export type Line = Narrowed<schema.LineReply, { score: schema.ScoreReply | null }>

/** The page asks only about squares with a piece. */
export type Reach = Narrowed<schema.ReachableReply, { piece: schema.PieceReply }>

/** The report on one game. */
export type Report = schema.GameReportReply & { ai: schema.AiReply }

export type Rollout = schema.RolloutReply
export type RolloutSide = schema.SideReply

export type Match = Narrowed<schema.MatchReply, { players: [string, string] }>

export type Rating = Pick<schema.VersionReply, "elo" | "error">

/** A record of a stream. The last one is a `result` or an `error`. */
export type StreamRecord<T> =
    | Exclude<
          schema.BestMoveRecord | schema.CompareRecord | schema.ReportRecord | schema.MatchRecord,
          { type: "result" }
      >
    | ({ type: "result" } & T)
