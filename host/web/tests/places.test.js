// The places of the page, and the layout of its column.

import assert from "node:assert/strict"
import {
    accessibilityViolations,
    currentServer,
    pasteAnywhere,
    scenario,
    until,
    withServer,
} from "./browser.js"

withServer()

const desktop = { viewport: { width: 1280, height: 860 } }
const phone = {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
}
const path = `/#moves=${"e2e4 e7e5 g1f3 b8c6 f1c4 g8f6".replaceAll(" ", "%20")}`
const annotated = `[Event "Club championship"]
[Site "Vienna"]
[Date "2024.05.01"]
[White "Anna Smith"]
[Black "Bo"]
[WhiteElo "1850"]
[Result "1/2-1/2"]

1. e4 {best by test [%eval 0.35]} e5 {[%eval 0.3]} (1... c5 2. Nf3) 2. Nf3 $1 Nc6 1/2-1/2
`

const places = (tab) => tab.getByRole("navigation", { name: "Places" })
const isIn = (tab, name) =>
    places(tab).locator("[aria-current=page]").getByText(name, { exact: true }).waitFor()
const boxOf = (part) => part.boundingBox()
const bottomOf = async (part) => {
    const { y, height } = await boxOf(part)
    return y + height
}

scenario(
    "shows the places, the AIs and no tabs, and opens and closes tools from menus",
    { path },
    async (page, tab) => {
        await page.plays(6)
        assert.deepEqual(await places(tab).locator("button, a").allInnerTexts(), [
            "Play",
            "Analyse",
            "Watch",
            "Arena",
            "AIs",
        ])
        assert.equal(await tab.getByRole("tab").count(), 0)
        for (const [name, title] of [
            ["Report", "Review"],
            ["Tree", "Search tree"],
            ["Position", "Open, paste or share"],
            ["AIs", "AIs"],
        ]) {
            await page.open(name)
            await tab.getByRole("heading", { name: title, exact: true }).waitFor()
            await page.counts(".tool", 1)
            await page.button(`Close ${title}`).click()
            await page.counts(".tool", 0)
        }
        await tab.getByLabel("More about this game").click()
        await tab.keyboard.press("Escape")
        await page.counts(".menu[open]", 0)
    },
)

scenario("an empty move list offers games and the board editor", {}, async (page, tab) => {
    await page.button("Open or paste a game").click()
    await tab.getByLabel("Paste FEN").waitFor()
    await page.button("Set up a position").click()
    await page.hasHeadline(/^Board editor$/)
    await page.button("Cancel").click()
    await page.hasHeadline(/^Your move$/)
})

const go = (tab, name) => places(tab).getByText(name, { exact: true }).click()

scenario("each place keeps its own game", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await go(tab, "Watch")
    await page.button("Start").waitFor()
    await go(tab, "Play")
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await go(tab, "Watch")
    await page.hasPlayed()
    await tab.reload()
    await page.button("Start").waitFor()
    await go(tab, "Play")
    await page.plays(2)
    await page.hasHeadline(/^Your move$/)
})

scenario(
    "an analysis is a copy and leaves the game against the AI unchanged",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
        const game = await page.played()
        await go(tab, "Analyse")
        await page.hasHeadline(/^White to move$/)
        await page.press("d2", "d4")
        await page.hasHeadline(/^Black to move$/)
        await page.press("a7", "a6")
        await page.hasHeadline(/^White to move$/)
        await page.plays(4)
        await go(tab, "Play")
        await page.hasPlayed(...game)
        await page.hasHeadline(/^Your move$/)
        await page.press("h2", "h3")
        await page.plays(4)
        await go(tab, "Analyse")
        // The analysed moves stay as variations of the newly played moves.
        await page.hasHeadline(/^White to move$/)
        await page.hasText(page.moves, /h3[^]*d4[^]*a6/)
    },
)

scenario("Back and Forward step through places, tools and games", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await go(tab, "Analyse")
    await isIn(tab, "Analyse")
    await page.open("Position")
    assert.match(tab.url(), /#place=analyse&tool=position&id=/)
    await go(tab, "Watch")
    await isIn(tab, "Watch")
    await tab.goBack()
    await tab.getByTestId("tool-position").waitFor()
    await isIn(tab, "Analyse")
    await page.plays(2)
    await tab.goBack()
    await page.counts(".tool", 0)
    await tab.goBack()
    await isIn(tab, "Play")
    await page.hasHeadline(/^Your move$/)
    await tab.goForward()
    await isIn(tab, "Analyse")
})

scenario("a game's URL opens it in another tab, in its place", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await until(async () => /id=/.test(tab.url()), "the URL names the game")
    const url = tab.url()
    await go(tab, "Watch")
    await page.hasPlayed()
    const other = await tab.context().newPage()
    await other.goto(url)
    await isIn(other, "Play")
    await until(
        async () => (await other.getByTestId("moves").locator("> li > button").count()) === 2,
        "the game is open",
    )
})

