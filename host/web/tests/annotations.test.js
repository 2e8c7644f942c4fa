// Drawings and commands in a PGN, links to complete games, glyphs and comments.

import assert from "node:assert/strict"
import { accessibilityViolations, scenario, sizes, until, withServer } from "./browser.js"

withServer()

const drawn = `[White "Anna"]
[Black "Bo"]

{[%csl Ye4] A start.} 1. e4 {best by test [%csl Gd5,Re5][%cal Gd2d4,Bg1f3] [%emt 0:00:05] [%clk 0:03:00]} e5 (1... c5 {[%cal Yd2d4]} 2. Nf3) 2. Nf3 *
`
const copy = async (page, tab, name) => {
    await page.open("Position")
    await page.button(name).click()
    return tab.getByRole("textbox", { name, exact: true }).inputValue()
}
const shapes = (tab) => tab.locator("[data-testid=board] :is(.arrow-drawn, .mark-circle)")
const hasShapes = async (tab, ...colors) => {
    const found = () =>
        shapes(tab).evaluateAll((list) =>
            list
                .map(
                    (shape) =>
                        /drawn-(green|red|yellow|blue)/.exec(shape.getAttribute("class"))?.[1],
                )
                .sort(),
        )
    await until(
        async () => (await found()).join() === colors.toSorted().join(),
        `the drawings are ${colors}`,
        found,
    )
}
/** Opens a link as another visitor. */
const openLink = async (tab, link) => {
    await tab.goto("about:blank")
    await tab.goto(link)
}

scenario("shows and keeps arrows, circles and other commands of a PGN", {}, async (page, tab) => {
    await page.paste(drawn)
    await page.hasPlayed("e4", "e5", "Nf3")
    await page.button("Go to start").click()
    await hasShapes(tab, "yellow")
    await page.button("Next move").click()
    await hasShapes(tab, "green", "red", "green", "blue")
    await page.picture("drawings")
    const pgn = (await copy(page, tab, "PGN")).replaceAll("\n", " ")
    assert.match(
        pgn,
        /\{\[%csl Ye4\] A start\.\} 1\. e4 \{\[%csl Gd5,Re5\] \[%cal Gd2d4,Bg1f3\] \[%emt 0:00:05\] \[%clk 0:03:00\] best by test\}/,
    )
    assert.match(pgn, /\(1\.\.\. c5 \{\[%cal Yd2d4\]\} 2\. Nf3\)/)
})

scenario(
    "the user's arrows stay with their position and are in the PGN",
    { path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await page.acceptsMoves()
        for (const [from, to, key] of [
            ["g1", "f3"],
            ["b1", "c3", "Shift"],
            ["d4", "d4", "Alt"],
        ]) {
            const [start, end] = await Promise.all(
                [from, to].map((name) => page.square(name).boundingBox()),
            )
            if (key) await tab.keyboard.down(key)
            await tab.mouse.move(start.x + start.width / 2, start.y + start.height / 2)
            await tab.mouse.down({ button: "right" })
            await tab.mouse.move(end.x + end.width / 2, end.y + end.height / 2)
            await tab.mouse.up({ button: "right" })
            if (key) await tab.keyboard.up(key)
        }
        await hasShapes(tab, "green", "red", "blue")
        await page.button("Previous move").click()
        await hasShapes(tab)
        await page.button("Next move").click()
        await hasShapes(tab, "green", "red", "blue")
        // Picking up a piece does not clear the drawings.
        await page.square("g1").click()
        await page.counts(".mark-from", 1)
        await hasShapes(tab, "green", "red", "blue")
        await tab.reload()
        await hasShapes(tab, "green", "red", "blue")
        assert.match(
            await copy(page, tab, "PGN"),
            /1\. e4 e5 \{\[%csl Bd4\] \[%cal Gg1f3,Rb1c3\]\}/,
        )
        await page.square("h5").click()
        await hasShapes(tab)
        await tab.getByRole("button", { name: "Undo: Drawings removed" }).click()
        await hasShapes(tab, "green", "red", "blue")
    },
)

