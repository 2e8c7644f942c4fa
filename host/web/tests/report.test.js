// The review of a game.

import assert from "node:assert/strict"
import {
    accessibilityViolations,
    forEachLook,
    scenario,
    shiftsOf,
    until,
    watchShifts,
    withServer,
} from "./browser.js"
import { stubReport } from "./report-stub.js"
import { isReviewed, review, searchReportsTo, unfoldReviewSettings } from "./review.js"

const nnue1 = `
[client.default]
ai = "basic1"

[ai.nnue1]
library = "ai_nnue1"
`
withServer({ clients: nnue1 })

/** Fifty random moves by each side. */
const long = [
    "b2b3 h7h6 c2c3 g8f6 d1c2 g7g5 c2e4 h8h7 e4h7 a7a6 h7e4 h6h5 f2f4 f6g4 f4g5 g4h2 e4b4 h2g4 b4e4 f7f5 h1h3 c7c5 d2d4",
    "b8c6 g2g3 c5d4 e4c2 g4h2 f1g2 h2f3 e1f1 d4c3 h3h5 f3h4 c1f4 h4g2 c2f5 g2h4 f4b8 h4f3 e2e3 f3h2 f1e2 c6d4 e3d4 a8b8",
    "f5d7 e8f7 h5h3 c8d7 b1c3 d7h3 a1f1 f7e8 g1f3 h3f1 e2f2 h2f3 a2a3 f3d4 f2f1 d4b3 g5g6 d8d3 f1e1 d3g6 c3b5 g6e6 e1d1",
    "b3d2 d1d2 f8g7 b5d6 e8d7 d6b7 b8b7 d2c1 e6e1 c1c2 e1e6 c2d3 e6c6 g3g4 g7f6 d3e2 d7e6 e2d2 c6d6 d2e2 d6h2 e2f3 b7b4",
    "a3b4 h2g1 f3f4 g1g4 f4g4 e6f7 g4h3 f7g6",
].join(" ")
const blunder = "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"
const foolsMate = "/#moves=f2f3 e7e5 g2g4 d8h4"

/** Returns the button of a bad move in the list. */
const badMove = (tab, words) => tab.locator(".bad-moves > li > button").filter({ hasText: words })
const moment = (tab, words) => tab.locator(".moment").filter({ hasText: words })

scenario(
    "the review starts automatically and shows moments, graph, accuracies and reasons in order",
    { path: blunder },
    async (page, tab) => {
        await page.hasHeadline(/^White wins by checkmate$/)
        await review(page, tab, 3)
        await page.hasText(tab.locator(".side-report .score.big").first(), /^[\d.]+%$/)
        await page.moves.getByRole("button", { name: /Nf6\?\?/ }).waitFor()
        const parts = [".moments", ".review .graph", ".side-report", ".bad-moves"]
        await tab.locator(".review .graph canvas").waitFor()
        const places = await Promise.all(
            parts.map(async (part) => (await tab.locator(part).first().boundingBox()).y),
        )
        assert.deepEqual(
            places,
            places.toSorted((a, b) => a - b),
        )
        const graph = await tab.locator(".review .graph").boundingBox()
        assert.equal(graph.height, 80)
        await badMove(tab, /^3… Nf6\?\?$/)
            .locator("..")
            .getByText("best:")
            .waitFor()
        await moment(tab, /^3… Nf6\?\?$/).click()
        await page.has("f6", "bn")
        await page.has("h5", "wq")
        await page.counts(".moment[aria-current]", 1)
        await page.counts(".bad-moves .current", 1)
        await page.counts(".moment[aria-current] use", 32)
        await page.picture("report")
    },
)

const ruyLopez =
    "/#moves=e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8"

scenario(
    "a game that follows theory has no bad moves, and its opening is named",
    { path: ruyLopez },
    async (page, tab) => {
        await page.plays(16)
        await review(page, tab, 8, "nnue1")
        await tab.getByText("No inaccuracies, mistakes or blunders.").waitFor()
        await page.counts(".bad-moves", 0)
        await page.hasText(tab.getByTestId("theory"), /^Theory up to 8… O-O: Ruy Lopez: Closed$/)
    },
)

const queen = encodeURIComponent("6k1/5ppp/8/8/8/8/3K1PPP/1q6 b - - 0 1")

scenario(
    "repeating a won position once is no mistake",
    { path: `/#fen=${queen}&moves=b1b4 d2d1 b4b1 d1d2 b1b4 d2d1` },
    async (page, tab) => {
        await page.plays(6)
        await review(page, tab, 6, "nnue1")
        await tab.getByText("No inaccuracies, mistakes or blunders.").waitFor()
        await page.counts(".bad-moves", 0)
    },
)

const rooks = encodeURIComponent("6k1/5ppp/8/8/8/r7/1r3PPP/6K1 w - - 0 1")

