// What the report says that a bad move lost.

import assert from "node:assert/strict"
import { scenario, withServer } from "./browser.js"
import { stubReport } from "./report-stub.js"

withServer()

/**
 * Positions with a bad move and the move after it in the game; the lines are `uci san uci san`. The
 * last is what the report says.
 */
const positions = [
    {
        what: "a piece that the reply takes",
        fen: "4k3/p7/2n5/8/8/8/4P1B1/4K3 b - - 0 1",
        moves: "a7a6 e1d1",
        scores: [-200, 100],
        best: "c6e5 Ne5",
        reply: "g2c6 Bxc6+",
        says: "leaves the knight on c6 hanging: 2.Bxc6+",
    },
    {
        what: "a piece, in a line that is still capturing where it is not believed any more",
        fen: "4k3/p7/2n3p1/8/7P/8/4P1B1/4K3 b - - 0 1",
        moves: "a7a6 e1d1",
        scores: [-200, 100],
        best: "c6e5 Ne5",
        reply: "g2c6 Bxc6+ e8d8 Kd8 c6f3 Bf3 d8d7 Kd7 e1f2 Kf2 d7e7 Ke7 h4h5 h5 g6h5 gxh5 f3h5 Bxh5",
        says: "leaves the knight on c6 hanging: 2.Bxc6+",
    },
    {
        what: "a piece that moves to where it is taken",
        fen: "4k3/8/2n5/8/8/4P3/8/4K3 b - - 0 1",
        moves: "c6d4 e1d1",
        scores: [-200, 120],
        best: "c6e5 Ne5",
        reply: "e3d4 exd4 e8e7 Ke7",
        says: "loses a knight: 2.exd4",
    },
    {
        what: "a fork",
        fen: "r3k3/p7/8/3N4/8/8/8/4K3 b - - 0 1",
        moves: "a7a6 e1d1",
        scores: [-250, 250],
        best: "e8d7 Kd7",
        reply: "d5c7 Nc7+ e8d7 Kd7 c7a8 Nxa8 d7c6 Kc6",
        says: "loses a rook: 2.Nc7+Kd73.Nxa8",
    },
    {
        what: "a rook for a bishop",
        fen: "3rk3/p7/8/6B1/8/8/8/4K3 b - - 0 1",
        moves: "a7a6 e1e2",
        scores: [-200, 0],
        best: "d8d7 Rd7",
        reply: "g5d8 Bxd8 e8d8 Kxd8",
        says: "loses the exchange: 2.Bxd8Kxd8",
    },
    {
        what: "a rook that castled",
        fen: "4k2r/p7/8/8/8/8/1B6/4K3 b k - 0 1",
        moves: "e8g8 e1d1",
        scores: [-200, 0],
        best: "h8g8 Rg8",
        reply: "b2a3 Ba3 a7a6 a6 a3f8 Bxf8 g8f8 Kxf8",
        says: "loses the exchange: 2.Ba3a63.Bxf8Kxf8",
    },
    {
        what: "a pawn taken en passant",
        fen: "4k3/p7/8/8/4p3/8/3P4/4K3 w - - 0 1",
        moves: "d2d4 e8d7",
        scores: [0, -120],
        best: "e1e2 Ke2",
        reply: "e4d3 exd3 e1d2 Kd2",
        says: "loses a pawn: 1…exd3",
    },
    {
        what: "a promotion",
        fen: "4k3/8/8/8/8/p7/7P/4K2R w - - 0 1",
        moves: "h2h3 e8d7",
        scores: [300, -400],
        best: "e1d2 Kd2",
        reply: "a3a2 a2 h1g1 Rg1 a2a1q a1=Q+",
        says: "allows a promotion: 1…a22.Rg1a1=Q+",
    },
    {
        what: "a piece that the better move wins",
        fen: "4k3/8/2n5/8/8/8/4P1B1/4K3 w - - 0 1",
        moves: "e2e3 e8d7",
        scores: [400, 50],
        best: "g2c6 Bxc6+ e8e7 Ke7",
        reply: "c6e5 Ne5",
        says: "misses winning a knight",
    },
    {
        what: "a queen that the better move wins, beside a pawn that this one loses",
        fen: "r3k3/8/8/3q4/2P5/8/P7/4K3 w - - 0 1",
        moves: "e1e2 e8e7",
        scores: [300, -600],
        best: "c4d5 cxd5",
        reply: "a8a2 Rxa2+ e2e1 Ke1",
        says: "misses winning the queen",
    },
    {
        what: "a missed mate",
        fen: "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
        moves: "a1b1 g8f8",
        scores: [{ mate: 1 }, 300],
        best: "a1a8 Ra8#",
        reply: "h7h6 h6",
        says: "misses mate in 1",
    },
    {
        what: "a mate, played in the game",
        fen: "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
        moves: "g2g4 d8h4",
        scores: [-50, { mate: -1 }],
        best: "d2d4 d4",
        game: "Qh4#",
        says: "allows mate in 1: 2…Qh4#",
    },
    // Nothing plain can be said.
    {
        what: "a trade",
        fen: "4k3/pp6/2n5/8/8/8/4P1B1/4K3 b - - 0 1",
        moves: "a7a6 e1d1",
        scores: [-100, 60],
        best: "c6e5 Ne5",
        reply: "g2c6 Bxc6+ b7c6 bxc6",
    },
    {
        what: "a pawn that comes back",
        fen: "4k3/pp6/8/3p4/4P3/8/8/4K3 b - - 0 1",
        moves: "a7a6 e1d1",
        scores: [-100, 20],
        best: "d5d4 d4",
        reply: "e4d5 exd5 e8d7 Kd7 e1e2 Ke2 d7d6 Kd6 e2e3 Ke3 d6d5 Kxd5",
    },
    {
        what: "a capture that the score does not feel",
        fen: "4k3/p7/2n5/8/8/8/4P1B1/4K3 b - - 0 1",
        moves: "a7a6 e1d1",
        scores: [-200, -80],
        best: "c6e5 Ne5",
        reply: "g2c6 Bxc6+",
    },
    {
        what: "what the better move loses too",
        fen: "4k3/p7/2n5/8/8/8/4P1B1/4K3 b - - 0 1",
        moves: "a7a6 e1d1",
        scores: [-200, 100],
        best: "e8d7 Kd7 g2c6 Bxc6+",
        reply: "g2c6 Bxc6+",
    },
    {
        what: "a last move",
        fen: "4k3/p7/2n5/8/8/8/4P1B1/4K3 w - - 0 1",
        moves: "e1d1 a7a6",
        scores: [-200, 100],
        at: 2,
        best: "c6e5 Ne5",
    },
]

