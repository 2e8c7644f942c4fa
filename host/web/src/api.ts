// The HTTP client: client id and key, errors, retries and streams.

import { batch, signal } from "@preact/signals"
import { noteAnswer, noteFault } from "./ai-faults"
import type {
    Ai,
    Attacks,
    BestMove,
    Clocks,
    GameForm,
    LegalMoves,
    Limit,
    Match,
    MatchForm,
    ProblemBody,
    Reach,
    Report,
    ServerLevel,
    StreamRecord,
    Why,
} from "./api/types"
import { clearRejections, optionsOf, rejectOption } from "./options"
import type { Options } from "./options"
import { local, tabStorage } from "./storage"
import { common } from "./texts/common"

export type * from "./api/types"

/** An error response of the host: `application/problem+json`. */
export class Problem extends Error {
    constructor(
        readonly body: ProblemBody,
        readonly retryAfterSeconds: number | null,
    ) {
        super(body.detail)
    }
}

/** Whether the last request reached the host. */
export const connected = signal(true)

/** The client id and API key. The key is stored only for the session of this tab. */
export const clientId = signal(local.get("client") ?? "")
export const clientKey = signal(tabStorage.get("key") ?? "")

export function setClient(id: string, key: string): void {
    local.set("client", id)
    tabStorage.set("key", key)
    batch(() => {
        clientId.value = id
        clientKey.value = key
    })
}

const maxRetryDelayMs = 1000
/** A stream that receives no data for this long is closed. The host sends a heartbeat every 5 s. */
const streamTimeoutMs = 20_000
/**
 * A request that gets no response for this long is sent again. The host's timeout for a body is
 * shorter.
 */
const answerTimeoutMs = 60_000
/** The longest `Retry-After` for which a 429 is retried without an error message. */
const maxRetryAfterSeconds = 10

/** Retries after network errors and short rate limits. Every request can be repeated safely. */
async function withRetries<T>(
    signal: AbortSignal | undefined,
    attempt: () => Promise<T>,
): Promise<T> {
    for (let delayMs = 250; ; delayMs = Math.min(delayMs * 2, maxRetryDelayMs)) {
        try {
            const answer = await attempt()
            setConnected()
            return answer
        } catch (error) {
            const retryAfter =
                error instanceof Problem && error.body.status === 429
                    ? error.retryAfterSeconds
                    : null
            if (signal?.aborted) throw error
            connected.value = !(error instanceof TypeError)
            if (retryAfter && retryAfter <= maxRetryAfterSeconds)
                await delay(retryAfter * 1000, signal)
            else if (error instanceof TypeError)
                await Promise.race([delay(delayMs, signal), reconnected()])
            else throw error
        }
    }
}

/** Callbacks that resume requests waiting for the host. */
let resume: (() => void)[] = []

const reconnected = () => new Promise<void>((resolve) => resume.push(resolve))

function setConnected(): void {
    connected.value = true
    const waiting = resume
    resume = []
    for (const next of waiting) next()
}

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms)
        signal?.addEventListener("abort", () => {
            clearTimeout(timer)
            reject(signal.reason)
        })
    })
}

/** The method and extra headers of a request. */
interface RequestOptions {
    method?: string
    headers?: Record<string, string>
}

/** The request behind an answer. */
export interface SentRequest {
    path: string
    body: unknown
    client: string
    hasKey: boolean
    id: string | null
}

const requests = new WeakMap<object, SentRequest>()
/** Returns the request behind an answer; undefined if the answer is from an earlier visit. */
export const requestOf = (answer: object): SentRequest | undefined => requests.get(answer)

function remember<T>(answer: T, path: string, body: unknown, { headers }: Response): T {
    const id = headers.get("X-Request-Id")
    if (body !== undefined && typeof answer === "object" && answer !== null)
        requests.set(answer, {
            path,
            body,
            client: clientId.value,
            hasKey: clientKey.value !== "",
            id,
        })
    return answer
}

