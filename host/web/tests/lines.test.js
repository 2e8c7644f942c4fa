// Variations, undo and redo, annotated PGN, files, and what survives a reload.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"
import { isReviewed, unfoldReviewSettings } from "./review.js"

withServer()

const annotated = `[Event "Club championship"]
[White "Anna {A} Smith"]
[Black "Bo"]
[Result "1/2-1/2"]

{A quiet game.} 1. e4 {best by test [%clk 0:03:00] [%eval 0.35]} e5 (1... c5 {Sicilian} 2. Nf3 (2. c3 d5) 2... d6) 2. Nf3 $1 Nc6 3. Bb5 a6?! 1/2-1/2
`

const copied = async (page, tab, name) => {
    await page.open("Position")
    await page.button(name).click()
    return tab.getByRole("textbox", { name, exact: true }).inputValue()
}

scenario(
    "a new move at an earlier position opens a variation, and an existing move steps forward",
    { path: "/#moves=e2e4 e7e5 g1f3 b8c6" },
    async (page, tab) => {
        await page.plays(4)
        await page.button("Go to start").click()
        await page.press("e2", "e4")
        await page.moves.locator('[data-ply="1"][aria-current]').waitFor()
        await page.plays(4)
        await page.press("c7", "c5")
        await page.hasText(tab.getByTestId("variation"), /^1…\s*c5$/)
        await page.press("g1", "f3")
        await page.hasText(tab.getByTestId("variation"), /^1…\s*c5\s*2\.\s*Nf3$/)
        await page.hasPlayed("e4", "e5", "Nf3", "Nc6")
        // The arrow keys stay on the line. Up and down switch lines.
        for (const key of ["ArrowLeft", "ArrowLeft", "ArrowRight"]) await tab.keyboard.press(key)
        await page.has("c5", "bp")
        await tab.keyboard.press("ArrowUp")
        await page.has("e5", "bp")
        await tab.keyboard.press("ArrowDown")
        await page.has("c5", "bp")
    },
)

scenario(
    "annotates, promotes and deletes a variation",
    { path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await page.button("Previous move").click()
        await page.press("c7", "c5")
        const menu = tab.getByTestId("move-menu")
        await tab.getByTestId("move-menu-button").click()
        await page.button("Interesting move").click()
        await menu.getByLabel("Comment").fill("the Sicilian")
        await menu.getByLabel("Comment").blur()
        await page.hasText(tab.getByTestId("variation"), /c5!\?\s*the Sicilian/)
        await page.button("Make main line").click()
        await page.counts("[data-testid=move-menu]", 0)
        await page.hasPlayed("e4", "c5!?")
        await page.hasText(tab.getByTestId("variation"), /^1…\s*e5$/)
        await tab.getByTestId("move-menu-button").click()
        await page.button("Delete from here").click()
        await page.hasPlayed("e4", "e5")
        await page.counts("[data-testid=variation]", 0)
    },
)

scenario(
    "redo restores undone moves, which become a variation after a new move",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "quick")
        await page.disabled("Redo")
        await page.press("e2", "e4")
        await page.plays(2)
        const [, reply] = await page.played()
        await page.button("Take back").click()
        await page.hasPlayed()
        await page.button("Redo").click()
        await page.hasPlayed("e4", reply)
        await page.disabled("Redo")
        await page.button("Take back").click()
        await page.press("d2", "d4")
        await page.plays(2)
        await page.hasText(tab.getByTestId("variation"), new RegExp(`^1\\.\\s*e4\\s*${reply}`))
    },
)

scenario("replaying a move after undo makes the AI answer again", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "quick")
    for (const [from, to, count] of [
        ["e2", "e4", 2],
        ["g1", "f3", 4],
    ]) {
        await page.press(from, to)
        await page.plays(count)
    }
    const played = await page.played()
    await page.resign()
    // After the game ends, the bar has the same actions as before.
    for (const [name, left] of [
        ["Undo", 2],
        ["Take back", 0],
    ]) {
        await page.button(name).click()
        await page.plays(left)
    }
    const sent = tab.waitForRequest("**/v1/best-move")
    await page.press("e2", "e4")
    assert.deepEqual((await sent).postDataJSON().game.moves, ["e2e4"])
    await page.hasPlayed(...played.slice(0, 2))
    await page.hasHeadline(/^Your move$/)
    await page.button("Redo").click()
    await page.hasPlayed(...played)
    await page.disabled("Redo")
})

