// Lessons: finding better moves than a review's bad ones.

import assert from "node:assert/strict"
import {
    accessibilityViolations,
    forEachLook,
    scenario,
    sizes,
    until,
    withServer,
} from "./browser.js"
import { stubReport } from "./report-stub.js"
import { isReviewed, searchReportsTo } from "./review.js"

withServer()

const scholarsMate = "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"
const knightMoves = {
    6: {
        judgement: "blunder",
        best: [
            ["g7g6", "g6"],
            ["h5f3", "Qf3"],
        ],
    },
}
/** Each side's first move is bad, and so is White’s second. */
const threeMoves = {
    1: {
        judgement: "inaccuracy",
        best: [
            ["d2d4", "d4"],
            ["d7d5", "d5"],
        ],
    },
    2: { judgement: "mistake", best: [["e7e6", "e6"]] },
    3: {
        judgement: "mistake",
        best: [
            ["b1c3", "Nc3"],
            ["g8f6", "Nf6"],
        ],
    },
}
const lesson = (tab) => tab.getByTestId("lesson")

async function review(page, tab) {
    await searchReportsTo(tab, 2)
    await page.open("Report")
    await isReviewed(tab)
}

scenario(
    "a lesson starts before a mistake and judges moves like the review",
    { path: scholarsMate, prepare: (tab) => stubReport(tab, knightMoves) },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        await page.button("Learn from Black’s mistakes").click()
        await page.hasHeadline(/^Learn from Black’s mistakes$/)
        await page.hasText(lesson(tab), /^3… Nf6 was a blunder\. Find a better move\.$/m)
        await page.has("f6", "")
        await tab.getByRole("region", { name: "Board, Black at the bottom" }).waitFor()
        await page.press("g8", "f6")
        await page.hasText(lesson(tab), /Nf6 was played in the game\. Try again\.$/)
        await page.has("g8", "bn")
        // This move still allows mate on f7.
        await page.press("a7", "a6")
        await page.hasText(lesson(tab), /a6 is a blunder\. Try again\.$/)
        await page.has("a7", "bp")
        // The best move blocks the queen's way to f7.
        await page.press("g7", "g6")
        await page.hasText(lesson(tab), /Right: g6 is the best move\.$/)
        await page.has("g6", "bp")
        await page.button("Finish").click()
        await page.hasText(lesson(tab), /^You found 1 of 1\.$/)
        // The game is unchanged.
        await page.counts("[data-testid=variation]", 0)
        await page.plays(7)
        await page.button("End").click()
        await tab.getByRole("region", { name: "Board, White at the bottom" }).waitFor()
        await tab.getByTestId("tool-report").waitFor()
        await page.has("f7", "wq")
    },
)

scenario(
    "accepts a typed move that loses little",
    {
        path: scholarsMate,
        prepare: (tab) => stubReport(tab, { 6: { judgement: "blunder", best: [["d8e7", "Qe7"]] } }),
    },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        await page.button("Learn from Black’s mistakes").click()
        await page.acceptsMoves()
        await tab.getByLabel("Your move").fill("g6")
        await page.button("Move").click()
        await page.hasText(lesson(tab), /Right: g6 is good\. The best move is Qe7\.$/)
        await page.has("g6", "bp")
        await tab.locator(".lesson .solution").getByText("Qe7").waitFor()
    },
)

scenario(
    "the review of a game against an AI offers lessons for both sides",
    { prepare: (tab) => stubReport(tab, threeMoves) },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.press("a2", "a3")
        await page.plays(2)
        await page.press("h2", "h3")
        await page.plays(4)
        await page.resign()
        await page.button("Review game").click()
        await page.button("Learn from White’s mistakes").click()
        await page.hasHeadline(/^Learn from White’s mistakes$/)
        await tab.getByText("Position 1 of 2").waitFor()
        await page.hasText(lesson(tab), /^1\. a3 was an inaccuracy\. Find a better move\.$/m)
        await page.counts(".arrow-better", 0)
        await page.button("Show the solution").click()
        await page.hasText(lesson(tab), /The best move is d4\.$/)
        await page.counts(".arrow-better", 1)
        await page.disabled("Show the solution")
        await page.button("Next").click()
        await tab.getByText("Position 2 of 2").waitFor()
        await page.hasText(lesson(tab), /^2\. h3 was a mistake\./m)
        await page.press("b1", "c3")
        await page.hasText(lesson(tab), /Right: Nc3 is the best move\.$/)
        await page.button("Finish").click()
        await page.hasText(lesson(tab), /^You found 1 of 2\.$/)
        await page.button("Start again").click()
        await tab.getByText("Position 1 of 2").waitFor()
        assert.deepEqual(await accessibilityViolations(tab), [])
        await tab.keyboard.press("Escape")
        await page.hasHeadline(/^Black wins by resignation$/)
        await tab.getByTestId("tool-report").waitFor()
        await page.plays(4)
    },
)

scenario(
    "says that a game without mistakes has no lesson",
    { path: scholarsMate, prepare: (tab) => stubReport(tab) },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        await page.button("Learn from White’s mistakes").click()
        await page.hasText(
            lesson(tab),
            /^The review found no inaccuracies, mistakes or blunders by White\.$/,
        )
        await page.counts(".lesson button", 1)
    },
)

