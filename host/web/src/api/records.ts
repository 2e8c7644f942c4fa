// The records of streams; see docs/http-api.md.

import type { MatchRecord } from "./matches"
import type { Answer, Info, MoveReport, ProblemBody } from "./types"

/** A record of a stream. Exactly one `result` or `error` is the last. */
export type StreamRecord<T> =
    | { type: "start" }
    | Info
    | { type: "heartbeat" }
    | ({ type: "answer" } & Answer)
    | MatchRecord
    | ({ type: "judged"; done: number; of: number } & MoveReport)
    | ({ type: "result" } & T)
    | ({ type: "error" } & ProblemBody)
