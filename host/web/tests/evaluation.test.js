// The scores that the bar, the graph, the review and the analysis show.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"
import { stubReport } from "./report-stub.js"
import { isReviewed, review } from "./review.js"

withServer()

const game = "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6"
const barText = (tab) => tab.getByTestId("bar").getAttribute("aria-label")

scenario(
    "a review covers the main line, or a variation on request",
    { path: game },
    async (page, tab) => {
        await page.plays(6)
        await page.button("Go to start").click()
        await page.button("Next move").click()
        await page.press("c7", "c5")
        await page.hasText(tab.getByTestId("variation").first(), /c5/)
        const sent = tab.waitForRequest("**/v1/report")
        await review(page, tab)
        assert.equal((await sent).postDataJSON().game.moves.length, 6)
        await page.has("e4", "wp")
        await page.button("Go to end").click()
        await page.has("f6", "bn")
        await page.moves.getByRole("button", { name: "c5", exact: true }).click()
        await page.hasText(
            tab.getByTestId("report-about"),
            /^This is the review of the game\. The variation on the board has no review\.$/,
        )
        const next = tab.waitForRequest("**/v1/report")
        await page.button("Review this variation").click()
        assert.deepEqual((await next).postDataJSON().game.moves, ["e2e4", "c7c5"])
        await page.hasText(
            tab.getByTestId("report-about"),
            /^This is the review of variation 1… c5\.$/,
        )
    },
)

scenario(
    "another AI's analysis does not change the review's graph line",
    { path: game },
    async (page, tab) => {
        await page.plays(6)
        await review(page, tab)
        // Another AI returns wild scores.
        await tab.route("**/v1/best-move", (route) =>
            route.fulfill({
                json: {
                    move: null,
                    score: { cp: -2500 },
                    game: {},
                    search: {
                        depth: 9,
                        nodes: 1,
                        time_ms: 1,
                        pv: [],
                        san: [],
                        stopped_by: "depth",
                    },
                    ai: { id: "quick", name: "Q", version: "1" },
                },
            }),
        )
        await tab.route("**/v1/report", (route) => {
            const { ai } = route.request().postDataJSON()
            if (ai !== "quick") return route.continue()
            const move = {
                uci: "e2e4",
                san: "e4",
                from: "e2",
                to: "e4",
                promotion: null,
                capture: false,
                check: false,
            }
            const judged = Array.from({ length: 6 }, (_, index) => ({
                ply: index + 1,
                move,
                score: { cp: -2500 },
                score_after: { cp: -2500 },
                winning_chances: { before: 0, after: 0 },
                loss: 0,
                judgement: null,
                glyph: "",
                best: null,
                accuracy: 100,
            }))
            const records = [
                ...judged.map((entry, index) => ({
                    type: "judged",
                    done: index + 1,
                    of: 6,
                    ...entry,
                })),
                { type: "result", moves: judged, ai: { id: ai }, accuracy: {} },
            ]
            return route.fulfill({
                contentType: "application/x-ndjson",
                body: records.map((record) => JSON.stringify(record)).join("\n"),
            })
        })
        await page.open("Analyse")
        const choices = tab.locator(".choices")
        await choices.getByText("Basic1 (quick)").click()
        await choices.getByText("Basic1", { exact: true }).click()
        await page.analyse()
        await page.hasText(tab.getByTestId("answer-quick"), /−25\.00/)
        // A single score draws no line.
        await page.counts("[data-testid=legend] li", 0)
        await choices.getByText("Basic1", { exact: true }).click()
        await page.button("Compare whole game").click()
        await page.counts("[data-testid=legend] li", 2)
        const [names, lines] = [
            await tab.getByTestId("legend").boundingBox(),
            await tab.locator(".graph .u-over").boundingBox(),
        ]
        assert.ok(names.y + names.height <= lines.y, "the names are above the lines")
    },
)

scenario(
    "a missing score is not drawn as equal",
    {
        path: "/#moves=e2e4 e7e5",
        prepare: (tab) => tab.addInitScript(() => localStorage.setItem("analysts", "first")),
    },
    async (page, tab) => {
        await page.plays(2)
        await page.analyse()
        await page.hasText(tab.getByTestId("answer-first").locator(".score.big"), /^–$/)
        assert.match(await barText(tab), /^–: Not evaluated yet/)
        await page.counts("[data-testid=graph]", 0)
    },
)

