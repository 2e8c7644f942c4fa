// The analysis that follows the position: one search at a time, never shallower than before, and
// without leaks.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"
import { stubSearches } from "./search-stub.js"

withServer()

const path = "/#moves=e2e4 e7e5 g1f3"
const open = [
    ["b8c6", "Nc6", "f1b5", "Bb5"],
    ["g8f6", "Nf6"],
    ["d7d6", "d6"],
]
const asked = (tab) => tab.evaluate(() => window.asked)
const hasAsked = (tab, count) =>
    until(
        async () => (await asked(tab)).length === count,
        `${count} searches are requested`,
        async () => (await asked(tab)).length,
    )
const find = (tab, found) => tab.evaluate((found) => window.find(found), found)
const answer = (tab, found) => tab.evaluate((found) => window.answer(found), found)
const engine = (tab) => tab.getByTestId("answer-basic1")
const depthIs = (page, tab, words) => page.hasText(engine(tab).locator(".depth"), words)

/** Opens the game in Analyse and starts an endless stubbed search. */
async function analyseOn(page, tab, limit = "Until stopped") {
    await page.plays(3)
    await page.open("Analyse")
    await tab.getByLabel("Search limit").selectOption(limit)
    await page.analyse()
    await hasAsked(tab, 1)
}

scenario(
    "the analysis is on when a new visitor opens Analyse",
    { firstVisit: true, path },
    async (page, tab) => {
        await page.plays(3)
        await tab.getByRole("switch", { name: "Engine" }).and(tab.locator(":checked")).waitFor()
        await page.hasText(engine(tab).locator(".depth"), /^depth [1-9]/)
        await page.counts(".engine .lines li", 2)
    },
)

scenario(
    "a continued search shows no shallower lines and keeps counting",
    { path, prepare: stubSearches },
    async (page, tab) => {
        await analyseOn(page, tab)
        await find(tab, { depth: 10, cp: 150, lines: open.slice(0, 2) })
        const shows = async (depth, score, first) => {
            await depthIs(page, tab, depth)
            await page.hasText(engine(tab).locator(".score.big"), score)
            await page.hasText(engine(tab).locator(".san").first(), first)
            await page.hasText(tab.getByTestId("bar"), new RegExp(score.source.slice(0, 5)))
        }
        // The bar updates during the search.
        await shows(/^depth 10 · 1\.0 s$/, /\+1\.5/, /Nc6/)
        await answer(tab, { depth: 10, cp: 150, lines: open.slice(0, 2) })
        await hasAsked(tab, 2)
        await find(tab, { depth: 3, cp: -900, lines: open.slice(2) })
        await depthIs(page, tab, /^depth 10 · 2\.0 s$/)
        await shows(/^depth 10 · 2\.0 s$/, /\+1\.5/, /Nc6/)
        await page.counts(".engine .lines li", 2)
        await find(tab, { depth: 11, cp: 190, lines: open.slice(1, 3) })
        await shows(/^depth 11 · 2\.0 s$/, /\+1\.9/, /Nf6/)
        await page.counts("[data-testid=board] .arrow-best", 1)
        assert.equal((await asked(tab)).length, 2)
    },
)

scenario(
    "revisiting a position shows its earlier results",
    { path, prepare: stubSearches },
    async (page, tab) => {
        await analyseOn(page, tab)
        await find(tab, { depth: 12, cp: 40, lines: open.slice(0, 1) })
        await depthIs(page, tab, /^depth 12/)
        await page.button("Previous move").click()
        await hasAsked(tab, 2)
        await page.button("Next move").click()
        await hasAsked(tab, 3)
        await find(tab, { depth: 1, cp: -300, lines: open.slice(1, 2) })
        await depthIs(page, tab, /^depth 12/)
        await page.hasText(engine(tab).locator(".san").first(), /Nc6/)
    },
)

scenario(
    "changing the number of lines restarts the search and keeps known lines",
    { path, prepare: stubSearches },
    async (page, tab) => {
        await analyseOn(page, tab)
        await find(tab, { depth: 9, cp: 150, lines: open.slice(0, 2) })
        await page.counts(".engine .lines li", 2)
        await page.button("More lines").click()
        await hasAsked(tab, 2)
        const [first, second] = await asked(tab)
        assert.deepEqual([first.lines, first.isAborted, second.lines], [2, true, 3])
        await depthIs(page, tab, /^depth 9/)
        await page.counts(".engine .lines li", 2)
        // The extra line gets its place at once.
        await find(tab, { depth: 1, cp: 10, lines: open })
        await page.counts(".engine .lines li", 3)
        await page.hasText(engine(tab).locator(".san").first(), /Nc6/)
        await page.button("Fewer lines").click()
        await hasAsked(tab, 3)
        await page.counts(".engine .lines li", 2)
    },
)

