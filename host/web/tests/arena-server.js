// Replies of the calls of the arena, in place of a server with one.

const reference = (id, player, version = 1) => ({ id, player, version })
export const references = {
    strong: reference(7, "nnue1,elo=1500", 2),
    old: reference(3, "nnue1,elo=1500"),
    middle: reference(9, "basic1"),
    weak: reference(4, "basic1,depth=1"),
    sick: reference(11, "hangs"),
}
const { strong, old, middle, weak, sick } = references

const row = (rank, player, elo, error, changes = {}) => ({
    rank,
    ...player,
    ai: player.player.split(",")[0],
    name: `The AI ${player.player.split(",")[0]}`,
    fingerprint: "0123456789abcdef",
    anchor: false,
    resting_until: null,
    elo,
    error,
    games: 120,
    wins: 60,
    draws: 12,
    losses: 48,
    score: 0.55,
    faults: 0,
    mean_depth: 7.1,
    mean_ms: 150.2,
    superiority: 0.87,
    ...changes,
})

const players = [
    row(1, strong, 1600, 100),
    row(2, middle, 1500, 50, { anchor: true }),
    row(3, weak, 1300, 25, { faults: 3, superiority: 0.999 }),
    row(4, sick, null, null, { games: 0, wins: 0, draws: 0, losses: 0, score: 0, mean_depth: null, mean_ms: null, superiority: null, resting_until: "2026-11-25T17:40:00Z" }),
]

export const ladder = {
    state: "playing",
    reason: null,
    time_control: "10+0.1",
    anchored: true,
    pairs: 617,
    games: 1234,
    void_pairs: 3,
    players,
    pairings: [
        { first: 7, second: 9, wins: 3, draws: 1, losses: 2 },
        { first: 4, second: 7, wins: 1, draws: 0, losses: 11 },
        { first: 9, second: 4, wins: 10, draws: 0, losses: 0 },
    ],
}

export const emptyLadder = {
    ...ladder,
    state: "waiting",
    reason: "an AI is asked by a client",
    anchored: false,
    pairs: 0,
    games: 0,
    void_pairs: 0,
    players: players.map((player, index) => ({ ...row(index + 1, player, null, null), games: 0, score: 0, faults: 0 })),
    pairings: [],
}

const tally = (wins, draws, losses) => ({ wins, draws, losses })
export const record = {
    player: players[0],
    opponents: [
        { opponent: middle, games: 6, score: 0.583, white: tally(2, 0, 1), black: tally(1, 1, 1) },
        { opponent: weak, games: 12, score: 0.917, white: tally(6, 0, 0), black: tally(5, 0, 1) },
    ],
    faults: [{ game: 12, ply: 33, code: "ai_crashed", opponent: middle, color: "white", details: "signal 11" }],
    versions: [
        { id: 3, version: 1, fingerprint: "aa", since: "2026-11-20T10:00:00Z", games: 40, elo: 1490, error: 60, difference: null },
        { id: 7, version: 2, fingerprint: "bb", since: "2026-11-24T10:00:00Z", games: 120, elo: 1600, error: 100, difference: { elo: -33.4, error: 50.1 } },
    ],
}
const oldRecord = { player: { ...row(null, old, 1490, 60), superiority: null }, opponents: [], faults: [], versions: record.versions }

const game = (id, white, black, result, termination, fault = null) => ({ id, pair: Math.ceil(id / 2), match: null, white, black, result, termination, fault, opening: 17, plies: 81, ended: "2026-11-25T17:40:00Z" })
const games = [
    game(1234, strong, middle, "1-0", "checkmate"),
    game(1233, middle, strong, "1/2-1/2", "threefold_repetition"),
    game(1232, weak, strong, "0-1", "fault", { code: "ai_timeout", ply: 33, color: "white" }),
]

