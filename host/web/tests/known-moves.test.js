// The moves from the opening book and the tablebases.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

const known = (tab) => tab.getByTestId("known-moves")
/** Collects the page's requests to the book. */
function asked(tab) {
    const positions = []
    tab.on("request", (request) => {
        const { pathname, searchParams } = new URL(request.url())
        if (pathname === "/v1/book") positions.push(searchParams.get("fen"))
    })
    return positions
}

scenario("shows book moves with their shares, and plays them", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.open("Analyse")
    const { moves } = await tab.evaluate(async () => (await fetch("/v1/book")).json())
    const total = moves.reduce((sum, { weight }) => sum + weight, 0)
    const [first] = moves
    await page.hasText(
        known(tab),
        new RegExp(`^Book\\s+${first.san} ${Math.round((100 * first.weight) / total)}%`),
    )
    await known(tab).getByRole("button").first().click()
    await page.hasPlayed(first.san)
    await page.hasText(known(tab), /^Book\s+\S+ \d+%/)
    assert.ok((await known(tab).getByRole("button").first().innerText()) !== first.san)
    await page.picture("book")
    // A move at an earlier position is a variation.
    await page.button("Previous move").click()
    await known(tab).getByRole("button").nth(1).click()
    await page.hasText(tab.getByTestId("variation").first(), new RegExp(moves[1].san))
})

scenario(
    "says when a position is not in the book",
    { path: "/#fen=4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1" },
    async (page, tab) => {
        await page.pieces(10)
        await page.open("Analyse")
        await page.hasText(known(tab), /^Not in the opening book$/)
        await page.counts("button", 0, known(tab))
    },
)

scenario(
    "shows and plays the best tablebase moves",
    { path: "/#fen=8/8/8/8/8/8/k1K1p3/8 b - - 0 1" },
    async (page, tab) => {
        await page.pieces(3)
        await page.open("Analyse")
        await page.hasText(known(tab), /^Tablebase\s+e1=Q win\s+e1=R win$/)
        await known(tab).getByRole("button", { name: /^e1=R/ }).click()
        await page.hasPlayed("e1=R")
    },
)

scenario("requests no book or tablebase moves while a person plays", {}, async (page, tab) => {
    const positions = asked(tab)
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    assert.deepEqual(positions, [])
    await page.open("Analyse")
    await known(tab).waitFor()
    await until(() => positions.length > 0, "the analysis asks the book")
})

const path = "/#fen=8/8/8/8/8/8/k1K1p3/8 w - - 0 1"

scenario("gives no tablebase help in a game against an AI", { path }, async (page, tab) => {
    await tab.getByTestId("tablebase").waitFor()
    await tab.getByLabel("More about this game").click()
    await page.button("Play from here").click()
    await page.counts("[data-testid=tablebase]", 0)
    await page.pieces(3)
})
