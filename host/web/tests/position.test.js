// Positions going in and out, and what can be asked of one.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

const fools = '[Event "?"]\n[Result "0-1"]\n\n1. f3 {weak} e5 2. g4 Qh4# 0-1'

scenario("a pasted FEN is on the board", {}, async (page, tab) => {
    await page.paste("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    await page.has("h1", "wr")
    await page.has("a8", null)
    assert.equal(await tab.locator("[data-testid=board] .pieces g[data-square]").count(), 4)
})

scenario("a broken FEN is told in words", { refusals: [422] }, async (page, tab) => {
    await page.paste("rnbqkbnr/pppppppp/9/8 w KQkq - 0 1")
    await tab.getByTestId("issues").waitFor()
    assert.ok((await tab.getByTestId("issues").innerText()).length > 20)
    await page.has("e2", "wp")
})

scenario("what is wrong with a position is marked at its squares", { refusals: [422] }, async (page, tab) => {
    await page.paste("P3k3/8/8/8/8/8/8/4K2p w - - 0 1")
    await page.has("a8", "wp")
    await until(async () => (await tab.locator(".mark-issue").count()) === 2, "both pawns are marked")
    const issues = await tab.getByTestId("issues").innerText()
    assert.match(issues, /a8/)
    assert.match(issues, /h1/)
    await page.picture("issues")
    await page.button("Leave as it was").click()
    await page.has("e2", "wp")
})

scenario("a pasted PGN is a game to walk through", {}, async (page) => {
    await page.paste(fools)
    await page.says(/^Black wins by checkmate$/)
    assert.deepEqual(await page.played(), ["f3", "e5", "g4", "Qh4#"])
    await page.button("First position").click()
    await page.has("d8", "bq")
})

scenario("a board in the HTML of 2014 is read", {}, async (page, tab) => {
    const pieces = { "0,4": "♚", "7,4": "♔", "7,0": "♖" }
    const square = (_, index) => [Math.floor(index / 8), index % 8]
    const cells = Array.from({ length: 64 }, square).map(([row, col]) => `<td data-row="${row}" data-col="${col}">${pieces[`${row},${col}`] ?? ""}</td>`)
    await page.paste(`<table>${cells.join("")}</table>`)
    await page.has("a1", "wr")
    assert.equal(await tab.locator("[data-testid=board] .pieces g[data-square]").count(), 3)
})

scenario("a position is set up by hand and played", { refusals: [422] }, async (page, tab) => {
    await page.tab("Position")
    await page.button("Set up by hand").click()
    await page.button("Empty board").click()
    await tab.getByTestId("issues").waitFor()
    assert.equal(await page.button("Play from here").isDisabled(), true)
    for (const [name, square] of [["white king", "e1"], ["black king", "e8"], ["white queen", "d1"]]) {
        await page.button(name).click()
        await page.square(square).click()
    }
    await until(async () => (await tab.getByTestId("issues").count()) === 0, "nothing is wrong any more")
    await page.picture("set-up")
    await page.button("Play from here").click()
    await page.tab("Play")
    await page.players("", "")
    await page.press("d1", "d7")
    await page.says(/^Black to move, in check$/)
})

scenario("a position is copied as FEN, PGN, HTML and a link that opens it", { path: "/#moves=e2e4 e7e5" }, async (page, tab) => {
    await page.has("e5", "bp")
    await page.tab("Position")
    const copied = async (name) => {
        await page.button(name).click()
        await tab.getByRole("textbox", { name, exact: true }).waitFor()
        return tab.evaluate(() => navigator.clipboard.readText())
    }
    assert.equal(await copied("FEN"), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    assert.match(await copied("PGN"), /1\. e4 e5/)
    assert.match(await copied("HTML"), /data-col/)
    const link = await copied("Link")
    await tab.goto("about:blank")
    await tab.goto(link)
    await page.has("e5", "bp")
    assert.deepEqual(await page.played(), ["e4", "e5"])
})

scenario("a position is set up with the keys alone", { refusals: [422] }, async (page, tab) => {
    await page.tab("Position")
    for (const name of ["Set up by hand", "Empty board", "white king"]) {
        await page.button(name).focus()
        await tab.keyboard.press("Enter")
    }
    await tab.locator("[data-testid=board] svg.cm-chessboard").focus()
    await tab.keyboard.press("Enter")
    await page.has("a1", "wk")
    await page.button("black king").focus()
    await tab.keyboard.press("Enter")
    await tab.locator("[data-testid=board] svg.cm-chessboard").focus()
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await tab.keyboard.press(key)
    await page.has("c1", "bk")
    await until(async () => (await tab.getByTestId("issues").count()) === 0, "nothing is wrong any more")
})

scenario("the keys ask where a piece can go", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await tab.locator("[data-testid=board] svg.cm-chessboard").focus()
    await tab.keyboard.press("ArrowRight")
    await tab.keyboard.press("i")
    await tab.getByTestId("inspection").getByText("Can go to a3, c3.").waitFor()
    assert.match(await tab.getByTestId("inspection").innerText(), /d2: its own side stands there/)
})

scenario("a link to no legal game says why", { path: "/#moves=e2e4 e2e4", refusals: [422] }, async (page, tab) => {
    await tab.getByTestId("issues").getByText(/e2e4 is illegal/).waitFor()
    await page.has("e2", "wp")
})

scenario("a long press tells where a piece can go, and why not there", { path: "/#fen=4k3/8/8/8/8/2b5/8/R3K2N w Q - 0 1" }, async (page, tab) => {
    await page.has("h1", "wn")
    const { x, y, width } = await page.square("h1").boundingBox()
    await tab.mouse.move(x + width / 2, y + width / 2)
    await tab.mouse.down()
    await tab.getByTestId("inspection").getByText("Can go nowhere.").waitFor()
    await tab.mouse.up()
    assert.match(await tab.getByTestId("inspection").innerText(), /f2: its king would be in check from the black bishop on c3/)
    assert.equal(await tab.locator(".mark-barred").count(), 2)
    await page.picture("why")
    await tab.keyboard.press("Escape")
    await until(async () => (await tab.getByTestId("inspection").count()) === 0, "it is closed")
})
