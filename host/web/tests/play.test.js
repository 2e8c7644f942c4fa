// Playing: with the mouse, the keys and in writing; against AIs and alone.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

scenario("the first board is there, and it is your move against the first AI", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    assert.equal(await tab.locator("[data-testid=board] .pieces g[data-square]").count(), 32)
    assert.equal(await tab.getByLabel("Black", { exact: true }).inputValue(), "basic1")
})

scenario("a clicked piece shows where it can go, and the AI answers its move", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.square("e2").click()
    await until(async () => (await tab.locator(".mark-target").count()) === 2, "two squares are shown")
    await page.square("e4").click()
    await page.has("e4", "wp")
    await until(async () => (await page.played()).length === 2, "the AI has moved")
    await page.says(/^Your move$/)
    assert.equal((await page.played())[0], "e4")
    assert.equal(await tab.locator(".mark-last").count(), 2)
})

scenario("a piece is dragged to its square, and one that can't go there comes back", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "")
    await page.square("g1").dragTo(page.square("g5"))
    await page.has("g1", "wn")
    await page.square("g1").dragTo(page.square("f3"))
    await page.has("f3", "wn")
    await page.has("g1", null)
    assert.deepEqual(await page.played(), ["Nf3"])
})

scenario("the board is played with the keys alone", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await tab.locator("[data-testid=board] svg.cm-chessboard").focus()
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp", "Enter", "ArrowUp", "ArrowUp", "Enter"]) await tab.keyboard.press(key)
    await page.has("d4", "wp")
    await until(async () => (await page.played()).length === 2, "the AI has moved")
    assert.equal((await page.played())[0], "d4")
})

scenario("a move is written as people write it, and what is none is refused in words", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "")
    await page.write("e4", "e7e5", "Nf3")
    await tab.getByLabel("Your move").fill("nc6")
    await tab.keyboard.press("Enter")
    await tab.getByText("nc6 is no legal move here.").waitFor()
    await page.write("Nc6", "Bc4", "Bc5", "0-0")
    await page.has("f1", "wr")
})

scenario("castling moves both pieces", { path: "/#fen=r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" }, async (page) => {
    await page.players("", "")
    await page.press("e1", "g1")
    await page.has("g1", "wk")
    await page.has("f1", "wr")
    await page.press("e8", "c8")
    await page.has("d8", "br")
    assert.deepEqual(await page.played(), ["O-O", "O-O-O"])
})

scenario("a pawn captured in passing is gone", { path: "/#fen=4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1" }, async (page) => {
    await page.players("", "")
    await page.press("a2", "a4")
    await page.has("a4", "wp")
    await page.press("b4", "a3")
    await page.has("a4", null)
    await page.has("a3", "bp")
})

scenario("a pawn becomes what is chosen", { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" }, async (page, tab) => {
    await page.players("", "")
    await page.press("a7", "a8")
    await tab.getByRole("button", { name: "Knight" }).waitFor()
    await page.picture("promotion")
    await tab.getByRole("button", { name: "Knight" }).click()
    await page.has("a8", "wn")
    assert.deepEqual(await page.played(), ["a8=N"])
})

scenario("a promotion is chosen with the keys, or left", { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" }, async (page, tab) => {
    await page.players("", "")
    await page.press("a7", "a8")
    await tab.getByRole("button", { name: "Queen" }).waitFor()
    await tab.keyboard.press("Escape")
    await page.has("a7", "wp")
    await page.press("a7", "a8")
    await tab.getByRole("button", { name: "Queen" }).waitFor()
    await tab.keyboard.press("ArrowDown")
    await tab.keyboard.press("Enter")
    await page.has("a8", "wr")
    assert.deepEqual(await page.played(), ["a8=R+"])
})