scenario(
    "a link contains the annotated game and opens it at its position",
    {},
    async (page, tab) => {
        await page.paste(drawn)
        await page.hasPlayed("e4", "e5", "Nf3")
        await page.button("Go to start").click()
        await page.button("Next move").click()
        await hasShapes(tab, "green", "red", "green", "blue")
        const [pgn, link] = [await copy(page, tab, "PGN"), await copy(page, tab, "Link")]
        assert.match(link, /#game=[\w-]+&ply=1$/)
        await openLink(tab, link)
        await page.hasPlayed("e4", "e5", "Nf3")
        await tab.locator('[data-ply="1"][aria-current]').waitFor()
        await tab.getByTestId("player-white").getByText("Anna").waitFor()
        await page.hasText(page.moves, /best by test/)
        await page.hasText(tab.getByTestId("variation"), /c5\s*2\.\s*Nf3/)
        assert.equal(await copy(page, tab, "PGN"), pgn)
    },
)

scenario("reports a game that is too long for a link", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    // Random letters, which do not compress.
    const comment = await tab.evaluate(() =>
        Array.from(crypto.getRandomValues(new Uint8Array(9000)), (byte) =>
            String.fromCharCode(65 + (byte % 58)),
        )
            .join("")
            .replace(/[{}[\]\\]/g, "x"),
    )
    await page.paste(`1. e4 {${comment}} e5 *`)
    await page.hasPlayed("e4", "e5")
    await page.open("Position")
    await page.button("Link").click()
    await tab
        .getByText(
            /^The game is too long for a link: \d+ kB of at most 8 kB\. Send its PGN instead\.$/,
        )
        .waitFor()
})

scenario("reports a game that is far too long for a link", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const { randomBytes } = await import("node:crypto")
    await page.paste(`1. e4 {${randomBytes(300_000).toString("base64")}} e5 *`)
    await page.hasPlayed("e4", "e5")
    await page.open("Position")
    await page.button("Link").click()
    await tab
        .getByText(
            /^The game is too long for a link: \d{3} kB of at most 8 kB\. Send its PGN instead\.$/,
        )
        .waitFor()
})

// A request is limited to 1 MiB of JSON.
for (const [what, text] of [
    ["braces", "{".repeat(1e6)],
    ["empty lines", "\r".repeat(5e5)],
    ["digits", "1".repeat(1e6)],
    ["commands", `{${"[%a".repeat(3e5)}}`],
    ["evaluations", `{${"[%eval 1 ".repeat(1e5)}}`],
]) {
    scenario(
        `a link with very many ${what} does not block the page`,
        { refusals: [422] },
        async (page, tab) => {
            const { deflateRawSync } = await import("node:zlib")
            await openLink(
                tab,
                `${new URL("/", tab.url())}#game=${deflateRawSync(Buffer.from(`1. e4 e5 ${text} *`)).toString("base64url")}`,
            )
            if (what === "braces")
                await page.hasText(
                    tab.getByTestId("issues"),
                    /comment that starts here is not closed/,
                )
            else await page.hasPlayed("e4", "e5")
        },
    )
}

// The links contain 40 MB of compressed spaces, an incomplete game, and invalid characters.
for (const [what, game] of [
    ["bomb", null],
    ["half", "S1JITU1V"],
    ["noise", "%%%"],
]) {
    scenario(`reports a link with a damaged game: ${what}`, {}, async (page, tab) => {
        const { deflateRawSync } = await import("node:zlib")
        const letters = game ?? deflateRawSync(Buffer.alloc(40_000_000, 32)).toString("base64url")
        await openLink(tab, `${new URL("/", tab.url())}#game=${letters}`)
        await page.hasText(
            tab.getByTestId("issues"),
            /^The link is damaged or incomplete; copy it again, or ask for the PGN$/,
        )
        await page.hasPlayed()
    })
}

scenario(
    "a right click and the menu key open a move's menu with the common glyphs",
    { path: "/#moves=e2e4 e7e5 g1f3" },
    async (page, tab) => {
        await page.plays(3)
        const menu = tab.getByTestId("move-menu")
        const move = page.moves.getByRole("button", { name: "e5", exact: true })
        await move.click({ button: "right" })
        await menu.getByText("1… e5", { exact: true }).waitFor()
        await page.counts("[data-testid=move-menu] [aria-pressed]", 24)
        for (const name of ["Good move", "Mistake", "Black is slightly better", "Novelty"])
            await page.button(name).click()
        // A move has at most one move glyph.
        await page.counts("[data-testid=move-menu] [aria-pressed=true]", 3)
        await tab.keyboard.press("Escape")
        await page.counts("[data-testid=move-menu]", 0)
        await page.hasText(page.moves, /e5\? +N/)
        await page.moves.getByRole("img", { name: "⩱" }).waitFor()
        assert.match(await copy(page, tab, "PGN"), /1\. e4 e5 \$2 \$15 \$146 2\. Nf3/)
        const other = page.moves.getByRole("button", { name: "Nf3", exact: true })
        await other.press("ContextMenu")
        await menu.getByText("2. Nf3", { exact: true }).waitFor()
        assert.deepEqual(await accessibilityViolations(tab), [])
    },
)

