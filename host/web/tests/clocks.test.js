// Clocks: running, increments, running out, stopping, and earlier positions.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

const choose = (tab, control) => tab.getByRole("radio", { name: control, exact: true }).check()

/** Waits until the clocks show these times. */
async function show(page, tab, white, black) {
    for (const [color, text] of [
        ["white", white],
        ["black", black],
    ]) {
        const clock = tab.getByTestId(`clock-${color}`)
        await until(
            async () => (await clock.innerText()) === text,
            `${color} has ${text}`,
            () => clock.innerText(),
        )
    }
}

/** Starts a game in which the user plays both sides. */
async function begin(page, tab, control) {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await choose(tab, control)
    await page.stopTime()
}

scenario(
    "clocks run with increment, and undo, redo and earlier positions show their times",
    {},
    async (page, tab) => {
        await begin(page, tab, "3+2")
        await show(page, tab, "3:00", "3:00")
        await tab.clock.runFor(9000)
        // The first move takes no time.
        await page.write("e4")
        await show(page, tab, "3:02", "3:00")
        await page.counts("[data-testid=clock-black].running", 1)
        await tab.clock.runFor(10_000)
        await show(page, tab, "3:02", "2:50")
        await page.write("e5")
        await show(page, tab, "3:02", "2:52")
        await page.runFor(62_000)
        await show(page, tab, "2:00", "2:52")
        await page.picture("clocks")
        await page.button("Take back").click()
        await show(page, tab, "3:02", "3:00")
        await page.button("Redo").click()
        await show(page, tab, "3:02", "2:52")
        await page.button("Pause clocks").click()
        await page.button("Go to start").click()
        await show(page, tab, "3:00", "3:00")
        await page.button("Next move").click()
        await show(page, tab, "3:02", "3:00")
        // A move from here opens a variation with the clocks of this position.
        await page.press("c7", "c5")
        await page.hasText(tab.getByTestId("variation"), /c5$/)
        await show(page, tab, "3:02", "3:02")
    },
)

scenario("clocks have large digits, and a special colour at low time", {}, async (page, tab) => {
    await begin(page, tab, "1+0")
    await page.write("e4")
    const clock = tab.getByTestId("clock-black")
    const look = () =>
        clock.evaluate((clock) => {
            const { fontSize, backgroundColor } = getComputedStyle(clock)
            return [parseFloat(fontSize), backgroundColor]
        })
    const [size, usual] = await look()
    assert.ok(size >= 28, `${size} px`)
    await tab.clock.runFor(45_000)
    await until(async () => (await look())[1] !== usual, "the colour changes")
})

scenario("one minute is singular", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.getByTitle("1 minute", { exact: true }).waitFor()
    await tab.getByTitle("3 minutes plus 2 seconds per move").waitFor()
})

scenario("a player who runs out of time loses", {}, async (page, tab) => {
    await begin(page, tab, "1+0")
    await page.write("e4")
    await tab.clock.runFor(50_500)
    await show(page, tab, "1:00", "0:09.5")
    await page.counts("[data-testid=clock-black].low", 1)
    await tab.clock.runFor(9600)
    await page.hasHeadline(/^White wins on time$/)
    await show(page, tab, "1:00", "0:00.0")
    await page.counts(".clock.running", 0)
})

scenario("running out of time against a lone king is a draw", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.paste("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    await page.has("a1", null)
    await page.open("Play")
    await page.players("", "")
    await choose(tab, "1+0")
    await page.stopTime()
    await page.write("e3", "Kd8")
    await page.runFor(60_100)
    await page.hasHeadline(/^Draw on time: the opponent cannot checkmate$/)
})

scenario("a request contains the clocks, and an AI can run out of time", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await choose(tab, "Custom")
    await tab.getByLabel("Minutes per player").fill("0.5")
    await tab.getByLabel("Seconds per move").fill("1")
    await tab.getByLabel("Seconds per move").blur()
    await page.stopTime()
    const requests = []
    await tab.route("**/v1/best-move", (route) => requests.push(route.request().postDataJSON()))
    await page.press("e2", "e4")
    await until(() => requests.length === 1, "the AI is asked")
    assert.deepEqual(requests[0].clocks, {
        white_ms: 31_000,
        black_ms: 30_000,
        white_increment_ms: 1000,
        black_increment_ms: 1000,
    })
    assert.deepEqual(requests[0].limit, { depth: 1 })
    await tab.clock.runFor(20_000)
    await show(page, tab, "0:31", "0:10.0")
    await page.button("Pause clocks").click()
    await tab.clock.runFor(60_000)
    await show(page, tab, "0:31", "0:10.0")
    await page.button("Resume clocks").click()
    await until(() => requests.length === 2, "the AI is asked again")
    assert.equal(requests[1].clocks.black_ms, 10_000)
    await tab.clock.runFor(10_100)
    await page.hasHeadline(/^You won on time$/)
    await page.hasPlayed("e4")
})

