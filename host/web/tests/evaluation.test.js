// Whose scores are shown, and when: the bar, the graph, the report and the analysis of the
// opponent.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

const game = "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6"
const review = async (page, tab, button = "Review game") => {
    await page.open("Report")
    await page.limitTo("depth", 2)
    await page.button(button).click()
    await page.hasText(tab.locator(".side-report .score.big").first(), /^[\d.]+ %$/)
}
const barText = (tab) => tab.getByTestId("bar").getAttribute("aria-label")

scenario(
    "a report from inside a variation is that of the game, or by name that of the variation",
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
            /^This is the report of the game; the variation on the board has none\.$/,
        )
        const next = tab.waitForRequest("**/v1/report")
        await page.button("Review this variation").click()
        assert.deepEqual((await next).postDataJSON().game.moves, ["e2e4", "c7c5"])
        await page.hasText(
            tab.getByTestId("report-about"),
            /^This is the report of the variation 1… c5\.$/,
        )
    },
)

scenario(
    "the analysis of another AI moves neither the bar nor the line of a report",
    { path: game },
    async (page, tab) => {
        await page.plays(6)
        await review(page, tab)
        const before = await barText(tab)
        // Another AI that judges wildly.
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
        await page.primary("Analyse").click()
        await page.hasText(tab.getByTestId("answer-quick"), /−25\.00/)
        assert.equal(await barText(tab), before)
        // One score is no line.
        await page.counts("[data-testid=legend] li", 0)
        await choices.getByText("Basic1", { exact: true }).click()
        await page.button("Compare over the game").click()
        await page.counts("[data-testid=legend] li", 2)
        const [names, lines] = [
            await tab.getByTestId("legend").boundingBox(),
            await tab.locator(".graph .u-over").boundingBox(),
        ]
        assert.ok(names.y + names.height <= lines.y, "the names are above the lines")
        assert.equal(await barText(tab), before)
    },
)

scenario("an AI that gives no score is not drawn as equal", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("first", "first")
    for (const count of [1, 2, 3, 4]) {
        await page.button("Play one move").click()
        await page.plays(count)
    }
    assert.match(await barText(tab), /^–: Not evaluated yet/)
    await page.counts("[data-testid=graph]", 0)
    await page.hasText(tab.getByTestId("thought").locator(".lines .score"), /^–$/)
    await page.players("", "")
    await page.open("Analyse")
    await tab.locator(".choices").getByText("test-ais (first)").click()
    await tab.locator(".choices").getByText("Basic1", { exact: true }).click()
    await page.primary("Analyse").click()
    await page.hasText(tab.getByTestId("answer-first").locator(".score.big"), /^–$/)
})

scenario(
    "a report by an AI that gives no score draws none",
    { path: "/#moves=e2e4 e7e5 g1f3" },
    async (page, tab) => {
        await page.plays(3)
        await page.open("Report")
        await tab.getByLabel("AI", { exact: true }).selectOption("first")
        // The browser keeps no body of a stream.
        const bodies = []
        await tab.route("**/v1/report", async (route) => {
            const response = await route.fetch()
            bodies.push(await response.text())
            await route.fulfill({ response })
        })
        await page.button("Review game").click()
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
    "while a person plays nothing tells the evaluation, unless asked for",
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
        const isShown = async () => [
            await tab.getByTestId("bar").isVisible(),
            await tab.getByTestId("graph").isVisible(),
            await tab.getByTestId("thought").isVisible(),
        ]
        const hasShown = (expected) =>
            until(
                async () => (await isShown()).every((shown) => shown === expected),
                `everything is ${expected ? "shown" : "hidden"}`,
                isShown,
            )
        await hasShown(false)
        await page.counts("[data-testid=board] .arrow", 0)
        const choice = tab.getByLabel("Show AI analysis")
        await choice.check()
        await hasShown(true)
        await choice.uncheck()
        await hasShown(false)
        // The choice is for all games; without one the end of a game shows everything.
        await page.button("Resign").click()
        await page.hasHeadline(/^You resigned$/)
        assert.equal(await tab.getByTestId("graph").isVisible(), false)
    },
)

scenario("after the game its evaluation is shown", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "quick")
    for (const [from, to, count] of [
        ["e2", "e4", 2],
        ["d2", "d4", 4],
    ]) {
        await page.press(from, to)
        await page.plays(count)
    }
    assert.equal(await tab.getByTestId("graph").isVisible(), false)
    await page.button("Resign").click()
    await tab.getByTestId("graph").locator("canvas").waitFor()
    await page.hasText(tab.getByTestId("bar"), /^0–1$/)
})
