// The places of the page, and its layout with the move list first.

import assert from "node:assert/strict"
import { accessibilityViolations, scenario, until, withServer } from "./browser.js"

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
    "the page has four places and no tabs; tools open from menus, and close",
    { path },
    async (page, tab) => {
        await page.plays(6)
        assert.deepEqual(await places(tab).locator("button, a").allInnerTexts(), [
            "Play",
            "Analyse",
            "Watch",
            "Arena",
        ])
        assert.equal(await tab.getByRole("tab").count(), 0)
        for (const [name, title] of [
            ["Report", "Report"],
            ["Tree", "Search tree"],
            ["Position", "Positions and games"],
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

scenario("an empty list of moves leads to games and to the board editor", {}, async (page, tab) => {
    await page.button("Open or paste a game").click()
    await tab.getByLabel("Paste FEN").waitFor()
    await page.button("Set up a position").click()
    await page.hasHeadline(/^Board editor$/)
    await page.button("Cancel").click()
    await page.hasHeadline(/^Your move$/)
})

scenario(
    "a first visit has three doors; Play leads to a game against an AI",
    { firstVisit: true },
    async (page, tab) => {
        const doors = tab.getByRole("region", { name: "What would you like to do?" })
        assert.deepEqual(await doors.locator("button strong").allInnerTexts(), [
            "Play",
            "Analyse",
            "Watch AIs",
        ])
        assert.deepEqual(await accessibilityViolations(tab), [])
        await page.picture("doors")
        await doors.getByRole("button", { name: /^Play/ }).click()
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
        await doors.waitFor({ state: "detached" })
    },
)

scenario(
    "the door Analyse gives both sides to the visitor, and the choice is remembered",
    { firstVisit: true },
    async (page, tab) => {
        await tab.getByRole("button", { name: /^Analyse Any position/ }).click()
        await page.hasHeadline(/^White to move$/)
        await isIn(tab, "Analyse")
        const other = await tab.context().newPage()
        await tab.close()
        await other.goto(new URL("/", tab.url()).href)
        await isIn(other, "Analyse")
        await other.getByTestId("headline").getByText("White to move").waitFor()
        assert.equal(
            await other.getByRole("region", { name: "What would you like to do?" }).count(),
            0,
        )
    },
)

scenario("the door Watch AIs begins a game of two AIs", { firstVisit: true }, async (page, tab) => {
    await tab.getByRole("button", { name: /^Watch AIs/ }).click()
    await isIn(tab, "Watch")
    await until(async () => (await page.played()).length >= 2, "two AIs play")
    await page.button("Pause").click()
    const cards = await Promise.all(
        ["white", "black"].map((color) => tab.getByTestId(`player-${color}`).innerText()),
    )
    for (const card of cards) assert.match(card, /^Basic1\s+\d+/)
    assert.notEqual(cards[0], cards[1])
})

scenario("a first move on the board is a choice too", { firstVisit: true }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await tab.reload()
    await page.button("New game").click()
    await page.hasPlayed()
    await isIn(tab, "Play")
    await page.counts(".doors", 0)
})

scenario(
    "another place prepares a new game, and leaves one that has moves",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await places(tab).getByText("Watch").click()
        await page.button("Start").waitFor()
        await places(tab).getByText("Play", { exact: true }).click()
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
        for (const name of ["Analyse", "Watch", "Play"]) {
            await places(tab).getByText(name, { exact: true }).click()
            await isIn(tab, name)
            await page.plays(2)
            await page.hasHeadline(/^Your move$/)
        }
    },
)

scenario(
    "the move list fills the column, beside its comments, glyphs and variations",
    desktop,
    async (page, tab) => {
        await page.paste(annotated)
        await page.hasPlayed("e4", "e5", "Nf3!", "Nc6")
        await page.button("Close Positions and games").click()
        await page.hasText(page.moves, /best by test[^]*1…\s*c5/)
        const height = async () => (await boxOf(page.moves)).height
        assert.ok((await height()) > 350, `the list is ${await height()} px high`)
        assert.ok(
            (await tab.evaluate(() => document.documentElement.scrollHeight)) <= 860,
            "the page does not scroll",
        )
        // White’s moves are in one column, Black’s in another.
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
    "a finished game shows its players and result, and a running one does not",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
        await page.counts("[data-testid=facts]", 0)
        await page.button("Resign").click()
        await page.hasHeadline(/^You resigned$/)
        await page.hasText(tab.getByTestId("facts"), /^You – Basic1\s*0–1$/)
    },
)

scenario("a rematch is the same opponent with the other color", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "quick")
    await page.press("e2", "e4")
    await page.plays(2)
    await page.button("Resign").click()
    await page.button("Rematch").click()
    await page.plays(1)
    await page.hasText(tab.getByTestId("player-white"), /^Basic1 \(quick\)/)
    await page.hasHeadline(/^Your move$/)
    await page.button("Resign").click()
    await page.hasHeadline(/^You resigned$/)
})

scenario("a won game says so", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("f3", "e5", "g4")
    await page.players("quick", "")
    await page.write("Qh4#")
    await page.hasHeadline(/^You won by checkmate$/)
    await page.button("Rematch").waitFor()
})