scenario("a whole game is won against a weak AI, and the end is said in words", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "first")
    const plan = ["e4", "Bc4", "Qh5", "Qxf7#"]
    const asked = []
    tab.on("request", (request) => request.url().endsWith("/v1/best-move") && asked.push(request))
    for (const [index, move] of plan.entries()) {
        await page.says(/^Your move/)
        await tab.getByLabel("Your move").fill(move)
        await tab.keyboard.press("Enter")
        await until(async () => (await page.played()).length >= 2 * index + 1, `${move} is played`)
    }
    await page.says(/^White wins by checkmate$/)
    assert.equal((await page.played()).length, 7)
    assert.equal(await tab.getByTestId("bar").innerText(), "1–0")
    assert.equal(await tab.locator(".mark-check").count(), 1)
    assert.equal(asked.length, plan.length - 1, "nobody is asked once the game is over")
    assert.equal(await page.button("Resign").isDisabled(), true)
    await page.picture("won")
})

scenario("with Black the AI begins, and the board is turned", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.button("Change sides").click()
    await until(async () => (await page.played()).length === 1, "the AI has moved")
    await page.says(/^Your move$/)
    await tab.getByRole("region", { name: "The board, seen by Black" }).waitFor()
    const [low, high] = [await page.square("h8").boundingBox(), await page.square("a1").boundingBox()]
    assert.ok(low.y > high.y && low.x < high.x)
    await page.press("e7", "e5")
    await page.has("e5", "bp")
})

scenario("undo takes back the AI's move with one's own", {}, async (page) => {
    await page.says(/^Your move$/)
    await page.press("e2", "e4")
    await until(async () => (await page.played()).length === 2, "the AI has moved")
    await page.says(/^Your move$/)
    await page.button("Undo").click()
    await page.has("e2", "wp")
    await page.says(/^Your move$/)
    assert.deepEqual(await page.played(), [])
})

scenario("who resigns has lost, and a new game begins anew", {}, async (page) => {
    await page.says(/^Your move$/)
    await page.press("e2", "e4")
    await page.says(/^Your move$/)
    await until(async () => (await page.played()).length === 2, "the AI has moved")
    await page.button("Resign").click()
    await page.says(/^Black wins by resignation$/)
    await page.button("New game").click()
    await page.says(/^Your move$/)
    assert.deepEqual(await page.played(), [])
})

scenario("a draw can be claimed when a position comes the third time", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "")
    await page.write("Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8")
    await tab.getByRole("button", { name: "Claim a draw by threefold repetition" }).click()
    await page.says(/^Draw by threefold repetition$/)
})

scenario("one walks back and forth in the moves, and goes on from there", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "")
    await page.write("e4", "e5", "Nf3")
    await page.button("One move back").click()
    await page.has("g1", "wn")
    await tab.keyboard.press("ArrowLeft")
    await page.has("e7", "bp")
    await tab.keyboard.press("Home")
    await page.has("e2", "wp")
    await tab.keyboard.press("End")
    await page.has("f3", "wn")
    await page.moves.getByRole("button", { name: "e4" }).click()
    await page.has("e4", "wp")
    await page.has("e5", null)
    await page.says(/^Black to move$/)
    await page.press("c7", "c5")
    await page.has("c5", "bp")
    assert.deepEqual(await page.played(), ["e4", "c5"])
})

scenario("a check is shown, and what was captured", { path: "/#moves=e2e4 d7d5 e4d5 d8d5 b1c3 d5e5" }, async (page, tab) => {
    await page.says(/^White to move, in check$/)
    await until(async () => (await tab.locator(".mark-check").count()) === 1, "the king's square is marked")
    await tab.getByTestId("player-white").getByLabel("Has taken: black pawn").waitFor()
    await tab.getByTestId("player-black").getByLabel("Has taken: white pawn").waitFor()
})

scenario("the board is turned by a key", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await tab.keyboard.press("f")
    await tab.getByRole("region", { name: "The board, seen by Black" }).waitFor()
    await page.button("Turn the board").click()
    await tab.getByRole("region", { name: "The board, seen by White" }).waitFor()
})
