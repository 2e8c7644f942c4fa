// AIs against each other, and AIs that fail.

import assert from "node:assert/strict"
import { currentServer, replaceServer, scenario, until, withServer } from "./browser.js"
import { startServer } from "./server.js"

withServer()

scenario("two AIs play a game to its end", { path: "/#fen=7k/8/8/8/8/8/8/2QQK3 w - - 0 1" }, async (page) => {
    await page.has("a8", null)
    await page.players("quick", "basic1")
    await page.button("Start").click()
    await page.says(/^White wins by checkmate$|^Draw /)
    assert.ok((await page.played()).length >= 3)
    assert.equal(await page.button("One move").isDisabled(), true)
})

scenario("a duel is paused, stepped and goes on", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("first", "quick")
    await page.button("One move").click()
    await until(async () => (await page.played()).length === 1, "one move is played")
    await page.says(/is to move$/)
    await page.button("Go on").click()
    await until(async () => (await page.played()).length >= 3, "the game goes on")
    await page.button("Pause").click()
    await page.says(/is to move$/)
    const paused = (await page.played()).length
    await page.button("One move").click()
    await until(async () => (await page.played()).length === paused + 1, "one more move is played")
})

scenario("a crashed AI is told in plain words, and another plays on", { refusals: [502] }, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "segfaults")
    await page.press("e2", "e4")
    await tab.getByTestId("fault").getByText(/crashed while it was thinking/).waitFor()
    await page.picture("crashed")
    assert.deepEqual(await page.played(), ["e4"])
    await page.button("Let Basic1 play on").click()
    await until(async () => (await page.played()).length === 2, "the other has moved")
    await page.says(/^Your move$/)
    assert.equal(await tab.getByTestId("fault").count(), 0)
})

scenario("an AI that stalls is stopped, and one moves oneself", { refusals: [504] }, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "hangs")
    await page.press("d2", "d4")
    await tab.getByTestId("fault").getByText(/did not answer in time and was stopped/).waitFor()
    await page.button("I move").click()
    await page.press("d7", "d5")
    await page.has("d5", "bp")
})

scenario("an AI that plays no legal move is told as such, and can be asked again", { refusals: [502] }, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "cheats")
    await page.press("d2", "d4")
    const words = tab.getByTestId("fault").getByText(/wanted to play a move that is not legal/)
    await words.waitFor()
    await page.button("Ask again").click()
    await words.waitFor()
    assert.deepEqual(await page.played(), ["d4"])
})

scenario("a lost connection is told and tried again, and the game goes on", { offline: true }, async (page, tab) => {
    await page.says(/^Your move$/)
    const { port, stop } = currentServer()
    await stop()
    await page.square("e2").click()
    await page.square("e4").click()
    await tab.getByTestId("lost").waitFor()
    await page.picture("lost")
    replaceServer(await startServer({ port }))
    await until(async () => (await page.played()).length === 2, "the AI has moved")
    await until(async () => (await tab.getByTestId("lost").count()) === 0, "the connection is back")
})
