// Replies to the arena calls, for servers without an arena.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { repository } from "./server.js"

/** Returns the documented example of a call. A server test compares it with a real reply. */
const exampleOf = (call) =>
    JSON.parse(
        readFileSync(
            join(repository, "host/extras/arena/src/calls/ladder", `${call}.json`),
            "utf8",
        ),
    )

/** Returns an example with different values. Its fields come from the server. */
function like(example, changes) {
    for (const field of Object.keys(changes))
        assert.ok(field in example, `the server sends no field '${field}'`)
    return { ...example, ...changes }
}

const arenaReply = exampleOf("example").reply
const [rankedPlayer] = arenaReply.players
const playerReply = exampleOf("player").reply
const {
    games: [faultGame, timeGame],
} = exampleOf("games").reply
const { records } = exampleOf("live")

const reference = (id, player, version = 1) => like(timeGame.white, { id, player, version })
const [strong, old] = [reference(7, "nnue1,elo=1500", 2), reference(3, "nnue1,elo=1500")]
const [middle, weak, sick] = [
    reference(9, "basic1"),
    reference(4, "basic1,depth=1"),
    reference(11, "hangs"),
]

const usual = {
    games: 120,
    wins: 60,
    draws: 12,
    losses: 48,
    score: 0.55,
    faults: 0,
    mean_depth: 7.1,
    mean_ms: 150.2,
    superiority: 0.87,
}
const unplayed = {
    games: 0,
    wins: 0,
    draws: 0,
    losses: 0,
    score: null,
    elo: null,
    error: null,
    faults: 0,
    mean_depth: null,
    mean_ms: null,
    superiority: null,
}

function row(rank, player, elo, error, changes = {}) {
    const [ai] = player.player.split(",")
    return like(rankedPlayer, {
        rank,
        ...player,
        ai,
        name: `The AI ${ai}`,
        elo,
        error,
        ...usual,
        ...changes,
    })
}

const players = [
    row(1, strong, 1600, 100),
    row(2, middle, 1500, 50, { anchor: true }),
    row(3, weak, 1300, 25, { faults: 3, superiority: 0.999 }),
    row(4, sick, null, null, { ...unplayed, resting_until: "2026-11-25T17:40:00Z" }),
]

const pairing = (first, second, wins, draws, losses) =>
    like(arenaReply.pairings[0], { first, second, wins, draws, losses })
export const ladder = like(arenaReply, {
    state: "playing",
    reason: null,
    anchored: true,
    pairs: 617,
    games: 1234,
    void_pairs: 3,
    players,
    pairings: [pairing(7, 9, 3, 1, 2), pairing(4, 7, 1, 0, 11), pairing(9, 4, 10, 0, 0)],
})

export const emptyLadder = like(ladder, {
    state: "waiting",
    reason: "a client is using an AI",
    anchored: false,
    pairs: 0,
    games: 0,
    void_pairs: 0,
    players: players.map((player) =>
        like(player, { ...unplayed, anchor: false, resting_until: null }),
    ),
    pairings: [],
})

/** Returns a ladder with `count` players, of which the first `played` have played games. */
export function largeLadder(count, played) {
    const players = Array.from({ length: count }, (_, index) =>
        row(
            index + 1,
            reference(index + 1, `basic1,depth=${index + 1}`),
            null,
            null,
            index < played ? {} : unplayed,
        ),
    )
    const pairings = Array.from({ length: played - 1 }, (_, index) =>
        pairing(index + 1, index + 2, 1, 0, 1),
    )
    return like(ladder, { players, pairings })
}

const tally = (wins, draws, losses) => ({ wins, draws, losses })
const opponent = (opponent, games, score, white, black) =>
    like(playerReply.opponents[0], { opponent, games, score, white, black })
const version = (id, version, since, games, elo, error, difference) =>
    like(playerReply.versions[0], { id, version, since, games, elo, error, difference })
const record = like(playerReply, {
    player: players[0],
    opponents: [
        opponent(middle, 6, 0.583, tally(2, 0, 1), tally(1, 1, 1)),
        opponent(weak, 12, 0.917, tally(6, 0, 0), tally(5, 0, 1)),
    ],
    faults: [
        { game: 12, ...like(faultGame.fault, { ply: 33 }), opponent: middle, details: "signal 11" },
    ],
    versions: [
        version(3, 1, "2026-11-20T10:00:00Z", 40, 1490, 60, null),
        version(7, 2, "2026-11-24T10:00:00Z", 120, 1600, 100, { elo: -33.4, error: 50.1 }),
    ],
})
const oldRecord = like(record, {
    player: row(null, old, 1490, 60, { superiority: null }),
    opponents: [],
    faults: [],
})

const game = (example, id, changes) =>
    like(example, { id, pair: Math.ceil(id / 2), plies: 81, ...changes })
const imported = { opening: null, opening_name: null }
const games = [
    game(timeGame, 1234, { white: strong, black: middle, termination: records.end.termination }),
    game(timeGame, 1233, {
        white: middle,
        black: strong,
        result: "1/2-1/2",
        termination: "drawn by threefold repetition",
    }),
    game(faultGame, 1232, {
        white: weak,
        black: strong,
        termination: "White loses: ai_timeout",
        fault: like(faultGame.fault, { code: "ai_timeout", ply: 33 }),
    }),
    game(timeGame, 1231, { white: weak, black: middle }),
    // Imported games have no opening, and their termination is a PGN term.
    game(timeGame, 1230, { result: "1/2-1/2", termination: "stalemate", ...imported }),
    game(timeGame, 1229, { result: "0-1", termination: "time forfeit", ...imported }),
]