scenario(
    "a PGN copied from a move starts at its position",
    { path: "/#moves=e2e4 e7e5 g1f3 b8c6" },
    async (page, tab) => {
        await page.plays(4)
        await page.moves.getByRole("button", { name: "Nf3" }).click({ button: "right" })
        await page.button("Copy PGN from here").click()
        await page.button("Copied").waitFor()
        const pgn = await tab.evaluate(() => navigator.clipboard.readText())
        assert.match(
            pgn,
            /\[FEN "rnbqkbnr\/pppp1ppp\/8\/4p3\/4P3\/8\/PPPP1PPP\/RNBQKBNR w KQkq - 0 2"\]/,
        )
        assert.match(pgn, /\n2\. Nf3 Nc6 \*\s*$/)
    },
)

scenario(
    "a long press on a phone opens a move's menu",
    { ...sizes.phone, path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await page.button("Moves").tap()
        const box = await page.moves.getByRole("button", { name: "e4", exact: true }).boundingBox()
        const tools = await tab.context().newCDPSession(tab)
        const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
        await tools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] })
        const menu = tab.getByTestId("move-menu")
        await menu.waitFor()
        await tools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })
        const { x, width } = await menu.boundingBox()
        assert.ok(x >= 0 && x + width <= 360, `it reaches from ${x} to ${x + width}`)
    },
)

scenario(
    "edits players, event and result, and writes them to the PGN",
    { path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await tab.getByTestId("move-menu-button").click()
        await page.button("Edit players and event").click()
        const form = tab.getByRole("form", { name: "Edit players and event" })
        for (const [label, text] of [
            ["White", "Anna"],
            ["Black", "Bo"],
            ["Elo of White", "2100"],
            ["Event", "Club championship"],
        ]) {
            await form.getByLabel(label, { exact: true }).fill(text)
        }
        await form.getByLabel("Result").selectOption("1-0")
        await form.getByRole("button", { name: "Done" }).click()
        await page.hasText(tab.getByTestId("facts"), /^Anna – Bo\s*1–0\s*Club championship/)
        const pgn = await copy(page, tab, "PGN")
        for (const tag of ['White "Anna', 'Black "Bo', 'WhiteElo "2100', 'Result "1-0'])
            assert.ok(pgn.includes(`[${tag}"]`), pgn)
        // A click on the names reopens the fields.
        await tab.getByTestId("facts").click()
        await form.getByLabel("Result").selectOption("*")
        await form.getByLabel("Black", { exact: true }).fill("Cleo")
        await form.getByRole("button", { name: "Done" }).click()
        await page.hasText(tab.getByTestId("facts"), /^Anna – Cleo\s*Club championship/)
    },
)

scenario(
    "the field for typed moves opens by keyboard and from the developer menu",
    { path: "/#moves=e2e4" },
    async (page, tab) => {
        await page.plays(1)
        await page.open("Analyse")
        const clipping = () =>
            tab.locator(".move-field").evaluate((form) => getComputedStyle(form).clipPath)
        assert.equal(await clipping(), "inset(50%)")
        await tab.getByText("For developers").click()
        await page.button("Type a move").click()
        await until(async () => (await clipping()) === "none", "the field is shown")
        await tab.keyboard.type("e5")
        await tab.keyboard.press("Enter")
        await page.hasPlayed("e4", "e5")
        // Enter opens the field while nothing is focused.
        await tab.evaluate(() => document.activeElement.blur())
        await tab.keyboard.press("Enter")
        await tab.keyboard.type("Nf3")
        await tab.keyboard.press("Enter")
        await page.hasPlayed("e4", "e5", "Nf3")
    },
)
