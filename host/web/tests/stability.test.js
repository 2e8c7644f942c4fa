// Layout shifts while loading and during analyses and comparisons, and long tasks while loading.

import assert from "node:assert/strict"
import { scenario, shiftsOf, slowLine, until, watchShifts, withServer } from "./browser.js"

withServer()

const moves =
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2 c7c5 d2d4"
const path = `/#moves=${moves.replaceAll(" ", "%20")}`

const isDone = (tab, count) =>
    until(
        async () =>
            (await tab.locator("[data-testid^=answer-] .pulse").count()) === 0 &&
            (await tab.locator("[data-testid^=answer-]").count()) === count,
        "the analysis is done",
    )

for (const [what, viewport] of [
    ["a desktop", { width: 1280, height: 860 }],
    ["a phone", { width: 390, height: 844 }],
]) {
    scenario(
        `nothing moves during automatic analysis on ${what}`,
        { path, viewport, prepare: watchShifts },
        async (page, tab) => {
            await page.plays(21)
            await page.open("Analyse")
            await page.limitTo("depth", 3)
            await page.goToStart()
            await page.analyse()
            await isDone(tab, 1)
            await shiftsOf(tab)
            for (let step = 1; step <= 20; step += 1) {
                await page.button("Next move").click()
                await tab.locator(`[data-ply="${step}"][aria-current]`).waitFor()
                await isDone(tab, 1)
            }
            assert.deepEqual(await shiftsOf(tab), [])
        },
    )

    scenario(
        `nothing moves while AIs are compared on ${what}`,
        { path, viewport, prepare: watchShifts },
        async (page, tab) => {
            await page.plays(21)
            await page.open("Analyse")
            await page.limitTo("depth", 3)
            for (const name of ["Basic1 (quick)", "test-ais (first)"])
                await tab.locator(".choices").getByText(name).click()
            await page.analyse()
            await isDone(tab, 3)
            await shiftsOf(tab)
            for (let step = 20; step > 16; step -= 1) {
                await page.button("Previous move").click()
                await tab.locator(`[data-ply="${step}"][aria-current]`).waitFor()
                await isDone(tab, 3)
                await tab.getByTestId("agreement").waitFor()
            }
            assert.deepEqual(await shiftsOf(tab), [])
        },
    )
}

const loaded = {
    "/": (tab) => tab.getByRole("radio", { name: "Level 2 1150" }).waitFor(),
    [path]: (tab) => tab.getByTestId("answer-basic1").locator(".san").first().waitFor(),
    "/#place=analyse": (tab) => tab.getByTestId("answer-basic1").locator(".san").first().waitFor(),
    "/#place=watch": (tab) =>
        tab.locator(".seat select").first().locator("option:checked").getByText("1150").waitFor({
            state: "attached",
        }),
    "/#place=analyse&tool=report": (tab) => tab.getByText("No moves to review").waitFor(),
    "/#place=play&tool=ais": (tab) => tab.getByTestId("ai-basic1").waitFor(),
}

for (const [what, viewport] of [
    ["a desktop", { width: 1280, height: 860 }],
    ["a phone", { width: 390, height: 844 }],
])
    for (const [opened, isLoaded] of Object.entries(loaded))
        scenario(
            `nothing moves on a slow first visit to ${opened.slice(0, 30)} on ${what}`,
            {
                path: opened,
                firstVisit: true,
                viewport,
                prepare: async (tab) => {
                    await slowLine(tab)
                    await watchShifts(tab)
                },
            },
            async (page, tab) => {
                await isLoaded(tab)
                assert.deepEqual(await shiftsOf(tab), [])
            },
        )

for (const count of [1, 5, 11, 16])
    scenario(
        `nothing moves while a slow connection loads ${count === 1 ? "a level" : `${count} levels`}`,
        {
            firstVisit: true,
            viewport: { width: 1366, height: 768 },
            prepare: async (tab) => {
                const levels = Array.from({ length: count }, (_, index) => ({
                    name: `Level ${index + 1}`,
                    elo: 900 + 100 * index,
                    elo_error: 100,
                    scale: "CCRL Blitz, engines",
                    ai: "basic1",
                    limit: { nodes: 20 + index },
                    options: {},
                }))
                await tab.route("**/v1/levels", (route) => route.fulfill({ json: { levels } }))
                await slowLine(tab)
                await watchShifts(tab)
            },
        },
        async (page, tab) => {
            await tab.getByRole("radio", { name: `Level ${count} ` }).waitFor()
            assert.equal(await tab.locator(".tile:has(.muted)").count(), count)
            assert.deepEqual(await shiftsOf(tab), [])
        },
    )

const withSlowLocks = async (tab) => {
    await watchShifts(tab)
    await tab.addInitScript(() => {
        const request = LockManager.prototype.request
        LockManager.prototype.request = async function (...parts) {
            await new Promise((resolve) => setTimeout(resolve, 700))
            return request.apply(this, parts)
        }
    })
}

