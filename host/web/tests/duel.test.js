// Games between AIs, failing AIs, and lost connections.

import { restartServer, scenario, suspendServer, until, withServer } from "./browser.js"

withServer()

scenario("two AIs play a whole game", {}, async (page, tab) => {
    await page.players("quick", "basic1")
    await tab.getByLabel("Minimum time per move").fill("0")
    await page.button("Start").click()
    await page.hasHeadline(/^(White|Black) wins by checkmate$|^Draw /)
    await until(async () => (await page.played()).length >= 3, "the moves are listed")
    await page.counts("text=Play one move", 0)
})

scenario("pauses, steps and resumes an AI match", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("first", "quick")
    await page.stopTime()
    await page.button("Start").click()
    await page.plays(1)
    await page.hasHeadline(/ to move$/)
    await tab.clock.fastForward(1000)
    await page.plays(2)
    await tab.clock.fastForward(1000)
    await page.plays(3)
    await page.button("Pause").click()
    await page.button("Resume").waitFor()
    await tab.clock.fastForward(5000)
    await page.plays(3)
    await page.button("Play one move").click()
    await page.plays(4)
})

scenario(
    "reports a crash, and another AI continues the game",
    { refusals: [502] },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "segfaults")
        await page.press("e2", "e4")
        await tab
            .getByTestId("fault")
            .getByText(/crashed during its search/)
            .waitFor()
        await page.picture("crashed")
        await page.hasPlayed("e4")
        await page.button("Continue with Basic1").click()
        await page.plays(2)
        await page.hasHeadline(/^Your move$/)
        await page.counts("[data-testid=fault]", 0)
    },
)

scenario(
    "reports a timeout, and the user continues the game",
    { refusals: [504] },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "hangs")
        await page.press("d2", "d4")
        await tab
            .getByTestId("fault")
            .getByText(/timed out and was stopped/)
            .waitFor()
        await page.button("I’ll move").click()
        await page.press("d7", "d5")
        await page.has("d5", "bp")
    },
)

scenario("reports an illegal move and offers a retry", { refusals: [502] }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
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

scenario(
    "reports and retries a lost connection, and the game continues",
    { offline: true },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.acceptsMoves()
        await restartServer(tab, async () => {
            await page.press("e2", "e4")
            await tab.getByTestId("lost").waitFor()
            await page.picture("lost")
        })
        await page.plays(2)
        await page.counts("[data-testid=lost]", 0)
    },
)

scenario(
    "an AI match continues while the board shows an earlier position",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("first", "quick")
        await page.stopTime()
        await page.button("Start").click()
        await page.plays(1)
        await page.button("Pause").click()
        const release = await page.holdAnswers()
        await page.button("Resume").click()
        await tab.clock.fastForward(1000)
        await page.hasHeadline(/is thinking$/)
        await tab.keyboard.press("ArrowLeft")
        release()
        await page.plays(2)
        await page.counts("[data-testid=moves] [aria-current]", 0)
        await tab.keyboard.press("End")
        await tab.clock.fastForward(1000)
        await page.plays(3)
    },
)

for (const [ai, what, status] of [
    ["segfaults", "crashes", 502],
    ["hangs", "times out", 504],
]) {
    scenario(
        `an AI match continues with another AI when one ${what}`,
        { refusals: [status] },
        async (page, tab) => {
            await page.hasHeadline(/^Your move$/)
            await page.players(ai, "quick")
            await page.button("Start").click()
            await tab.getByTestId("fault").waitFor()
            await page.button("Continue with Basic1").click()
            await until(async () => (await page.played()).length >= 2, "the game continues")
        },
    )
}

scenario("pausing an AI match stops the search", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("thorough", "quick")
    await page.button("Start").click()
    await tab.getByTestId("thought").getByText("searching").waitFor()
    await page.button("Pause").click()
    await page.counts(".pulse", 0)
    await page.counts("text=is thinking", 0)
})

/** Plays a move that the AI answers after a long search. */
async function startLongSearch(page, tab) {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "thorough")
    const asked = tab.waitForResponse("**/v1/best-move")
    await page.press("e2", "e4")
    await asked
    await page.hasHeadline(/is thinking$/)
}

scenario("restores a connection lost during a search", { offline: true }, async (page, tab) => {
    await startLongSearch(page, tab)
    const again = tab.waitForRequest("**/v1/best-move")
    await restartServer(tab)
    await again
    await page.counts("[data-testid=lost]", 0)
    await page.hasHeadline(/is thinking$/)
})

scenario("notices a server that stops responding", { offline: true }, async (page, tab) => {
    await tab.clock.install()
    await startLongSearch(page, tab)
    const again = tab.waitForRequest("**/v1/best-move")
    await suspendServer(page, tab)
    await again
    await page.hasHeadline(/is thinking$/)
})

scenario("notices a server that never responds", { offline: true }, async (page, tab) => {
    await tab.clock.install()
    await page.hasHeadline(/^Your move$/)
    await page.players("", "quick")
    await suspendServer(page, tab, () => page.press("e2", "e4"))
    await page.plays(2)
})

scenario("an AI match takes at least a second per move", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("quick", "basic1")
    await page.stopTime()
    await page.button("Start").click()
    await page.plays(1)
    await tab.clock.fastForward(900)
    await page.hasHeadline(/ to move$/)
    await page.plays(1)
    await tab.clock.fastForward(200)
    await page.plays(2)
})