scenario(
    "lists a move that allows mate in one, even in a lost position",
    { path: `/#fen=${rooks}&moves=g1f1 a3a1` },
    async (page, tab) => {
        await page.plays(2)
        await review(page, tab, 3)
        await page.hasText(tab.locator(".moment"), /^1\. Kf1#$/)
        await page.hasText(tab.locator(".bad-moves li"), /^1\. Kf1[^]*allows mate in 1/)
        // The move was not an inaccuracy.
        await page.hasText(tab.locator(".side-report .inaccuracy").first(), /^\?! 0$/)
    },
)

scenario(
    "blames no move for an unavoidable mate",
    {
        path: foolsMate,
        prepare: (tab) =>
            stubReport(tab, { 3: { score: { mate: -1 }, after: { mate: -1 }, san: "g4" } }),
    },
    async (page, tab) => {
        await page.plays(4)
        await page.open("Report")
        await isReviewed(tab)
        await page.counts(".moment", 0)
    },
)

scenario(
    "adds a better line to the game as a variation",
    {
        path: foolsMate,
        prepare: (tab) =>
            stubReport(tab, {
                3: {
                    judgement: "blunder",
                    san: "g4",
                    best: [
                        ["e2e4", "e4"],
                        ["d7d5", "d5"],
                    ],
                },
            }),
    },
    async (page, tab) => {
        await page.plays(4)
        await page.open("Report")
        await page.button("Add to the game").click()
        await page.hasText(tab.getByTestId("variation"), /2\.\s*e4\s*d5/)
        await page.disabled("In the game")
        await page.plays(4)
    },
)

scenario(
    "a review stays complete while the user tries another move",
    { path: blunder },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        const figures = tab.locator(".side-report, .moment")
        const before = await figures.allInnerTexts()
        await page.goToStart()
        await page.press("d2", "d4")
        await page.has("d4", "wp")
        assert.deepEqual(await figures.allInnerTexts(), before)
        await moment(tab, /^3… Nf6\?\?$/).click()
        await page.has("f6", "bn")
        await page.has("d4", null)
    },
)

scenario(
    "the settings are behind a gear and can repeat the review",
    { path: blunder },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        await page.counts("[data-testid=tool-report] select", 0)
        const gear = page.button("Review settings")
        assert.equal(await gear.getAttribute("aria-expanded"), "false")
        await gear.click()
        assert.equal(await gear.getAttribute("aria-expanded"), "true")
        await tab.getByText("About 4.0 s for 8 positions.").waitFor()
        await page.limitTo("depth", 1)
        await tab.getByText("8 positions. The time depends on the AI.").waitFor()
        await tab.getByLabel("AI", { exact: true }).selectOption("quick")
        const sent = tab.waitForRequest("**/v1/report")
        await page.button("Review again").click()
        assert.equal((await sent).postDataJSON().ai, "quick")
        await tab.getByText("Reviewed by Basic1 (quick)").waitFor()
        await gear.click()
        await page.counts("[data-testid=tool-report] select", 0)
    },
)

scenario("marks a bad theory move", { path: foolsMate }, async (page, tab) => {
    await page.hasHeadline(/^Black wins by checkmate$/)
    await review(page, tab, 3)
    await badMove(tab, /^2\. g4\?\?$/)
        .locator("..")
        .getByText(/^theory: Barnes Opening/)
        .waitFor()
})

scenario("draws the better move until the review closes", { path: blunder }, async (page, tab) => {
    await page.plays(7)
    await review(page, tab, 3)
    await badMove(tab, /Nf6\?\?$/).click()
    await page.counts(".arrow-better", 1)
    await page.open("Play")
    await page.counts(".arrow-better", 0)
})

scenario(
    "a long review shows its progress in a button, and can be stopped and restarted",
    { path: `/#moves=${long}` },
    async (page, tab) => {
        await page.plays(100)
        await page.open("Report")
        const stop = tab.getByRole("button", { name: /^Stop \(move [1-9]\d* of 100\)$/ })
        await stop.waitFor()
        await stop.click()
        await page.button("Review game").waitFor()
        await page.counts("progress", 0)
        await page.counts(".side-report", 2)
        await searchReportsTo(tab, 1)
        await page.button("Review game").click()
        await isReviewed(tab)
    },
)

scenario("a review stops the running analysis", { path: blunder }, async (page, tab) => {
    await page.plays(7)
    await page.button("Previous move").click()
    const release = await page.holdAnswers()
    const ended = tab.waitForEvent("requestfailed", (request) =>
        request.url().endsWith("/v1/best-move"),
    )
    await page.analyse()
    await searchReportsTo(tab, 1)
    await page.open("Report")
    await ended
    release()
    await isReviewed(tab)
})

for (const [what, viewport] of [
    ["a desktop", { width: 1280, height: 860 }],
    ["a phone", { width: 390, height: 844 }],
]) {
    scenario(
        `nothing moves during a review on ${what}`,
        { path: blunder, viewport, prepare: watchShifts },
        async (page, tab) => {
            await page.plays(7)
            const begun = tab.waitForRequest("**/v1/report")
            await page.open("Report")
            await begun
            await page.counts(".side-report", 2)
            await shiftsOf(tab)
            await isReviewed(tab)
            assert.deepEqual(await shiftsOf(tab), [])
        },
    )
}

forEachLook(
    (name, context, play) => scenario(name, { ...context, path: blunder }, play),
    "a review fits",
    async (page, tab, check) => {
        await page.plays(7)
        await review(page, tab, 3)
        await moment(tab, /Nf6/).click()
        await check("review")
        await unfoldReviewSettings(tab)
        await check("review-settings")
    },
)

scenario(
    "a failed review says why and can be restarted",
    {
        path: blunder,
        refusals: [503],
        prepare: (tab) =>
            tab.route("**/v1/report", (route) =>
                route.fulfill({
                    status: 503,
                    headers: { "Content-Type": "application/problem+json", "Retry-After": "600" },
                    json: {
                        title: "The AI is unavailable",
                        status: 503,
                        detail: "",
                        code: "ai_unavailable",
                        request_id: null,
                    },
                }),
            ),
    },
    async (page, tab) => {
        await page.plays(7)
        await page.open("Report")
        await tab.getByText(/^Basic1 is unavailable after repeated failures\./).waitFor()
        await tab.unroute("**/v1/report")
        await searchReportsTo(tab, 1)
        await page.button("Review game").click()
        await isReviewed(tab)
        await page.counts(".review .error-text", 0)
    },
)
