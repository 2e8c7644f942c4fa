// Matches that the server plays, while the page shows them.

import assert from "node:assert/strict"
import {
    accessibilityViolations,
    currentServer,
    restartServer,
    scenario,
    suspendServer,
    until,
    withServer,
} from "./browser.js"

withServer()

/** Asks the server for a match as the page does. */
const ask = async (path, method, body) => {
    const init = {
        method,
        headers: { "Content-Type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
    }
    return (await fetch(currentServer().address + path, init)).json()
}

async function start(page, tab, white, black, games) {
    await page.hasHeadline(/^Your move$| to move$/)
    await page.players(white, black)
    await tab.locator(".games-count input").fill(String(games))
    await tab.locator(".games-count input").blur()
    await page.button(`Start ${games} games`).click()
}

/** Starts a match with a limit of both players. */
async function startLimited(page, tab, kind, number, games) {
    await page.hasHeadline(/^Your move$/)
    await page.players("quick", "basic1")
    await page.limitTo(kind, number)
    await start(page, tab, "quick", "basic1", games)
}

/** Waits until Black is to move in the first game. */
async function showsEndless(page, tab) {
    await page.hasHeadline(/^Game 1 of 4$/)
    await tab.locator("[data-testid=player-black].to-move").waitFor()
}

/**
 * Starts a match whose first game stays at a search without an end, and returns the moves before
 * it.
 */
async function startEndless(page, tab) {
    await start(page, tab, "quick", "thorough", 4)
    await showsEndless(page, tab)
    return page.played()
}

async function stop(page, tab) {
    await page.open("Play")
    await page.button("Stop").click()
    await page.hasText(tab.getByTestId("score"), /It was stopped\.$/)
}

const score = (tab) => tab.getByTestId("score")

scenario(
    "the server plays a match, and the page shows its score and lists its games",
    {},
    async (page, tab) => {
        const asked = []
        tab.on(
            "request",
            (request) => /best-move|matches$/.test(request.url()) && asked.push(request),
        )
        await startLimited(page, tab, "nodes", 20, 2)
        await page.hasText(
            score(tab),
            /^Basic1 \(quick\) [\d.]+ – [\d.]+ Basic1 after 2 of 2 games\. Elo (\+|unknown)/,
        )
        assert.deepEqual(
            asked.map((request) => request.postDataJSON()),
            [{ players: ["quick,nodes=20", "basic1,nodes=20"], games: 2, limit: { nodes: 1e12 } }],
        )
        assert.match(asked[0].headers()["idempotency-key"], /^\d+-\d+-\d+-\d+$/)
        assert.deepEqual(await accessibilityViolations(tab), [])
        await page.button("Start 2 games").waitFor()
        await page.picture("match")
        await page.open("Position")
        await tab.getByLabel("2 games; choose a game").waitFor()
        await tab.reload()
        await tab.getByLabel("2 games; choose a game").waitFor()
        await page.hasText(
            tab.getByTestId("games"),
            /quick,nodes=20 – basic1,nodes=20\s+[\d/-]+[^]*basic1,nodes=20 – quick,nodes=20\s+[\d/-]+/,
        )
    },
)

scenario("the board follows a match, also after a reload of the page", {}, async (page, tab) => {
    const before = await startEndless(page, tab)
    assert.ok(before.length > 1)
    await page.hasText(tab.getByTestId("player-white"), /^Basic1 \(quick\)/)
    await tab.reload()
    await showsEndless(page, tab)
    await page.hasPlayed(...before)
    await page.hasText(
        score(tab),
        /^Basic1 \(quick\) 0 – 0 Basic1 \(thorough\) after 0 of 4 games$/,
    )
    await page.disabled("Play one move")
    await page.disabled("Undo")
    await stop(page, tab)
    await page.hasHeadline(/^Basic1 \(thorough\) to move$/)
    await page.button("Start 4 games").click()
    await page.hasText(score(tab), /after 0 of 4 games$/)
    await stop(page, tab)
})

scenario(
    "a finished game is opened during a match, and the board follows the match again",
    {},
    async (page, tab) => {
        // Long enough for all that follows, however fast the machine is.
        await startLimited(page, tab, "movetime_ms", 20, 1000)
        await until(async () => (await page.played()).length > 0, "the board shows a game")
        await page.hasText(score(tab), /after \d*[02468] of 1000 games\. Elo/)
        await page.open("Position")
        await tab.getByTestId("games").locator("li button").first().click()
        await page.button("Follow the match").waitFor()
        const opened = await page.played()
        const listed = () => tab.getByTestId("games").locator("li").count()
        const count = await listed()
        await until(async () => (await listed()) > count, "further games are listed")
        assert.equal(await tab.getByTestId("games").locator("[aria-pressed=true]").count(), 1)
        assert.deepEqual(await page.played(), opened)
        await page.open("Play")
        await page.hasText(score(tab), /of 1000 games\. Elo/)
        await page.button("Follow the match").click()
        await page.counts("text=Follow the match", 0)
        await page.hasHeadline(/^Game \d+ of 1000$/)
        await until(
            async () => (await page.played()).join() !== opened.join(),
            "the board shows the running game",
        )
        await stop(page, tab)
    },
)

scenario("the board leaves a match when the user begins another game", {}, async (page, tab) => {
    const before = await startEndless(page, tab)
    await page.button("New game").click()
    await page.plays(0)
    await page.button("Follow the match").click()
    await page.hasPlayed(...before)
    await tab.getByLabel("Sides", { exact: true }).selectOption("both")
    await page.button("Follow the match").waitFor()
    await page.hasPlayed(...before)
    await stop(page, tab)
    await page.counts("text=Follow the match", 0)
})

scenario("a match goes on after a lost connection", { offline: true }, async (page, tab) => {
    await tab.clock.install()
    await startEndless(page, tab)
    await suspendServer(page, tab)
    await showsEndless(page, tab)
    await stop(page, tab)
})

scenario(
    "a match is over if its server restarts without it",
    { offline: true, refusals: [404] },
    async (page, tab) => {
        await startEndless(page, tab)
        await restartServer(tab)
        await tab.getByText(/the match '.+' is of another server/).waitFor()
        await page.button("Start 4 games").waitFor()
        await page.counts("[data-testid=score]", 0)
    },
)

scenario("a match that the server rejects is reported", { refusals: [409] }, async (page, tab) => {
    const other = await ask("/v1/matches", "POST", {
        players: ["quick", "thorough"],
        games: 2,
        time_control: "600",
    })
    await start(page, tab, "quick", "basic1", 2)
    await tab
        .getByText(/^The client's match has not ended: the match '.+' of this client has not ended/)
        .waitFor()
    await page.counts("[data-testid=score]", 0)
    await ask(`/v1/matches/${other.id}`, "DELETE")
})

scenario("an AI plays a match against itself", {}, async (page, tab) => {
    await start(page, tab, "basic1", "basic1", 2)
    await page.hasText(
        tab.getByTestId("score"),
        /^basic1,depth=3 [\d.]+ – [\d.]+ basic1,depth=3\s+after 2 of 2 games/,
    )
})

scenario(
    "a match goes on that starts before the server has replied about an older one",
    { refusals: [404] },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await tab.evaluate(() =>
            localStorage.setItem("match", JSON.stringify({ id: "0-0", seats: {} })),
        )
        const release = await page.holdAnswers("**/v1/matches/0-0")
        await tab.reload()
        await startEndless(page, tab)
        const reply = tab.waitForResponse("**/v1/matches/0-0")
        release()
        await (await reply).finished()
        await stop(page, tab)
        await tab.reload()
        await page.hasText(score(tab), /It was stopped\.$/)
    },
)

scenario(
    "a match that the server no longer knows is forgotten",
    { refusals: [404] },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await tab.evaluate(() =>
            localStorage.setItem("match", JSON.stringify({ id: "0-0", seats: {} })),
        )
        await tab.reload()
        await until(
            () => tab.evaluate(() => localStorage.getItem("match") === null),
            "the match is forgotten",
        )
        await page.hasHeadline(/^Your move$/)
        await page.counts("[data-testid=score]", 0)
    },
)