scenario(
    "nothing moves if the last game loads late",
    { prepare: withSlowLocks },
    async (page, tab) => {
        await page.hasText(tab.getByTestId("player-black"), /Level 2\s*1150/)
        assert.deepEqual(await shiftsOf(tab), [])
    },
)

scenario(
    "a reload before the last game loads keeps the opponent",
    { prepare: withSlowLocks },
    async (page, tab) => {
        await tab.getByRole("radio", { name: "Level 2 1150" }).waitFor()
        await tab.reload()
        await page.hasText(tab.getByTestId("player-black"), /Level 2\s*1150/)
    },
)

/** Returns the CPU times of the longest main-thread task in five loads, in ms, shortest first. */
async function longestTasks(page, tab) {
    const tools = await tab.context().newCDPSession(tab)
    const events = []
    tools.on("Tracing.dataCollected", ({ value }) => events.push(...value))
    const longest = []
    for (let load = 0; load < 5; load += 1) {
        events.length = 0
        await tools.send("Tracing.start", {
            transferMode: "ReportEvents",
            traceConfig: {
                includedCategories: [
                    "toplevel",
                    "devtools.timeline",
                    "disabled-by-default-devtools.timeline",
                ],
            },
        })
        await tab.reload()
        await page.hasHeadline(/^Your move$/)
        const complete = new Promise((resolve) => tools.once("Tracing.tracingComplete", resolve))
        await tools.send("Tracing.end")
        await complete
        const main = new Set(
            events
                .filter(
                    ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain",
                )
                .map(({ pid, tid }) => `${pid} ${tid}`),
        )
        const tasks = events.filter(
            ({ name, tdur, pid, tid }) =>
                name === "RunTask" && tdur !== undefined && main.has(`${pid} ${tid}`),
        )
        assert.ok(tasks.length > 10, `${tasks.length} tasks were recorded`)
        longest.push(Math.max(...tasks.map(({ tdur }) => tdur)) / 1000)
    }
    return longest.toSorted((a, b) => a - b)
}

scenario("no loading task takes 100 ms", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const longest = await longestTasks(page, tab)
    assert.ok(longest[2] < 100, `the longest tasks took ${longest.map(Math.round)} ms`)
})

scenario(
    "nothing moves while a search finds other lines",
    { path, prepare: watchShifts },
    async (page, tab) => {
        await page.plays(21)
        await page.open("Analyse")
        await tab.locator(".choices").getByText("Basic1 (thorough)").click()
        await tab.locator(".choices").getByText("Basic1", { exact: true }).click()
        await page.analyse()
        await tab.locator(".engine .lines").waitFor()
        await shiftsOf(tab)
        await page.hasText(
            tab.getByTestId("answer-thorough").locator(".depth"),
            /^depth ([4-9]|\d\d)/,
        )
        assert.deepEqual(await shiftsOf(tab), [])
    },
)

/** Records the layout shifts that no input caused, with the elements that moved. */
const watchUnaskedShifts = (tab) =>
    tab.addInitScript(() => {
        window.shifts = []
        const nameOf = (node) => `${node?.nodeName}.${node?.className?.baseVal ?? node?.className}`
        new PerformanceObserver((list) => {
            for (const { value, sources, hadRecentInput } of list.getEntries()) {
                if (hadRecentInput) continue
                const moved = sources.map(({ node }) => nameOf(node)).join(", ")
                window.shifts.push(`${value.toFixed(4)} ${moved}`)
            }
        }).observe({ type: "layout-shift", buffered: true })
    })

for (const [what, context] of [
    ["a desktop", { viewport: { width: 1280, height: 860 } }],
    ["a phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
]) {
    scenario(
        `nothing moves unexpectedly in a minute of use on ${what}`,
        { ...context, prepare: watchUnaskedShifts },
        async (page, tab) => {
            const moved = {}
            const after = async (action) => {
                // Chromium treats shifts within half a second after an input as expected.
                await tab.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)))
                const shifts = await shiftsOf(tab)
                if (shifts.length > 0) moved[action] = shifts
            }
            await page.hasHeadline(/^Your move$/)
            await after("load")
            for (const [from, to, count] of [
                ["e2", "e4", 2],
                ["d2", "d4", 4],
                ["b1", "c3", 6],
            ]) {
                await page.press(from, to)
                await page.plays(count)
                await after(`${from}${to}`)
            }
            await page.open("Analyse")
            await after("Analyse")
            for (let step = 0; step < 6; step += 1) {
                await page.button("Previous move").click()
                await after(`step ${step}`)
            }
            for (const name of ["Report", "Tree", "Position", "AIs", "Watch", "Play", "Analyse"]) {
                await page.open(name)
                await after(name)
                await tab.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
                await after(`${name}, scrolled`)
                await tab.evaluate(() => scrollTo(0, 0))
            }
            await tab.keyboard.press("f")
            await after("flipped")
            assert.deepEqual(moved, {})
        },
    )
}
