// The report of a game.

import { scenario, withServer } from "./browser.js"

withServer()

/** Fifty random moves by each side. */
const long = [
    "b2b3 h7h6 c2c3 g8f6 d1c2 g7g5 c2e4 h8h7 e4h7 a7a6 h7e4 h6h5 f2f4 f6g4 f4g5 g4h2 e4b4 h2g4 b4e4 f7f5 h1h3 c7c5 d2d4",
    "b8c6 g2g3 c5d4 e4c2 g4h2 f1g2 h2f3 e1f1 d4c3 h3h5 f3h4 c1f4 h4g2 c2f5 g2h4 f4b8 h4f3 e2e3 f3h2 f1e2 c6d4 e3d4 a8b8",
    "f5d7 e8f7 h5h3 c8d7 b1c3 d7h3 a1f1 f7e8 g1f3 h3f1 e2f2 h2f3 a2a3 f3d4 f2f1 d4b3 g5g6 d8d3 f1e1 d3g6 c3b5 g6e6 e1d1",
    "b3d2 d1d2 f8g7 b5d6 e8d7 d6b7 b8b7 d2c1 e6e1 c1c2 e1e6 c2d3 e6c6 g3g4 g7f6 d3e2 d7e6 e2d2 c6d6 d2e2 d6h2 e2f3 b7b4",
    "a3b4 h2g1 f3f4 g1g4 f4g4 e6f7 g4h3 f7g6",
].join(" ")
const blunder = "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"

/** Returns the button of a bad move, not one of a line of play. */
const badMove = (tab, words) => tab.locator(".bad-moves > li > button").filter({ hasText: words })

scenario(
    "the game report shows accuracies, bad moves and the best moves",
    { path: blunder },
    async (page, tab) => {
        await page.hasHeadline(/^White wins by checkmate$/)
        await page.open("Report")
        await page.limitTo("depth", 3)
        await page.button("Review game").click()
        await page.hasText(tab.locator(".side-report .score.big").first(), /^[\d.]+ %$/)
        await page.moves.getByRole("button", { name: /Nf6\?\?/ }).waitFor()
        const bad = badMove(tab, /^3… Nf6\?\?$/)
        await bad.locator("..").getByText("best:").waitFor()
        await bad.click()
        await page.has("f6", "bn")
        await page.has("h5", "wq")
        await page.picture("report")
    },
)

scenario(
    "a report names its duration, does not blame theory, and draws the better move",
    { path: "/#moves=e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 d8e7 f1e1 g7g5" },
    async (page, tab) => {
        await page.plays(12)
        await page.open("Report")
        await tab.getByText("About 6.5 s for 13 positions.").waitFor()
        // Deep enough for theory.
        await page.limitTo("depth", 8)
        await tab.getByText("13 positions; the time depends on the AI.").waitFor()
        await page.button("Review game").click()
        await page.hasText(tab.locator(".side-report .score.big").first(), /^[\d.]+ %$/)
        await tab.getByRole("region", { name: "Key moments" }).waitFor()
        for (const theory of ["Ba4", "O-O"])
            await page.counts(`.bad-moves li:has-text("${theory}${"?"}")`, 0)
        await badMove(tab, /^6… g5\?/).click()
        await page.counts(".arrow-better", 1)
        await page.open("Play")
        await page.counts(".arrow-better", 0)
    },
)

scenario(
    "a bad move of theory is named as such",
    { path: "/#moves=f2f3 e7e5 g2g4 d8h4" },
    async (page, tab) => {
        await page.hasHeadline(/^Black wins by checkmate$/)
        await page.open("Report")
        await page.limitTo("depth", 3)
        await page.button("Review game").click()
        await badMove(tab, /^2\. g4\?\?$/)
            .locator("..")
            .getByText(/^theory: Barnes Opening/)
            .waitFor()
    },
)

scenario(
    "a long report shows its progress, and is stopped",
    { path: `/#moves=${long}` },
    async (page, tab) => {
        await page.plays(100)
        await page.open("Report")
        await page.limitTo("movetime_ms", 400)
        await page.button("Review game").click()
        await tab.getByText(/^Move [1-9]\d* of 100$/).waitFor()
        await page.button("Stop").click()
        await page.button("Review game").waitFor()
        await page.counts("progress", 0)
        await page.counts(".side-report", 2)
    },
)