scenario(
    "a review without scores draws no graph",
    {
        path: "/#moves=e2e4 e7e5 g1f3",
        prepare: (tab) => tab.addInitScript(() => localStorage.setItem("report-by", "first")),
    },
    async (page, tab) => {
        await page.plays(3)
        // The browser does not keep stream bodies.
        const bodies = []
        await tab.route("**/v1/report", async (route) => {
            const response = await route.fetch()
            bodies.push(await response.text())
            await route.fulfill({ response })
        })
        await page.open("Report")
        await until(() => bodies.length > 0, "the report is there")
        const records = bodies[0]
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        assert.deepEqual(
            records.at(-1).moves.map(({ score, score_after }) => [score, score_after]),
            Array(3).fill([null, null]),
        )
        await tab.getByText("No inaccuracies, mistakes or blunders.").waitFor()
        assert.match(await barText(tab), /^–: Not evaluated yet/)
        await page.counts("[data-testid=graph]", 0)
    },
)

scenario(
    "hides the evaluation during a person's game, and shows it in the review",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "quick")
        for (const [from, to, count] of [
            ["e2", "e4", 2],
            ["d2", "d4", 4],
        ]) {
            await page.press(from, to)
            await page.plays(count)
        }
        for (const part of ["bar", "graph", "thought"])
            assert.equal(await tab.getByTestId(part).isVisible(), false, part)
        await page.counts("[data-testid=board] .arrow", 0)
    },
)

/**
 * Returns the share of its height that a review's graph fills at a ply, which is White's winning
 * chance. Returns null if no line is drawn there.
 */
async function filledShare(tab, ply, plies) {
    await tab.locator(".review .graph canvas").waitFor()
    return tab.locator(".review .graph").evaluate((graph, at) => {
        const [canvas, plot] = ["canvas", ".u-over"].map((part) => graph.querySelector(part))
        const [all, inner] = [canvas, plot].map((part) => part.getBoundingClientRect())
        const scale = canvas.width / all.width
        const x = (inner.left - all.left + at * (inner.width - 1)) * scale
        const [top, height] = [(inner.top - all.top) * scale, inner.height * scale]
        const copy = document.createElement("canvas")
        copy.width = 1
        copy.height = Math.ceil(height) + 1
        const context = copy.getContext("2d", { willReadFrequently: true })
        context.fillStyle = getComputedStyle(graph).getPropertyValue("--graph-fill")
        context.fillRect(0, copy.height - 1, 1, 1)
        context.drawImage(canvas, x, top, 1, height, 0, 0, 1, height)
        const pixels = context.getImageData(0, 0, 1, copy.height).data
        const wanted = [...pixels.slice(-4)].join()
        const rows = Array.from({ length: Math.floor(height) }, (_, row) =>
            [...pixels.slice(4 * row, 4 * row + 4)].join(),
        )
        const filled = rows.filter((row) => row === wanted).length
        return filled === 0 ? null : filled / rows.length
    }, ply / plies)
}

/** A review's findings: mates by both sides, with each side to move. The last move is checkmate. */
const mates = {
    1: { after: { mate: 3 } },
    2: { score: { mate: 3 }, after: { mate: -3 } },
    3: { score: { mate: -3 }, after: { mate: 3 } },
    4: { score: { mate: 3 }, after: { mate: 2 } },
    5: { score: { mate: 2 }, after: { mate: -2 } },
    6: { score: { mate: -2 }, after: { mate: -1 } },
}

for (const [what, path, chances] of [
    ["Black mates", "f2f3 e7e5 g2g4 d8h4", [1, 0, 1, 0]],
    ["White mates", "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", [1, 0, 1, 1, 0, 0, 1]],
]) {
    const last = chances.length
    scenario(
        `the graph shows each mate on its side, even in the last position, where ${what}`,
        {
            path: `/#moves=${path}`,
            prepare: (tab) =>
                stubReport(tab, {
                    ...mates,
                    [last]: { score: mates[last - 1].after, after: { mate: 0 } },
                }),
        },
        async (page, tab) => {
            await page.plays(last)
            await page.open("Report")
            await isReviewed(tab)
            // The mark of the current move would hide the end of the line.
            await page.goToStart()
            const drawn = () =>
                Promise.all(
                    chances.map(async (_, index) =>
                        Math.round((await filledShare(tab, index + 1, last)) ?? 0),
                    ),
                )
            await until(
                async () => (await drawn()).join() === chances.join(),
                `the graph shows ${chances}`,
                drawn,
            )
        },
    )
}

scenario(
    "positions without a score leave a gap in the graph",
    {
        path: "/#moves=e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6",
        prepare: (tab) =>
            stubReport(tab, {
                3: { after: null },
                4: { score: null, after: null },
                5: { score: null, after: null },
                6: { score: null },
            }),
    },
    async (page, tab) => {
        await page.plays(8)
        await page.open("Report")
        await isReviewed(tab)
        await page.goToStart()
        await until(
            async () => (await filledShare(tab, 7, 8)) !== null,
            "the scores after the gap are drawn",
        )
        assert.ok(Math.abs((await filledShare(tab, 1, 8)) - 0.5) < 0.1)
        assert.equal(await filledShare(tab, 4, 8), null)
    },
)