scenario("resigning stops the AI's search", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "thorough")
    const requests = []
    await tab.route("**/v1/best-move", (route) => requests.push(route))
    await page.press("e2", "e4")
    await until(() => requests.length === 1, "the AI is asked")
    await page.resign()
    await page.hasHeadline(/^You resigned$/)
    // The old answer arrives late.
    const move = {
        uci: "e7e5",
        san: "e5",
        from: "e7",
        to: "e5",
        promotion: null,
        capture: false,
        check: false,
    }
    await requests[0]
        .fulfill({
            json: {
                move,
                score: { cp: 0 },
                game: { fen: "8/8/8/8/8/8/8/8 w - - 0 1", status: { state: "in_progress" } },
                search: null,
                ai: null,
            },
        })
        .catch(() => undefined)
    await page.hasHeadline(/^You resigned$/)
    await page.hasPlayed("e4")
    assert.equal(requests.length, 1, "no other AI is asked")
})

scenario("a finished AI match keeps its moves and cannot be paused", {}, async (page, tab) => {
    await page.players("quick", "basic1")
    await tab.getByLabel("Minimum time per move").fill("0")
    await page.button("Start").click()
    await page.hasHeadline(/ wins by checkmate$|^Draw /)
    await page.counts("text=Pause", 0)
    const played = await page.played()
    await page.button("Go to start").click()
    await page.button("Next move").click()
    await page.moves.locator("[aria-current]").waitFor()
    await page.hasPlayed(...played)
})

scenario("a paused AI match resumes, even from an earlier position", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("quick", "basic1")
    await page.stopTime()
    await page.button("Start").click()
    await page.plays(1)
    await tab.clock.fastForward(1000)
    await page.plays(2)
    await page.button("Pause").click()
    await page.button("Go to start").click()
    await page.button("Resume").click()
    for (const count of [3, 4]) {
        await tab.clock.fastForward(1000)
        await page.plays(count)
    }
    await page.counts("[data-testid=variation]", 0)
})

scenario(
    "a PGN keeps names, comments, glyphs, variations, clocks and result",
    {},
    async (page, tab) => {
        await page.paste(annotated)
        await page.hasHeadline(/^Draw$/)
        await page.hasPlayed("e4", "e5", "Nf3!", "Nc6", "Bb5", "a6?!")
        await page.hasText(page.moves, /A quiet game\./)
        await page.hasText(page.moves, /best by test/)
        await page.hasText(
            tab.getByTestId("variation").first(),
            /c5\s*Sicilian\s*2\.\s*Nf3\s*2\.\s*c3\s*d5\s*2…\s*d6/,
        )
        await tab.getByTestId("player-white").getByText("Anna {A} Smith").waitFor()
        await page.picture("variations")
        await page.moves.getByRole("button", { name: "c3", exact: true }).click()
        await page.has("c3", "wp")
        await tab.keyboard.press("ArrowRight")
        await page.has("d5", "bp")
        const pgn = await copied(page, tab, "PGN")
        for (const part of [
            /\[Event "Club championship"\]/,
            /\[White "Anna \{A\} Smith"\]/,
            /\{A quiet game\.\}/,
            /1\. e4 \{\[%eval 0\.35\] \[%clk 0:03:00\] best by test\} 1\.\.\. e5/,
            /\(1\.\.\. c5 \{Sicilian\} 2\. Nf3 \(2\. c3 d5\) 2\.\.\. d6\)/,
            /2\. Nf3 \$1 Nc6 3\. Bb5 a6 \$6 1\/2-1\/2\s*$/,
        ])
            assert.match(pgn.replace(/\n(?!\[)/g, " "), part)
        await page.paste("1. d4")
        await page.hasPlayed("d4")
        await page.paste(pgn)
        await page.hasPlayed("e4", "e5", "Nf3!", "Nc6", "Bb5", "a6?!")
        assert.equal(await copied(page, tab, "PGN"), pgn)
    },
)

scenario("a copied game is complete, with names and result", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await page.resign()
    await page.hasHeadline(/^You resigned$/)
    await page.button("Go to start").click()
    const pgn = await copied(page, tab, "PGN")
    for (const part of [
        /\[White "You"\]/,
        /\[Black "[^"]*Basic1\)"\]/,
        /\[Result "0-1"\]/,
        /1\. e4 [^]*0-1\s*$/,
    ])
        assert.match(pgn, part)
})

scenario(
    "reports an illegal PGN move with its number, as written",
    { refusals: [422] },
    async (page, tab) => {
        await page.paste("1. e4 e5 2. bxc3")
        const issue = tab.getByTestId("issues").locator("li")
        await issue.getByText(/^Move 2\. bxc3 is illegal/).waitFor()
        assert.notEqual(
            await issue.evaluate((item) => getComputedStyle(item, "::first-letter").textTransform),
            "uppercase",
        )
    },
)