scenario("a link to a game opens in Analyse, and Back leaves the page", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.goto("about:blank")
    await tab.goto(new URL(path, currentServer().address).href)
    await page.plays(6)
    await isIn(tab, "Analyse")
    assert.match(tab.url(), /#moves=/)
    await tab.goBack()
    assert.equal(tab.url(), "about:blank")
})

scenario(
    "the move list fills the column and shows comments, glyphs and variations",
    desktop,
    async (page, tab) => {
        await page.paste(annotated)
        await page.hasPlayed("e4", "e5", "Nf3!", "Nc6")
        await page.button("Close Open, paste or share").click()
        await page.hasText(page.moves, /best by test[^]*1…\s*c5/)
        const height = async () => (await boxOf(page.moves)).height
        assert.ok((await height()) > 350, `the list is ${await height()} px high`)
        assert.ok(
            (await tab.evaluate(() => document.documentElement.scrollHeight)) <= 860,
            "the page does not scroll",
        )
        // White's moves are in one column, Black's in another.
        const [white, black, next] = await Promise.all(
            ["1", "2", "3"].map((ply) => boxOf(page.moves.locator(`> li > [data-ply="${ply}"]`))),
        )
        assert.ok(
            black.x > white.x + 100 && Math.abs(next.x - white.x) < 1,
            `${white.x} ${black.x} ${next.x}`,
        )
        await page.picture("annotated")
    },
)

scenario(
    "a loaded game shows its players, event and result above the moves",
    desktop,
    async (page, tab) => {
        await page.paste(annotated)
        await page.hasPlayed("e4", "e5", "Nf3!", "Nc6")
        const facts = tab.getByTestId("facts")
        await page.hasText(
            facts,
            /^Anna Smith – Bo\s*½–½\s*Club championship · Vienna · 2024\.05\.01$/,
        )
        assert.ok((await bottomOf(facts)) <= (await boxOf(page.moves)).y)
    },
)

scenario(
    "a finished game shows its players and result, but a running one does not",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
        await page.counts("[data-testid=facts]", 0)
        await page.resign()
        await page.hasHeadline(/^You resigned$/)
        await page.hasText(tab.getByTestId("facts"), /^You – Level 2\s*0–1$/)
    },
)

scenario("a rematch keeps the opponent and switches colours", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "quick")
    await page.press("e2", "e4")
    await page.plays(2)
    await page.resign()
    await page.button("Rematch").click()
    await page.plays(1)
    await page.hasText(tab.getByTestId("player-white"), /^Basic1 \(quick\)/)
    await page.hasHeadline(/^Your move$/)
    await page.resign()
    await page.hasHeadline(/^You resigned$/)
})

scenario("announces a won game", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await pasteAnywhere(tab, "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2")
    await page.has("g4", "wp")
    await page.players("quick", "")
    await page.write("Qh4#")
    await page.hasHeadline(/^You won by checkmate$/)
    await page.button("Rematch").waitFor()
})

scenario(
    "the analysis lines follow the cursor automatically",
    { path, firstVisit: true },
    async (page, tab) => {
        await page.plays(6)
        await places(tab).getByText("Analyse").click()
        const line = tab.getByTestId("answer-basic1").locator(".san").first()
        await page.hasText(line, /^4\./)
        await page.button("Previous move").click()
        await page.hasText(line, /^3…/)
        await page.button("Previous move").click()
        await page.hasText(line, /^3\./)
        assert.ok(
            (await bottomOf(tab.getByTestId("answer-basic1"))) <= (await boxOf(page.moves)).y,
            "the lines are above the moves",
        )
    },
)

scenario(
    "hovering over a line's move previews it, a click shows it, and it can be added to the game",
    { path },
    async (page, tab) => {
        await page.plays(6)
        await page.open("Analyse")
        await page.limitTo("depth", 3)
        await page.button("Previous move").click()
        await page.analyse()
        const line = tab.getByTestId("answer-basic1").locator(".san")
        await until(async () => (await line.count()) > 1, "a line is shown")
        await page.counts("[data-testid=answer-basic1] .pulse", 0)
        const [first, second] = (await line.allInnerTexts()).map((text) =>
            text.replace(/^\d+(\.|…)\s*/, ""),
        )
        await line.nth(1).hover()
        await tab.getByTestId("preview").waitFor()
        const before = await page.piece("g8").count()
        await line.nth(1).click()
        await page.hasHeadline(/^Position in a line$/)
        await page.counts("[data-testid=preview]", 0)
        await page.counts(".mark-last", 2)
        await page.button("Back to the game").click()
        assert.equal(await page.piece("g8").count(), before)
        await page.plays(6)
        await line.nth(1).click()
        await page.button("Add to the game").click()
        await page.hasText(
            tab.getByTestId("variation"),
            new RegExp(
                `^3…\\s*${first.replace("+", "\\+")}\\s*4\\.\\s*${second.replace("+", "\\+")}$`,
            ),
        )
        await page.moves.locator(".variation [aria-current=step]").getByText(second).waitFor()
        await page.hasHeadline(/ to move/)
    },
)