async function send(
    path: string,
    body: unknown,
    accept: string,
    signal: AbortSignal | undefined,
    options: RequestOptions = {},
): Promise<Response> {
    const headers: Record<string, string> = { Accept: accept, ...options.headers }
    if (clientId.value) headers["X-Client-Id"] = clientId.value
    if (clientKey.value) headers.Authorization = `Bearer ${clientKey.value}`
    const request: RequestInit = { ...options, headers }
    if (body !== undefined) {
        headers["Content-Type"] = "application/json"
        request.method = "POST"
        request.body = JSON.stringify(body)
    }
    const abandoned = new AbortController()
    request.signal = signal ? AbortSignal.any([signal, abandoned.signal]) : abandoned.signal
    const response = await inTime(fetch(path, request), answerTimeoutMs, () => abandoned.abort())
    if (response.ok) return response
    const retryAfter = Number(response.headers.get("Retry-After"))
    throw new Problem(await problemOf(response), retryAfter > 0 ? retryAfter : null)
}

/** Reads a problem body. If a proxy sent something else, returns a generic problem. */
async function problemOf(response: Response): Promise<ProblemBody> {
    const { status } = response
    const fallback = {
        title: common.unexpectedResponse,
        status,
        detail: common.noProblem(status),
        code: "no_answer",
        request_id: null,
    }
    if (!response.headers.get("Content-Type")?.includes("json")) return fallback
    return response.json().catch(() => fallback)
}

/** Sends a request with a single JSON response. */
export function call<T>(
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    options?: RequestOptions,
): Promise<T> {
    return withRetries(signal, async () => {
        const response = await send(path, body, "application/json", signal, options)
        return remember((await response.json()) as T, path, body, response)
    })
}

/**
 * Sends a request with an NDJSON response. Passes each record to `onRecord` and returns the result
 * record.
 */
export function stream<T>(
    path: string,
    body: unknown,
    onRecord: (record: StreamRecord<T>) => void,
    signal?: AbortSignal,
): Promise<T> {
    return streamRecords<StreamRecord<T>, T>(
        path,
        body,
        (record) => {
            if (record.type === "result") return record
            if (record.type === "error") throw new Problem(record, null)
            return onRecord(record)
        },
        signal,
    )
}

/**
 * Sends a request with an NDJSON response. Passes each record and its index to `onRecord` until
 * `onRecord` returns a value. If the stream ends first, requests it again and restarts the indices
 * at 0.
 */
export function streamRecords<R, T>(
    path: string,
    body: unknown,
    onRecord: (record: R, index: number) => T | void,
    signal?: AbortSignal,
): Promise<T> {
    return withRetries(signal, async () => {
        const response = await send(path, body, "application/x-ndjson", signal)
        // If no search is needed, for example because the game is over, the response may be plain
        // JSON.
        if (!response.headers.get("Content-Type")?.includes("ndjson"))
            return remember((await response.json()) as T, path, body, response)
        let index = 0
        for await (const record of records<R>(response)) {
            signal?.throwIfAborted()
            setConnected()
            const last = onRecord(record, index)
            if (last) return remember(last, path, body, response)
            index += 1
        }
        throw new TypeError("the stream ended without its last record")
    })
}

async function* records<R>(response: Response): AsyncGenerator<R> {
    if (!response.body) return
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let buffer = ""
    for (;;) {
        // While the stream is open, the host sends data or heartbeats.
        const { done, value } = await inTime(reader.read(), streamTimeoutMs, () => {
            void reader.cancel().catch(() => undefined)
        })
        if (done) return
        const lines = (buffer + value).split("\n")
        // The last line may be incomplete.
        buffer = lines.pop() ?? ""
        for (const line of lines) if (line.trim()) yield JSON.parse(line) as R
    }
}

/**
 * Waits for data from the host. After the timeout, calls `cancel` and fails as if the connection
 * had been lost.
 */
async function inTime<T>(arrival: Promise<T>, timeoutMs: number, cancel: () => void): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new TypeError(`no data for ${timeoutMs} ms`)), timeoutMs)
    })
    try {
        return await Promise.race([arrival, timeout])
    } catch (error) {
        cancel()
        throw error
    } finally {
        clearTimeout(timer)
    }
}

export const legalMoves = (game: GameForm, signal?: AbortSignal) =>
    call<LegalMoves>("/v1/legal-moves", { game }, signal)
export const reachable = (game: GameForm, square: string) =>
    call<Reach>("/v1/reachable", { game, square })