const lineOf = (text) =>
    text
        .split(" ")
        .flatMap((uci, index, words) => (index % 2 === 0 ? [[uci, words[index + 1]]] : []))
const score = (number) => (typeof number === "number" ? { cp: number } : number)
const san = { a7a6: "a6", e8g8: "O-O", a1b1: "Rb1" }

scenario(
    "the report says what a bad move lost, and nothing that its lines do not show",
    {},
    async (page, tab) => {
        const { origin } = new URL(tab.url())
        for (const { what, fen, moves, scores, best, reply, game, says, at = 1 } of positions) {
            const [first, second] = moves.split(" ")
            await tab.unroute("**/v1/report")
            await stubReport(tab, {
                [at]: {
                    judgement: "blunder",
                    san: san[first],
                    score: score(scores[0]),
                    after: score(scores[1]),
                    best: lineOf(best),
                },
                ...(at === 1 && { 2: { san: game, ...(reply && { best: lineOf(reply) }) } }),
            })
            await tab.goto("about:blank")
            await tab.goto(`${origin}/#fen=${encodeURIComponent(fen)}&moves=${first}%20${second}`)
            await page.plays(2)
            await page.open("Report")
            await page.button("Review game").click()
            await tab.locator(".bad-moves li").waitFor()
            const found = await tab.locator(".bad-moves .loss").allInnerTexts()
            assert.deepEqual(
                found.map((text) => text.replace(/\s+/g, " ").trim()),
                says ? [says] : [],
                what,
            )
        }
    },
)

scenario(
    "what a move lost is in words, with the line that shows it",
    {
        path: "/#moves=f2f3 e7e5 g2g4 d8h4",
        prepare: (tab) =>
            stubReport(tab, {
                3: {
                    judgement: "blunder",
                    score: { cp: -70 },
                    after: { mate: -1 },
                    best: [["d2d4", "d4"]],
                },
                4: { san: "Qh4#" },
            }),
    },
    async (page, tab) => {
        await page.plays(4)
        await page.open("Report")
        await page.button("Review game").click()
        await tab.locator(".loss").getByRole("button", { name: "Qh4#" }).click()
        await page.has("h4", "bq")
        await page.hasHeadline(/^Imagined position$/)
    },
)