scenario(
    "a reload keeps variations, graph, review, limit, orientation and the bar's unit",
    { path: "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6" },
    async (page, tab) => {
        await page.plays(6)
        await page.write("Qxf7#")
        await page.button("Previous move").click()
        await page.press("d2", "d3")
        await page.open("Report")
        await isReviewed(tab)
        await unfoldReviewSettings(tab)
        await page.limitTo("depth", 2)
        await page.hasText(tab.locator(".side-report").first(), /accuracy/)
        await tab.getByTestId("bar").click()
        await tab.keyboard.press("f")
        await tab.reload()
        await page.hasText(tab.locator(".side-report .score.big").first(), /^[\d.]+%$/)
        await unfoldReviewSettings(tab)
        await until(
            async () => (await tab.getByLabel(/^Limit in/).inputValue()) === "2",
            "the limit of the report is kept",
        )
        await page.hasText(tab.getByTestId("variation"), /d3/)
        await tab.getByRole("region", { name: "Board, Black at the bottom" }).waitFor()
        await tab.getByTestId("graph").locator("canvas").waitFor()
        await page.hasText(tab.getByTestId("bar"), /%$|^#/)
    },
)

scenario(
    "a review shows each loss as precisely as it judges it",
    { path: "/#moves=e2e4" },
    async (page, tab) => {
        await page.plays(1)
        const move = {
            uci: "e2e4",
            san: "e4",
            from: "e2",
            to: "e4",
            promotion: null,
            capture: false,
            check: false,
        }
        const judged = {
            ply: 1,
            move,
            score: { cp: 30 },
            score_after: { cp: -80 },
            winning_chances: { before: 52.7, after: 43 },
            loss: 9.7,
            judgement: "inaccuracy",
            glyph: "?!",
            best: null,
            claims: [],
            accuracy: 64,
        }
        const reply = {
            ai: { id: "basic1", name: "Basic1", version: "1" },
            game: {},
            moves: [judged],
            accuracy: { white: 64, black: null },
        }
        await tab.route("**/v1/report", (route) => route.fulfill({ json: reply }))
        await page.open("Report")
        await tab.locator(".bad-moves li").getByText("−9.7%").waitFor()
    },
)

scenario("a move waits only as long as the outage", { offline: true }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.acceptsMoves()
    await page.stopTime()
    let isDown = true
    await tab.route("**/v1/**", (route) => (isDown ? route.abort() : route.continue()))
    await page.press("e2", "e4")
    await tab.getByTestId("lost").waitFor()
    isDown = false
    // Another request succeeds, and the move follows without a timer.
    await tab.locator("[data-testid=board] rect[data-square=a1]").click()
    await page.hasPlayed("e4")
    await page.counts("[data-testid=lost]", 0)
})

for (const score of ["-12.34", "99.99", "#-12"]) {
    scenario(
        `the evaluation ${score} fits into the bar`,
        { viewport: { width: 900, height: 600 } },
        async (page, tab) => {
            await page.paste(`1. e4 {[%eval ${score}]} *`)
            await page.hasPlayed("e4")
            const value = tab.getByTestId("bar").locator(".value")
            await page.hasText(value, /\d/)
            const [width, room] = await value.evaluate((value) => {
                const range = document.createRange()
                range.selectNodeContents(value)
                return [range.getBoundingClientRect().width, value.parentElement.clientWidth]
            })
            assert.ok(width <= room, `${width} px in ${room} px`)
        },
    )
}

scenario(
    "autoplay stops at the end of the game",
    { path: "/#moves=e2e4 e7e5 g1f3" },
    async (page, tab) => {
        await page.plays(3)
        const menu = tab.getByLabel("More about this game")
        await menu.click()
        await page.disabled("Play through the game")
        await page.button("Go to start").click()
        await page.stopTime()
        await menu.click()
        await page.button("Play through the game").click()
        for (const ply of [1, 2, 3]) {
            await tab.clock.fastForward(1200)
            await page.moves.locator(`[data-ply="${ply}"][aria-current]`).waitFor()
        }
        await menu.click()
        await page.disabled("Play through the game")
    },
)

scenario(
    "opening names and tablebase results move nothing",
    { path: "/#fen=8/8/8/8/8/k7/4p3/2K1N3 b - - 0 1" },
    async (page, tab) => {
        const topOfMoves = async () => (await tab.locator(".moves").boundingBox()).y
        await tab.getByTestId("tablebase").waitFor()
        await page.open("Analyse")
        const withTable = await topOfMoves()
        await page.paste("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
        await page.pieces(32)
        await page.open("Analyse")
        await page.counts("[data-testid=tablebase], [data-testid=opening]", 0)
        const before = await topOfMoves()
        await page.write("e4", "e5")
        await tab.getByTestId("opening").waitFor()
        assert.deepEqual([withTable, await topOfMoves()], [before, before])
    },
)