scenario("a game against an AI has clocks, which its PGN contains", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await choose(tab, "10+5")
    await page.stopTime()
    const release = await page.holdAnswers()
    await page.press("e2", "e4")
    await page.hasHeadline(/is thinking$/)
    await tab.clock.runFor(700)
    release()
    await page.plays(2)
    await show(page, tab, "10:05", "10:05")
    await tab.locator("[data-action=resign]").click()
    await page.button("Yes").click()
    await page.hasHeadline(/^You resigned$/)
    await page.open("Position")
    await page.button("PGN").click()
    const pgn = await tab.getByRole("textbox", { name: "PGN", exact: true }).inputValue()
    assert.match(pgn, /\[TimeControl "600\+5"\]/)
    assert.match(
        pgn.replace(/\s+/g, " "),
        /1\. e4 \{\[%clk 0:10:05\]\} 1\.\.\. \w+ \{\[%eval [^\]]+\] \[%clk 0:10:04\]\} 0-1/,
    )
    // A loaded game shows stopped clocks.
    await page.paste(pgn)
    await page.plays(2)
    await show(page, tab, "10:05", "10:04")
    await page.counts(".clock.running", 0)
})

scenario("a reload keeps the clocks", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await choose(tab, "10+5")
    await page.stopTime()
    await page.write("e4")
    await tab.clock.runFor(1200)
    await page.button("Pause clocks").click()
    await show(page, tab, "10:05", "9:59")
    await tab.clock.resume()
    await tab.reload()
    await show(page, tab, "10:05", "9:59")
    await page.counts(".clock.running", 0)
    await page.button("Resume clocks").click()
    await page.counts("[data-testid=clock-black].running", 1)
})

scenario("an outage costs neither player time", { offline: true }, async (page, tab) => {
    await begin(page, tab, "1+0")
    await page.write("e4")
    await tab.route("**/v1/**", (route) => route.abort())
    await page.acceptsMoves()
    await page.square("e7").click()
    await page.square("e5").click()
    await tab.getByTestId("lost").waitFor()
    await tab.clock.runFor(90_000)
    await show(page, tab, "1:00", "1:00")
})

scenario(
    "only the searching AI's clock runs in an AI match, and a pause stops it",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("quick", "basic1")
        await tab.getByLabel("Clocks", { exact: true }).selectOption("1+0")
        await page.stopTime()
        const requests = []
        await tab.route("**/v1/best-move", (route) => requests.push(route))
        await page.button("Start").click()
        await until(() => requests.length === 1, "White is asked")
        await tab.clock.runFor(10_000)
        await show(page, tab, "0:50", "1:00")
        await page.button("Pause").click()
        await tab.clock.runFor(10_000)
        await show(page, tab, "0:50", "1:00")
        await page.button("Start").click()
        await until(() => requests.length === 2, "White is asked again")
        await tab.clock.runFor(50_100)
        await page.hasHeadline(/^Black wins on time$/)
    },
)

scenario("a match uses the time control, and its games have clocks", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("quick", "basic1")
    for (const color of ["White", "Black"]) {
        const seat = tab.getByRole("group", { name: color })
        await seat.getByText("Settings").click()
        await seat.getByLabel("Search limit").selectOption("nodes")
        await seat.getByLabel(/^Limit in/).fill("20")
        await seat.getByLabel(/^Limit in/).blur()
    }
    await tab.getByLabel("Clocks", { exact: true }).selectOption("3+2")
    await tab.getByLabel("Games", { exact: true }).fill("2")
    await tab.getByLabel("Games", { exact: true }).blur()
    const request = tab.waitForRequest("**/v1/matches")
    await page.button("Start 2 games").click()
    const form = (await request).postDataJSON()
    assert.deepEqual(form, {
        players: ["quick,nodes=20", "basic1,nodes=20"],
        games: 2,
        time_control: "180+2",
    })
    await page.hasText(tab.getByTestId("score"), /after 2 of 2 games/)
    await tab.getByTestId("match-games").locator("li button").first().click()
    await page.open("Position")
    await page.button("PGN").click()
    const pgn = await tab.getByRole("textbox", { name: "PGN", exact: true }).inputValue()
    assert.match(pgn, /\[TimeControl "180\+2"\]/)
    assert.match(pgn, /%clk 0:03:0\d/)
})