scenario(
    "the settings stay while the opponent is chosen, and fold when the game goes on",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await tab.getByLabel("Sides", { exact: true }).selectOption("You play Black")
        await page.plays(1)
        const strength = tab.getByLabel("Strength")
        assert.ok(await strength.isVisible())
        const { height } = await boxOf(page.moves)
        await page.press("e7", "e5")
        await until(async () => !(await strength.isVisible()), "the settings are folded")
        assert.ok((await boxOf(page.moves)).height > height + 100, "the moves have the room")
        await tab.getByTestId("settings").locator("summary").first().click()
        await strength.waitFor()
    },
)

scenario("the graph is a strip of one line below the board", { path }, async (page, tab) => {
    const strip = tab.locator(".stage .graph")
    const { height } = await boxOf(strip)
    assert.ok(height <= 40, `the strip is ${height} px high`)
    assert.ok((await boxOf(strip)).y >= (await bottomOf(tab.getByTestId("board"))))
    await page.paste(annotated)
    await tab.getByTestId("graph").locator("canvas").waitFor()
    assert.ok(
        Math.abs((await boxOf(strip)).height - height) < 1,
        "the graph is as high as its place",
    )
})

scenario(
    "the lines of the engine follow the cursor without being asked",
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
    "a move of a line shows its position when clicked, previews it when hovered, and is added to the game",
    { path },
    async (page, tab) => {
        await page.plays(6)
        await page.open("Analyse")
        await page.limitTo("depth", 3)
        await page.button("Previous move").click()
        await page.primary("Analyse").click()
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
        await page.hasHeadline(/^Imagined position$/)
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

scenario("a move of the game and Esc leave the imagined position", { path }, async (page, tab) => {
    await page.plays(6)
    await page.open("Analyse")
    await page.limitTo("depth", 3)
    await page.primary("Analyse").click()
    await until(
        async () => (await tab.getByTestId("answer-basic1").locator(".san").count()) > 0,
        "a line is shown",
    )
    await page.counts("[data-testid=answer-basic1] .pulse", 0)
    await tab.getByTestId("answer-basic1").locator(".san").first().click()
    await page.hasHeadline(/^Imagined position$/)
    await page.button("Previous move").click()
    await page.hasHeadline(/ to move/)
    await tab.getByTestId("answer-basic1").locator(".san").first().click()
    await page.hasHeadline(/^Imagined position$/)
    await tab.evaluate(() => document.activeElement.blur())
    await tab.keyboard.press("Escape")
    await page.hasHeadline(/ to move/)
})

for (const viewport of [desktop.viewport, phone.viewport, { width: 844, height: 390 }]) {
    scenario(
        `a player’s card is one line that ends with an ellipsis on ${viewport.width} × ${viewport.height}`,
        { viewport },
        async (page, tab) => {
            const name =
                "Maximilian von und zu Hohenlohe-Langenburg the Younger of Castle Weikersheim"
            await page.paste(
                `[White "${name}"]\n[Black "Bo"]\n[WhiteElo "1850"]\n\n1. e4 {[%clk 0:05:00]} d5 {[%clk 0:05:00]} 2. exd5 {[%clk 0:04:58]} *`,
            )
            await page.plays(3)
            const card = tab.getByTestId("player-white")
            await page.hasText(card, /1850[^]*4:58/)
            await card.getByLabel("Captured: black pawn").waitFor()
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

scenario("a card has the emblem, name and strength of its player", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.hasText(tab.getByTestId("player-black"), /^Basic1\s+1150/)
    const emblems = await tab
        .locator(".player .disc use")
        .evaluateAll((uses) => uses.map((use) => use.getAttribute("href")))
    assert.equal(new Set(emblems).size, 2, emblems.join())
    assert.equal(emblems[1], "#shape-king")
})

scenario(
    "on a phone the bar is at the bottom, and the moves are one press away",
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
        // What is rare is in the menu.
        await tab.getByLabel("More about this game").tap()
        await page.button("Go to end").tap()
        await page.has("f6", "bn")
    },
)

scenario(
    "on a phone the figures of compared AIs are not cut",
    { ...phone, path },
    async (page, tab) => {
        await page.plays(6)
        await page.open("Analyse")
        await page.limitTo("depth", 2)
        await tab.getByRole("checkbox", { name: "Basic1 (quick)" }).check()
        await page.button("Compare 2 AIs").click()
        await tab.getByTestId("agreement").waitFor()
        const cut = await tab
            .locator("[data-testid^=answer-] .figures")
            .evaluateAll((all) => all.map((one) => one.scrollHeight - one.clientHeight))
        assert.ok(cut.length === 2 && cut.every((px) => px <= 1), cut.join())
    },
)

scenario(
    "on a phone on its side the board takes the whole height",
    { viewport: { width: 844, height: 390 }, path },
    async (page, tab) => {
        await page.plays(6)
        const board = await boxOf(tab.getByTestId("board"))
        assert.ok(board.height >= 250 && board.y + board.height <= 390, JSON.stringify(board))
        assert.ok(
            (await boxOf(page.moves)).x >= board.x + board.width,
            "the moves are beside the board",
        )
    },
)