scenario(
    "other positions of the game accept no moves during a lesson",
    { path: scholarsMate, prepare: (tab) => stubReport(tab, knightMoves) },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        await page.button("Learn from Black’s mistakes").click()
        await page.acceptsMoves()
        await tab.keyboard.press("ArrowLeft")
        await page.hasText(lesson(tab), /The board shows another position\.$/)
        await page.counts(".input-enabled", 0)
        await page.button("Back to the position").click()
        await page.acceptsMoves()
        // Another tool ends the lesson.
        await page.open("Tree")
        await page.counts(".lesson", 0)
        await page.hasHeadline(/^White wins by checkmate$/)
    },
)

scenario(
    "Esc drops a piece before it ends the lesson, and a lesson can be solved with the keyboard",
    { path: scholarsMate, prepare: (tab) => stubReport(tab, knightMoves) },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        const begin = tab.getByRole("button", { name: "Learn from Black’s mistakes" })
        await begin.focus()
        await tab.keyboard.press("Enter")
        await page.acceptsMoves()
        assert.equal(
            await tab.evaluate(() => document.activeElement.getAttribute("aria-label")),
            "Learn from Black’s mistakes",
        )
        await page.square("g7").click()
        await page.counts(".mark-from", 1)
        await tab.keyboard.press("Escape")
        await page.counts(".mark-from", 0)
        await page.counts(".lesson", 1)
        await tab.getByRole("application").focus()
        // From a1 to g7, with Black at the bottom.
        for (const [key, times] of [
            ["ArrowLeft", 6],
            ["ArrowDown", 6],
        ])
            for (let press = 0; press < times; press += 1) await tab.keyboard.press(key)
        await tab.keyboard.press("Enter")
        await page.counts(".mark-from", 1)
        await tab.keyboard.press("ArrowUp")
        await tab.keyboard.press("Enter")
        await page.hasText(lesson(tab), /Right: g6 is the best move\.$/)
        // The user must first leave the solution's position.
        await tab.locator(".solution").getByRole("button", { name: "Qf3" }).click()
        await page.hasHeadline(/^Position in a line$/)
        await tab.keyboard.press("Escape")
        await page.hasHeadline(/^Learn from Black’s mistakes$/)
        await tab.keyboard.press("Escape")
        await page.counts(".lesson", 0)
    },
)

scenario(
    "a new game or a reload ends the lesson",
    { path: scholarsMate, prepare: (tab) => stubReport(tab, knightMoves) },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        await page.button("Learn from Black’s mistakes").click()
        await page.acceptsMoves()
        await tab.reload()
        await tab.getByTestId("tool-report").waitFor()
        await page.button("Learn from Black’s mistakes").click()
        await page.acceptsMoves()
        await page.paste("8/8/8/8/8/4k3/4p3/4K3 w - - 0 1")
        await page.counts(".lesson", 0)
        await tab.getByRole("region", { name: "Board, White at the bottom" }).waitFor()
    },
)

scenario(
    "a lesson on a phone starts with the board and its card on the screen",
    {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        path: scholarsMate,
        prepare: (tab) => stubReport(tab, knightMoves),
    },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        const begin = page.button("Learn from Black’s mistakes")
        await begin.scrollIntoViewIfNeeded()
        await begin.tap()
        await page.acceptsMoves()
        const [board, next, bar] = await Promise.all(
            [
                tab.getByTestId("board"),
                page.button("Finish"),
                tab.getByRole("group", { name: "Game navigation" }),
            ].map((part) => part.boundingBox()),
        )
        assert.ok(board.y >= 0, `the board is at ${board.y} px`)
        assert.ok(
            next.y + next.height <= bar.y,
            `the buttons end at ${next.y + next.height} px, and the bar is at ${bar.y} px`,
        )
    },
)

forEachLook(
    (name, context, play) =>
        scenario(
            name,
            { ...context, path: scholarsMate, prepare: (tab) => stubReport(tab, knightMoves) },
            play,
        ),
    "a lesson fits, next to or below the board",
    async (page, tab, check) => {
        await page.plays(7)
        await review(page, tab)
        await page.button("Learn from Black’s mistakes").click()
        await page.acceptsMoves()
        await check("lesson")
        const card = await tab.locator(".lesson").boundingBox()
        const board = await tab.getByTestId("board").boundingBox()
        assert.ok(card.x >= board.x + board.width || card.y >= board.y + board.height)
        await page.button("Show the solution").click()
        await page.hasText(lesson(tab), /The best move is g6\.$/)
        await check("lesson-solution")
    },
)

scenario(
    "a lesson fits into 320 px",
    {
        viewport: { width: 320, height: 568 },
        path: scholarsMate,
        prepare: (tab) => stubReport(tab, knightMoves),
    },
    async (page, tab) => {
        await page.plays(7)
        await review(page, tab)
        await page.button("Learn from Black’s mistakes").click()
        await page.acceptsMoves()
        await until(
            async () => (await tab.evaluate(() => document.documentElement.scrollWidth)) <= 320,
            "nothing is wider than the screen",
        )
        assert.ok(sizes.phone.viewport.width > 320)
    },
)
