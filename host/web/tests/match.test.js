// Games between AIs: single games, and matches that the server plays.

import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
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

/** Asks the server about a match as the page does. */
const ask = async (path, method, body) => {
    const init = {
        method,
        headers: { "Content-Type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
    }
    return (await fetch(currentServer().address + path, init)).json()
}

const seat = (tab, color) => tab.getByRole("group", { name: color, exact: true })
const playerField = (tab, color) => tab.getByRole("combobox", { name: color, exact: true })
const score = (tab) => tab.getByTestId("score")
const games = (tab) => tab.getByTestId("match-games").locator("li button")

/** Opens Watch, and chooses both AIs. */
async function choose(page, tab, white, black) {
    await page.open("Watch")
    await playerField(tab, "White").selectOption(`ai ${white}`)
    await playerField(tab, "Black").selectOption(`ai ${black}`)
}

async function limit(tab, color, kind, number) {
    await seat(tab, color).getByText("Settings").click()
    await seat(tab, color).getByLabel("Search limit").selectOption(kind)
    await seat(tab, color)
        .getByLabel(/^Limit in/)
        .fill(String(number))
    await seat(tab, color)
        .getByLabel(/^Limit in/)
        .blur()
    await seat(tab, color).getByText("Settings").click()
}

async function start(page, tab, white, black, count, limits = {}) {
    await choose(page, tab, white, black)
    for (const [color, [kind, number]] of Object.entries(limits))
        await limit(tab, color, kind, number)
    await tab.getByLabel("Games", { exact: true }).fill(String(count))
    await tab.getByLabel("Games", { exact: true }).blur()
    await page.button(count > 1 ? `Start ${count} games` : "Start").click()
}

/** Starts a match with a limit for both players. */
const startLimited = (page, tab, kind, number, count) =>
    start(page, tab, "quick", "basic1", count, {
        White: [kind, number],
        Black: [kind, number],
    })

/** Waits until Black is to move in the first game. */
async function showsEndless(page, tab) {
    await page.hasHeadline(/^Game 1 of 4$/)
    await tab.locator("[data-testid=player-black].to-move").waitFor()
}

/**
 * Starts a match whose first game ends in an endless search. Returns the moves played before that
 * search.
 */
async function startEndless(page, tab) {
    await start(page, tab, "quick", "thorough", 4)
    await showsEndless(page, tab)
    return page.played()
}

async function stop(page, tab) {
    await page.button("Stop match").click()
    await page.hasText(score(tab), /Stopped\./)
}

scenario("shows the score and lists the games of a server match", {}, async (page, tab) => {
    const asked = []
    tab.on("request", (request) => /best-move|matches$/.test(request.url()) && asked.push(request))
    await startLimited(page, tab, "nodes", 30, 2)
    await page.hasText(
        score(tab),
        /^Basic1 \(quick\)\s+[\d.]+ – [\d.]+\s+Basic1\s+\d won, \d drawn, \d lost, after 2 of 2 games\.\s+Elo (\+|−|unknown|0)[^]*[\d.]+% likely that .+ is stronger$/,
    )
    assert.deepEqual(
        asked.map((request) => request.postDataJSON()),
        [{ players: ["quick,nodes=30", "basic1,nodes=30"], games: 2, limit: { nodes: 1e12 } }],
    )
    assert.match(asked[0].headers()["idempotency-key"], /^\d+-\d+-\d+-\d+$/)
    assert.deepEqual(await accessibilityViolations(tab), [])
    await page.button("New match").waitFor()
    await page.picture("match")
    await page.hasText(
        games(tab),
        /^1\s+Basic1 \(quick\) – Basic1\s+[\d–½]+[^]*\n2\s+Basic1 – Basic1 \(quick\)\s+[\d–½]+/,
    )
    await page.counts("main button.primary", 1)
    await page.button("New match").click()
    await playerField(tab, "White").waitFor()
    await page.counts("[data-testid=score]", 0)
})

scenario("downloads the games of a match as one PGN", {}, async (page, tab) => {
    await startLimited(page, tab, "nodes", 30, 4)
    await page.button("New match").waitFor()
    const saved = tab.waitForEvent("download")
    await page.button("Download 4 games").click()
    const file = await saved
    assert.equal(file.suggestedFilename(), "Basic1_quick_-Basic1-4.pgn")
    const pgn = await readFile(await file.path(), "utf8")
    assert.equal(pgn.match(/^\[White "/gm).length, 4)
    assert.equal(pgn.match(/^\[Result "(1-0|0-1|1\/2-1\/2)"\]/gm).length, 4)
    // The games stay until the user chooses another match.
    for (const _ of [1, 2]) {
        await tab.reload()
        await page.button("Download 4 games").waitFor()
    }
    await page.button("New match").click()
    await tab.reload()
    await page.button("Start 4 games").waitFor()
})

scenario("sets each side's limit and options in one step", {}, async (page, tab) => {
    await choose(page, tab, "basic1", "basic1")
    await limit(tab, "White", "depth", 1)
    await limit(tab, "Black", "nodes", 30)
    const sent = tab.waitForRequest("**/v1/best-move")
    await page.button("Start").click()
    assert.deepEqual((await sent).postDataJSON().limit, { depth: 1 })
    const answered = await tab.waitForRequest("**/v1/best-move")
    assert.deepEqual(answered.postDataJSON().limit, { nodes: 30 })
    await page.button("Pause").click()
})

scenario("a match names a level as a player", {}, async (page, tab) => {
    await page.open("Watch")
    await playerField(tab, "White").selectOption({ label: "Level 1 · 800" })
    await playerField(tab, "Black").selectOption({ label: "Level 2 · 1150" })
    await tab.getByLabel("Games", { exact: true }).fill("2")
    await tab.getByLabel("Games", { exact: true }).blur()
    await page.button("Start 2 games").click()
    await page.hasText(score(tab), /^Level 1\s+[\d.]+ – [\d.]+\s+Level 2\s/)
    await page.button("New match").waitFor()
    await page.hasText(games(tab), /^1\s+Level 1 – Level 2/)
})

scenario("new players apply only to the next game", {}, async (page, tab) => {
    await start(page, tab, "quick", "thorough", 1)
    await until(async () => (await page.played()).length === 1, "White has moved")
    await page.button("Pause").click()
    await page.counts("select[aria-label=White]", 0)
    await page.hasText(tab.getByTestId("player-white"), /^Basic1 \(quick\)/)
    await page.button("New game").click()
    await playerField(tab, "White").selectOption("ai basic1")
    await page.hasText(tab.getByTestId("player-white"), /^Basic1(\s|$)/)
    await tab.getByTestId("notice-bar").getByRole("button", { name: "Undo" }).click()
    await page.plays(1)
    await page.hasText(tab.getByTestId("player-white"), /^Basic1 \(quick\)/)
})

scenario("a watched game has one main button that says what it does", {}, async (page, tab) => {
    await start(page, tab, "quick", "thorough", 1)
    for (const [label, next] of [
        ["Pause", "Resume"],
        ["Resume", "Pause"],
        ["Pause", "Resume"],
    ]) {
        await page.button(label).click()
        await page.button(next).waitFor()
        await page.counts("main button.primary", 1)
    }
    assert.deepEqual(await accessibilityViolations(tab), [])
})

scenario("starts a match from the position on the board", {}, async (page, tab) => {
    await page.open("Watch")
    await tab.getByLabel("Games", { exact: true }).fill("2")
    await tab.getByLabel("Games", { exact: true }).blur()
    await tab.getByText("More", { exact: true }).last().click()
    await tab.getByLabel("Openings").selectOption("board")
    const sent = tab.waitForRequest("**/v1/matches")
    await page.button("Start 2 games").click()
    assert.deepEqual(
        (await sent).postDataJSON().openings.map(({ moves }) => moves),
        [[]],
    )
    await page.button("New match").waitFor()
})

scenario("a test stops a match as soon as it is decided", {}, async (page, tab) => {
    await page.open("Watch")
    await playerField(tab, "White").selectOption({ label: "Level 1 · 800" })
    await playerField(tab, "Black").selectOption({ label: "Level 2 · 1150" })
    await tab.getByLabel("Games", { exact: true }).fill("1000")
    await tab.getByLabel("Games", { exact: true }).blur()
    await tab.getByText("More", { exact: true }).last().click()
    await tab.getByLabel("Stop as soon as the result is clear (SPRT)").check()
    await tab.getByLabel("To Elo").fill("200")
    await tab.getByLabel("To Elo").blur()
    await page.button("Start 1000 games").click()
    await page.hasText(score(tab), /SPRT 0 to 200 Elo: Level 1 is at most 0 Elo stronger$/)
    await page.button("New match").waitFor()
})

scenario("the board follows a match, even after a reload", {}, async (page, tab) => {
    const before = await startEndless(page, tab)
    assert.ok(before.length > 1)
    await page.hasText(tab.getByTestId("player-white"), /^Basic1 \(quick\)/)
    await tab.reload()
    await showsEndless(page, tab)
    await page.hasPlayed(...before)
    await page.hasText(score(tab), /^Basic1 \(quick\)\s+0 – 0\s+Basic1 \(thorough\)\s/)
    await page.disabled("Undo")
    await stop(page, tab)
    await page.button("New match").click()
    await page.button("Start 4 games").click()
    await page.hasText(score(tab), /after 0 of 4 games/)
    await stop(page, tab)
})

scenario(
    "opens a finished game in Analyse during a match, then follows the match again",
    {},
    async (page, tab) => {
        // Long enough for the whole scenario on any machine.
        await startLimited(page, tab, "movetime_ms", 20, 1000)
        await until(async () => (await page.played()).length > 0, "the board shows a game")
        await page.hasText(score(tab), /after \d*[02468] of 1000 games\.[^]*Elo/)
        await games(tab).first().click()
        await tab
            .getByRole("navigation", { name: "Places" })
            .locator("[aria-current=page]", { hasText: "Analyse" })
            .waitFor()
        const opened = await page.played()
        await page.open("Watch")
        await page.hasHeadline(/^Game \d+ of 1000$/)
        await until(
            async () => (await page.played()).join() !== opened.join(),
            "the board shows the running game",
        )
        await stop(page, tab)
    },
)

scenario("a match continues while the user plays", {}, async (page, tab) => {
    const before = await startEndless(page, tab)
    await page.open("Play")
    await page.plays(0)
    await page.open("Watch")
    await page.hasPlayed(...before)
    await showsEndless(page, tab)
    await stop(page, tab)
})

scenario("a match continues after a lost connection", { offline: true }, async (page, tab) => {
    await tab.clock.install()
    await startEndless(page, tab)
    await suspendServer(page, tab)
    await showsEndless(page, tab)
    await stop(page, tab)
})

scenario(
    "a match ends if the server restarts without it",
    { offline: true, refusals: [404] },
    async (page, tab) => {
        await startEndless(page, tab)
        await restartServer(tab)
        await tab.getByText(/the match '.+' belongs to another server/).waitFor()
        await page.counts("[data-testid=score]", 0)
    },
)

scenario("reports a match that the server rejects", { refusals: [409] }, async (page, tab) => {
    const other = await ask("/v1/matches", "POST", {
        players: ["quick", "thorough"],
        games: 2,
        time_control: "600",
    })
    await start(page, tab, "quick", "basic1", 2)
    await tab
        .getByText(/^The client's match has not ended: this client's match '.+' has not ended/)
        .waitFor()
    await page.counts("[data-testid=score]", 0)
    await ask(`/v1/matches/${other.id}`, "DELETE")
})

scenario("an AI plays a match against itself", {}, async (page, tab) => {
    await start(page, tab, "basic1", "basic1", 2)
    await page.hasText(
        tab.getByTestId("score"),
        /^Basic1 \(depth 3\)\s+[\d.]+ – [\d.]+\s+Basic1 \(depth 3\)\s[^]*after 2 of 2 games/,
    )
})

scenario(
    "a new match is not lost to a late reply about an older one",
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
        await page.hasText(score(tab), /Stopped\./)
    },
)

scenario(
    "forgets a match that the server no longer knows",
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