const pgn = `[Event "Arena"]
[Site "Rookery"]
[Date "2026.11.25"]
[Round "617.1"]
[White "nnue1,elo=1500"]
[Black "basic1"]
[Result "1-0"]

1. e4 {[%eval 0.30,7] [%emt 0:00:00.120] [%clk 0:00:09]} e5 {[%eval 0.25,6] [%emt 0:00:01.000] [%clk 0:00:08]}
2. Qh5 {[%eval 0.10,7] [%clk 0:00:07]} Nc6 {[%eval 0.20,7] [%clk 0:00:06]} 3. Bc4 {[%eval 0.20,7] [%clk 0:00:05]}
Nf6 {[%eval #1,7] [%clk 0:00:04]} 4. Qxf7# {[%eval #0,1] [%clk 0:00:03]} 1-0
`

const problem = (status, code, detail) => ({ status, contentType: "application/problem+json", body: JSON.stringify({ title: code, status, detail, code, request_id: null }) })
const json = (body, status = 200) => ({ status, contentType: "application/json", body: JSON.stringify(body) })

/** Replies to the calls of the arena. Returns the requests, as `GET /v1/arena`. */
export async function replaceArena(tab, { shown = ladder, isAdmin = true } = {}) {
    const requests = []
    let state = { state: shown.state, reason: shown.reason }
    const reply = (method, path, query) => {
        if (method === "POST" && !isAdmin) return problem(403, "forbidden", "the client is no admin")
        if (path === "/v1/arena") return json({ ...shown, ...state })
        if (path === "/v1/arena/pause") return json((state = { state: "paused", reason: "an admin paused it" }))
        if (path === "/v1/arena/resume") return json((state = { state: "playing", reason: null }))
        if (path === "/v1/arena/players/7") return json(record)
        if (path === "/v1/arena/players/3") return json(oldRecord)
        if (path === "/v1/arena/players/7/rate-now") return json({ player: strong }, 202)
        if (path === "/v1/arena/games/1234") return json({ ...games[0], pgn })
        if (path === "/v1/arena/games" && query.get("before")) return json({ games: games.slice(2), next: null })
        if (path === "/v1/arena/games" && query.get("result") === "draw") return json({ games: [], next: null })
        if (path === "/v1/arena/games") return json({ games: games.slice(0, 2), next: 1233 })
        return problem(404, "not_found", `there is no ${path}`)
    }
    await tab.route(/\/v1\/arena/, (route) => {
        const { pathname, search, searchParams } = new URL(route.request().url())
        requests.push(`${route.request().method()} ${pathname}${search}`)
        return route.fulfill(reply(route.request().method(), pathname, searchParams))
    })
    // Playwright sends a body at once; the stream needs one that grows.
    await tab.addInitScript(() => {
        const { fetch } = window
        const encoder = new TextEncoder()
        const live = { connections: 0, send: () => undefined, close: () => undefined }
        const open = ({ signal }) => {
            live.connections += 1
            const body = new ReadableStream({
                start(controller) {
                    live.send = (...records) => controller.enqueue(encoder.encode(records.map((record) => `${JSON.stringify(record)}\n`).join("")))
                    live.close = () => controller.close()
                    signal?.addEventListener("abort", () => controller.error(signal.reason))
                },
            })
            return new Response(body, { headers: { "Content-Type": "application/x-ndjson" } })
        }
        window.live = live
        window.fetch = (path, request) => (path === "/v1/arena/live" ? Promise.resolve(open(request)) : fetch(path, request))
    })
    return requests
}

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
export const running = { type: "game", game: 5, white: strong, black: middle, fen: start, moves: ["e2e4", "e7e5"], clocks: { white_ms: 9000, black_ms: 65_000 } }
export const nextGame = { type: "game", game: 6, white: weak, black: strong, fen: start, moves: [], clocks: null }
export const knightMove = {
    type: "move",
    game: 5,
    uci: "g1f3",
    san: "Nf3",
    fen: "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    score: { cp: 34 },
    depth: 7,
    time_ms: 120,
    clocks: { white_ms: 8900, black_ms: 65_000 },
}
export const end = { type: "end", game: 5, result: "0-1", termination: "checkmate" }