scenario(
    "a review pauses the analysis and has one Stop button",
    { path, prepare: stubSearches },
    async (page, tab) => {
        const release = await page.holdAnswers("**/v1/report")
        await analyseOn(page, tab)
        await page.open("Report")
        await until(async () => (await asked(tab))[0].isAborted, "the analysis is stopped")
        await page.open("Analyse")
        await tab.getByText("Review: 0 of 3 moves").waitFor()
        assert.equal((await asked(tab)).length, 1, "nothing else is searched")
        await page.counts("button:text-is('Stop')", 1)
        await page.button("Stop").click()
        await hasAsked(tab, 2)
        await page.counts("text=Review: 0 of 3 moves", 0)
        release()
    },
)

scenario(
    "a comparison of the game stops the analysis and has one Stop button",
    { path },
    async (page, tab) => {
        const release = await page.holdAnswers("**/v1/report")
        await page.plays(3)
        await page.open("Analyse")
        await tab.getByRole("checkbox", { name: "Basic1 (quick)" }).check()
        await page.analyse()
        const stopped = tab.waitForEvent("requestfailed")
        await page.button("Compare whole game").click()
        await tab.getByText("Comparison: 0 of 6 moves").waitFor()
        assert.match((await stopped).url(), /\/v1\/compare$/)
        await page.button("Stop").click()
        await page.counts("text=Comparison: 0 of 6 moves", 0)
        release()
    },
)

scenario(
    "nothing moves while a search finds lines",
    { path, prepare: stubSearches },
    async (page, tab) => {
        await analyseOn(page, tab)
        await page.open("Analyse")
        const topOfMoves = async () => (await page.moves.boundingBox()).y
        const before = await topOfMoves()
        for (const [depth, count] of [
            [1, 1],
            [2, 2],
        ]) {
            await find(tab, { depth, cp: 20, lines: open.slice(0, count) })
            await page.counts(".engine .lines li", count)
            assert.equal(await topOfMoves(), before)
        }
    },
)

/** Sends results as fast as the page draws them. */
const stream = (tab, from, count) =>
    tab.evaluate(
        async ([from, count]) => {
            const files = "abcdefgh"
            for (let at = from; at < from + count; at += 1) {
                const line = (seed) =>
                    Array.from({ length: 12 }, (_, ply) => {
                        const to = `${files[(seed + ply) % 8]}${1 + ((seed * 3 + ply) % 8)}`
                        return [`${files[(seed * 5 + ply) % 8]}1${to}`, `N${to}`]
                    }).flat()
                window.find({ depth: 1 + at, cp: at % 90, lines: [line(at), line(at + 1)] })
                await new Promise(requestAnimationFrame)
                if (at % 2 === 1) {
                    const { length } = window.asked
                    window.answer({ depth: 1 + at, cp: at % 90, lines: [line(at), line(at + 1)] })
                    while (window.asked.length === length) await new Promise(requestAnimationFrame)
                }
            }
        },
        [from, count],
    )

scenario(
    "hundreds of results leak neither memory nor listeners",
    { path, prepare: stubSearches },
    async (page, tab) => {
        await analyseOn(page, tab)
        const tools = await tab.context().newCDPSession(tab)
        await tools.send("Performance.enable")
        const measure = async () => {
            for (const _ of [1, 2, 3]) await tools.send("HeapProfiler.collectGarbage")
            const { metrics } = await tools.send("Performance.getMetrics")
            const of = (wanted) => metrics.find(({ name }) => name === wanted).value
            return [of("JSEventListeners"), of("Nodes"), of("JSHeapUsedSize")]
        }
        await stream(tab, 0, 100)
        const after100 = await measure()
        await stream(tab, 100, 300)
        const after400 = await measure()
        const found = `${after100} after 100 results, ${after400} after 400`
        for (const [index, most] of [40, 200, 600_000].entries())
            assert.ok(after400[index] - after100[index] < most, found)
    },
)