export const why = (game: GameForm, move: string) => call<Why>("/v1/why", { game, move })
export const attacks = (game: GameForm, signal?: AbortSignal) =>
    call<Attacks>("/v1/attacks", { game }, signal)
export const listAis = () => call<Ai[]>("/v1/ais")
export const listLevels = () => call<{ levels: ServerLevel[] }>("/v1/levels")
export const convert = <K extends string, T>(game: GameForm, to: K) =>
    call<Record<K, T>>("/v1/convert", { game, to })
export const bestMove = (
    request: {
        game: GameForm
        ai: string
        limit?: unknown
        clocks?: Clocks
        options?: Options
        lines?: number
        trace?: { nodes: number }
        analysis?: boolean
    },
    onRecord: (record: StreamRecord<BestMove>) => void,
    signal?: AbortSignal,
) => withOptions(request, (request) => stream<BestMove>("/v1/best-move", request, onRecord, signal))
export const report = (
    request: { game: GameForm; ai: string; limit?: Limit },
    onRecord: (record: StreamRecord<Report>) => void,
    signal: AbortSignal,
) => withOptions(request, (request) => stream<Report>("/v1/report", request, onRecord, signal))

const matchPath = (id: string) => `/v1/matches/${encodeURIComponent(id)}`
/**
 * Starts a match. Each match has a new key, so a request that is sent twice starts only one match.
 */
export const startMatch = (match: MatchForm, key: string) =>
    call<Match>("/v1/matches", match, undefined, { headers: { "Idempotency-Key": key } })
export const findMatch = (id: string) => call<Match>(matchPath(id))
export const stopMatch = (id: string) =>
    call<Match>(matchPath(id), undefined, undefined, { method: "DELETE" })
/** Returns the finished games of a match as PGN. */
export const matchGames = (id: string) =>
    withRetries(undefined, async () =>
        (
            await send(`${matchPath(id)}/games`, undefined, "application/vnd.chess-pgn", undefined)
        ).text(),
    )
/** Returns one page of the arena's games as PGN, and the `before` parameter of the next page. */
export const arenaGames = (query: string, signal: AbortSignal) =>
    withRetries(signal, async () => {
        const path = `/v1/arena/games?${query}`
        const response = await send(path, undefined, "application/vnd.chess-pgn", signal)
        const next = /before=(\d+)>/.exec(response.headers.get("Link") ?? "")?.[1]
        return { pgn: await response.text(), next }
    })
/** Returns the server's metrics, if this client may read them. */
export const metrics = (signal: AbortSignal) =>
    withRetries(signal, async () =>
        (await send("/metrics", undefined, "text/plain", signal)).text(),
    )
/** Streams the records of a match until it ends. */
export const followMatch = (id: string, onRecord: (record: StreamRecord<Match>) => void) =>
    stream<Match>(matchPath(id), undefined, onRecord)

/**
 * Sends a request with the user's options for the AI. Options in the request override them.
 * Rejected options are shown at their fields.
 */
async function withOptions<
    Q extends { ai: string; options?: Options },
    T extends { ai?: { fallback_for?: string | null } },
>(request: Q, attempt: (request: Q) => Promise<T>): Promise<T> {
    const { ai } = request
    const options = { ...optionsOf(ai), ...request.options }
    try {
        const answer = await attempt(
            Object.keys(options).length > 0 ? { ...request, options } : request,
        )
        clearRejections(ai)
        if (!answer.ai?.fallback_for) noteAnswer(ai)
        return answer
    } catch (error) {
        if (error instanceof Problem) noteFault(ai, error.body.code)
        for (const { name, message } of rejectedOptions(error)) rejectOption(ai, name, message)
        throw error
    }
}

const optionsPointer = "/options/"

/** Returns the rejected options with the reasons. */
export function rejectedOptions(error: unknown): { name: string; message: string }[] {
    const issues = error instanceof Problem ? (error.body.issues ?? []) : []
    const rejected = issues.filter(({ pointer }) => pointer.startsWith(optionsPointer))
    // Option names need no escaping in a JSON pointer.
    return rejected.map(({ pointer, message }) => ({
        name: pointer.slice(optionsPointer.length),
        message,
    }))
}
