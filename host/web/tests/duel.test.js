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
    await until(async () => (await page.played()).length >= 3, "the moves are listed")
    await page.disabled("Play one move")
})

scenario("a duel is paused, stepped and goes on", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("first", "quick")
    await page.button("Play one move").click()
    await page.plays(1)
    await page.says(/ to move$/)
    await page.button("Resume").click()
    await until(async () => (await page.played()).length >= 3, "the game goes on")
    await page.button("Pause").click()
    await page.button("Resume").waitFor()
    const paused = (await page.played()).length
    await page.button("Play one move").click()
    await page.plays(paused + 1)
})

scenario("a crashed AI is told in plain words, and another plays on", { refusals: [502] }, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "segfaults")
    await page.press("e2", "e4")
    await tab.getByTestId("fault").getByText(/crashed during its search/).waitFor()
    await page.picture("crashed")
    await page.hasPlayed("e4")
    await page.button("Continue with Basic1").click()
    await page.plays(2)
    await page.says(/^Your move$/)
    await page.counts("[data-testid=fault]", 0)
})

scenario("an AI that stalls is stopped, and one moves oneself", { refusals: [504] }, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "hangs")
    await page.press("d2", "d4")
    await tab.getByTestId("fault").getByText(/timed out and was stopped/).waitFor()
    await page.button("Play this side").click()
    await page.press("d7", "d5")
    await page.has("d5", "bp")
})

scenario("an AI that plays no legal move is told as such, and can be asked again", { refusals: [502] }, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("", "cheats")
    await page.press("d2", "d4")
    const words = tab.getByTestId("fault").getByText(/returned an illegal move/)
    await words.waitFor()
    const again = tab.waitForResponse((response) => response.url().endsWith("/v1/best-move"))
    await page.button("Retry").click()
    await again
    await words.waitFor()
    await page.hasPlayed("d4")
})

scenario("a lost connection is told and tried again, and the game goes on", { offline: true }, async (page, tab) => {
    await page.says(/^Your move$/)
    const { port, stop } = currentServer()
    await stop()
    await page.press("e2", "e4")
    await tab.getByTestId("lost").waitFor()
    await page.picture("lost")
    replaceServer(await startServer({ port }))
    await page.plays(2)
    await page.counts("[data-testid=lost]", 0)
})

scenario("a duel goes on behind somebody who looks back", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("first", "quick")
    await page.button("Play one move").click()
    await page.plays(1)
    const letGo = await page.holdAnswers()
    await page.button("Resume").click()
    await page.says(/is thinking$/)
    await tab.keyboard.press("ArrowLeft")
    letGo()
    await page.plays(2)
    await page.counts("[data-testid=moves] [aria-current]", 0)
    await tab.keyboard.press("End")
    await until(async () => (await page.played()).length > 2, "the game goes on")
})

for (const [ai, what, status] of [["segfaults", "crashes", 502], ["hangs", "stalls", 504]]) {
    scenario(`a duel goes on with another when one ${what}`, { refusals: [status] }, async (page, tab) => {
        await page.says(/^Your move$/)
        await page.players(ai, "quick")
        await page.button("Start").click()
        await tab.getByTestId("fault").waitFor()
        await page.button("Continue with Basic1").click()
        await until(async () => (await page.played()).length >= 2, "the game goes on")
    })
}

scenario("a duel that is paused thinks no more", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.players("thorough", "quick")
    await page.button("Start").click()
    await tab.getByTestId("thought").getByText("searching").waitFor()
    await page.button("Pause").click()
    await page.counts(".pulse", 0)
    await page.counts("text=is thinking", 0)
})

/** Somebody's first move, about which the AI goes on thinking. */
async function isThoughtAbout(page, tab) {
    await page.says(/^Your move$/)
    await page.players("", "thorough")
    await page.press("e2", "e4")
    const line = tab.getByTestId("thought").locator(".san")
    await until(async () => (await line.count()) > 0, "a line of play is shown")
}

scenario("a connection that is lost in the middle of a thought is taken up again", { offline: true }, async (page, tab) => {
    await isThoughtAbout(page, tab)
    const { port, stop } = currentServer()
    await stop()
    await tab.getByTestId("lost").waitFor()
    replaceServer(await startServer({ port }))
    await page.counts("[data-testid=lost]", 0)
    await page.says(/is thinking$/)
    await page.players("", "quick")
    await page.plays(2)
})

scenario("a server that falls silent is told as lost", { offline: true }, async (page, tab) => {
    await tab.clock.install()
    await isThoughtAbout(page, tab)
    const { hush, wake } = currentServer()
    hush()
    await tab.clock.fastForward(21_000)
    await tab.getByTestId("lost").waitFor()
    wake()
    await page.counts("[data-testid=lost]", 0)
    await page.players("", "quick")
    await page.plays(2)
})