scenario("Previous move and Esc leave a line's position", { path }, async (page, tab) => {
    await page.plays(6)
    await page.open("Analyse")
    await page.limitTo("depth", 3)
    await page.analyse()
    await until(
        async () => (await tab.getByTestId("answer-basic1").locator(".san").count()) > 0,
        "a line is shown",
    )
    await page.counts("[data-testid=answer-basic1] .pulse", 0)
    await tab.getByTestId("answer-basic1").locator(".san").first().click()
    await page.hasHeadline(/^Position in a line$/)
    await page.button("Previous move").click()
    await page.hasHeadline(/ to move/)
    await tab.getByTestId("answer-basic1").locator(".san").first().click()
    await page.hasHeadline(/^Position in a line$/)
    await tab.evaluate(() => document.activeElement.blur())
    await tab.keyboard.press("Escape")
    await page.hasHeadline(/ to move/)
})

for (const viewport of [desktop.viewport, phone.viewport, { width: 844, height: 390 }]) {
    scenario(
        `a player’s card is one line with an ellipsis on ${viewport.width} × ${viewport.height}`,
        { viewport },
        async (page, tab) => {
            const name =
                "Maximilian von und zu Hohenlohe-Langenburg the Younger of Castle Weikersheim"
            await page.paste(
                `[White "${name}"]\n[Black "Bo"]\n[WhiteElo "1850"]\n\n1. e4 {[%clk 0:05:00]} d5 {[%clk 0:05:00]} 2. exd5 {[%clk 0:04:58]} *`,
            )
            await page.plays(3)
            const card = tab.getByTestId("player-white")
            // A phone on its side has room for the clock, but not for rating and pieces.
            const isLow = viewport.height < 400
            await page.hasText(card, isLow ? /4:58/ : /1850[^]*4:58/)
            const captured = card.getByLabel("Captured: black pawn")
            await captured.waitFor({ state: isLow ? "attached" : "visible" })
            const [box, other] = await Promise.all([
                boxOf(card),
                boxOf(tab.getByTestId("player-black")),
            ])
            assert.equal(box.height, other.height)
            assert.ok(box.height <= 42 && box.x + box.width <= viewport.width, JSON.stringify(box))
            const strong = card.locator("strong")
            assert.ok(
                await strong.evaluate(
                    (element) =>
                        element.scrollWidth > element.clientWidth &&
                        getComputedStyle(element).textOverflow === "ellipsis",
                ),
            )
            assert.equal(await strong.getAttribute("title"), name)
            await page.picture(`card-${viewport.width}`)
        },
    )
}

scenario("a card shows its player's emblem, name and strength", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.hasText(tab.getByTestId("player-black"), /^Level 2\s+1150/)
    const emblems = await tab
        .locator(".player .disc use")
        .evaluateAll((uses) => uses.map((use) => use.getAttribute("href")))
    assert.equal(new Set(emblems).size, 2, emblems.join())
    assert.equal(emblems[1], "#shape-king")
})

scenario(
    "the bar is at the bottom of a phone and opens the moves",
    { ...phone, path },
    async (page, tab) => {
        await page.plays(6)
        const bar = tab.getByRole("group", { name: "Game navigation" })
        assert.deepEqual(
            await bar
                .locator("> *:visible")
                .evaluateAll((parts) =>
                    parts.map(
                        (part) =>
                            part.getAttribute("aria-label") ??
                            (part.innerText.trim() ||
                                part.firstElementChild.getAttribute("aria-label")),
                    ),
                ),
            ["Previous move", "Next move", "Undo", "Moves", "More about this game"],
        )
        assert.ok(Math.abs((await bottomOf(bar)) - 844) < 1, "the bar is at the bottom")
        const board = await boxOf(tab.getByTestId("board"))
        assert.ok(board.y + board.height + 36 < 700, "board and cards are above the bar")
        const before = (await boxOf(page.moves)).height
        await page.button("Moves").tap()
        await until(
            async () => (await boxOf(page.moves)).height > before + 100,
            "the list is opened",
        )
        assert.ok((await bottomOf(page.moves)) <= (await boxOf(bar)).y)
        await page.moves.getByRole("button", { name: "Nf3" }).tap()
        await page.has("f3", "wn")
        assert.deepEqual(await accessibilityViolations(tab), [])
        await page.picture("phone-moves")
        await page.button("Moves").tap()
        await until(async () => (await boxOf(page.moves)).height === before, "the list is folded")
        // Rarely used actions are in the menu.
        await tab.getByLabel("More about this game").tap()
        await page.button("Go to end").tap()
        await page.has("f6", "bn")
    },
)

scenario(
    "the board takes the whole height of a phone on its side",
    { viewport: { width: 844, height: 390 }, path },
    async (page, tab) => {
        await page.plays(6)
        const board = await boxOf(tab.getByTestId("board"))
        assert.ok(board.height >= 250 && board.y + board.height <= 390, JSON.stringify(board))
        assert.ok(
            (await boxOf(page.moves)).x >= board.x + board.width,
            "the moves are next to the board",
        )
    },
)