const pgn = `[Event "rookery arena"]
[Round "617.1"]
[White "nnue1,elo=1500"]
[Black "basic1"]
[Result "1-0"]
[TimeControl "10+0.1"]

1. e4 {[%eval 0.30,7] [%emt 0:00:00.120] [%clk 0:00:09.000]} 1... e5 {[%eval 0.25,6] [%emt 0:00:01.000] [%clk 0:00:08.000]}
2. Qh5 {[%eval 0.10,7] [%clk 0:00:07.000]} 2... Nc6 {[%eval 0.20,7] [%clk 0:00:06.000]} 3. Bc4 {[%eval 0.20,7] [%clk 0:00:05.000]}
3... Nf6 {[%eval #1,7] [%clk 0:00:04.000]} 4. Qxf7# {[%eval #0,1] [%clk 0:00:03.000] White gave checkmate} 1-0
`

const notFound = (detail) => {
    const problem = {
        title: "The resource does not exist",
        status: 404,
        detail,
        code: "not_found",
        request_id: null,
    }
    return { status: 404, contentType: "application/problem+json", body: JSON.stringify(problem) }
}
const json = (body) => ({
    status: 200,
    contentType: "application/json",
    body: JSON.stringify(body),
})

/** Returns a page of games in PGN. Only the first page has a next page. */
const pgnPage = (query) => ({
    status: 200,
    contentType: "application/vnd.chess-pgn",
    headers: query.get("before") ? {} : { Link: '<?limit=200&before=1233>; rel="next"' },
    body: `${pgn}\n`,
})

const gamePage = (games, next = null) => like(exampleOf("games").reply, { games, next })

/** Replies to the arena calls. Returns the received requests, such as `GET /v1/arena`. */
export async function replaceArena(tab, { shown = ladder, isAdmin = true } = {}) {
    const requests = []
    let state = { state: shown.state, reason: shown.reason }
    const reply = (method, path, query, accept) => {
        if (accept === "application/vnd.chess-pgn") return pgnPage(query)
        if (method === "POST" && !isAdmin)
            return notFound(
                "only clients with `admin = true` may control the arena; send the key of such a client",
            )
        if (path === "/v1/arena") return json({ ...shown, ...state })
        if (path === "/v1/arena/pause") return json((state = exampleOf("pause").reply))
        if (path === "/v1/arena/resume")
            return json(
                (state = like(exampleOf("resume").reply, { state: "playing", reason: null })),
            )
        if (path === "/v1/arena/players/7") return json(record)
        if (path === "/v1/arena/players/3") return json(oldRecord)
        if (path === "/v1/arena/players/7/rate-now")
            return json(like(exampleOf("rate_now").reply, { player: strong }))
        if (path === "/v1/arena/games/1234")
            return json(like(exampleOf("game").reply, { ...games[0], pgn }))
        if (path === "/v1/arena/games" && query.get("before")) return json(gamePage(games.slice(2)))
        if (path === "/v1/arena/games" && query.get("result") === "draw") return json(gamePage([]))
        if (path === "/v1/arena/games") return json(gamePage(games.slice(0, 2), 1233))
        return notFound(
            `the arena has no game '${path.split("/").at(-1)}'; GET /v1/arena/games lists them`,
        )
    }
    await tab.route(/\/v1\/arena/, (route) => {
        const { pathname, search, searchParams } = new URL(route.request().url())
        requests.push(`${route.request().method()} ${pathname}${search}`)
        const { accept } = route.request().headers()
        return route.fulfill(reply(route.request().method(), pathname, searchParams, accept))
    })
    // Playwright sends a body at once, but a stream's body must grow.
    await tab.addInitScript(() => {
        const { fetch } = window
        const encoder = new TextEncoder()
        const live = { connections: 0, send: () => undefined, close: () => undefined }
        const open = ({ signal }) => {
            live.connections += 1
            const body = new ReadableStream({
                start(controller) {
                    live.send = (...records) =>
                        controller.enqueue(
                            encoder.encode(
                                records.map((record) => `${JSON.stringify(record)}\n`).join(""),
                            ),
                        )
                    live.close = () => controller.close()
                    signal?.addEventListener("abort", () => controller.error(signal.reason))
                },
            })
            return new Response(body, { headers: { "Content-Type": "application/x-ndjson" } })
        }
        window.live = live
        window.fetch = (path, request) =>
            path === "/v1/arena/live" ? Promise.resolve(open(request)) : fetch(path, request)
    })
    return requests
}

export const running = like(records.game, {
    white: strong,
    black: middle,
    moves: ["e2e4", "e7e5"],
    clocks: like(records.game.clocks, { white_ms: 9000, black_ms: 65_000 }),
})
export const nextGame = like(records.game, {
    game: 6,
    white: weak,
    black: strong,
    moves: [],
    clocks: null,
})
export const knightMove = like(records.move, {
    uci: "g1f3",
    san: "Nf3",
    fen: "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
    score: { cp: 34 },
    depth: 7,
    clocks: like(records.move.clocks, { white_ms: 8900, black_ms: 65_000 }),
})
export const end = like(records.end, { result: "0-1", termination: "Black gave checkmate" })
export const endByFault = like(records.end, { result: "0-1", termination: faultGame.termination })
/** The end of a game that was interrupted by other work on the machine. */
export const disturbedEnd = like(records.end, { result: null, termination: null })
export const state = (state, reason) => like(records.state, { state, reason })
