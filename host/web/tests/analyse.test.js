// Analysis: search progress, comparison of AIs, search tree.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

scenario("shows an AI's search progress and the used share of its limit", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("thorough", "quick")
    const white = tab.getByRole("group", { name: "White", exact: true })
    await white.getByText("Settings").click()
    await white.getByLabel("Search limit").selectOption("movetime_ms")
    await white.getByLabel(/^Limit in/).fill("280000")
    await white.getByLabel(/^Limit in/).blur()
    await page.button("Start").click()
    const thought = tab.getByTestId("thought")
    await thought.getByText("searching").waitFor()
    await tab.getByLabel("Limit used").waitFor()
    await until(async () => (await thought.locator(".san").count()) > 1, "a line of play is shown")
    await page.counts(".arrow-best", 1)
    await page.hasText(thought.locator(".figures dd").nth(0), /^[1-9]/)
    await page.hasText(thought.locator(".figures dd").nth(2), /^[1-9]/)
    await page.picture("thinking")
})

scenario("each move of a line has a board preview", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Analyse")
    await page.limitTo("depth", 4)
    await page.analyse()
    const line = tab.getByTestId("answer-basic1").locator(".san")
    await until(async () => (await line.count()) >= 2, "a line of play is shown")
    await page.counts("[data-testid=answer-basic1] .pulse", 0)
    await line.nth(1).hover()
    await tab.getByTestId("preview").waitFor()
    await page.counts("[data-testid=preview] use", 32)
    // The preview disappears with its line.
    await tab.goBack()
    await page.counts("[data-testid=preview]", 0)
    await tab.goForward()
    await line.first().hover()
    await tab.getByTestId("preview").waitFor()
    await tab.mouse.move(5, 5)
    await page.counts("[data-testid=preview]", 0)
    await line.nth(0).focus()
    await tab.getByTestId("preview").waitFor()
})

scenario("draws an arrow for each line and marks the best one", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Analyse")
    await page.limitTo("depth", 3)
    await page.button("More lines").click()
    await page.analyse()
    await page.counts("[data-testid=answer-basic1] .lines li", 3)
    await page.counts("[data-testid=board] .arrow", 3)
    await page.counts("[data-testid=board] .arrow-best", 1)
})

scenario(
    "compares several AIs and shows their agreement",
    { path: "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6" },
    async (page, tab) => {
        await page.has("h5", "wq")
        await page.open("Analyse")
        await page.limitTo("depth", 3)
        await tab.getByRole("checkbox", { name: "Basic1 (quick)" }).check()
        await page.analyse()
        await tab.getByTestId("agreement").getByText("Both AIs choose Qxf7#.").waitFor()
        await page.hasText(tab.getByTestId("answer-quick").locator(".score.big"), /^#1$/)
        await page.picture("compared")
    },
)

scenario("compares three AIs and draws an arrow for each chosen move", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Analyse")
    await page.limitTo("depth", 2)
    for (const name of ["Basic1 (quick)", /\(first\)/])
        await tab.getByRole("checkbox", { name }).check()
    await page.analyse()
    const agreement = tab.getByTestId("agreement")
    await page.hasText(
        agreement,
        /^(All 3 AIs choose|2 of 3 AIs choose|Each AI chooses a different move)/,
    )
    for (const id of ["basic1", "quick", "first"])
        await page.hasText(tab.getByTestId(`answer-${id}`).locator(".san").first(), /[a-h][1-8]/)
    const different = new Set(
        await tab
            .locator("[data-testid^=answer-] .lines li:first-child .san:first-child")
            .allInnerTexts(),
    )
    await page.counts("[data-testid=board] .arrow", different.size)
    const bottoms = await tab
        .locator("[data-testid^=answer-]")
        .evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().bottom))
    assert.ok(Math.max(...bottoms) <= 860, `the answers reach down to ${bottoms.join()}`)
    await page.picture("three")
})

scenario(
    "adds a line of an analysis to the game",
    { path: "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6" },
    async (page, tab) => {
        await page.plays(6)
        await page.button("Previous move").click()
        await page.open("Analyse")
        await page.limitTo("depth", 3)
        await page.analyse()
        await page.counts("[data-testid=answer-basic1] .pulse", 0)
        const [first] = await tab.getByTestId("answer-basic1").locator(".san").allInnerTexts()
        const san = first.replace(/^\d+…\s*/, "")
        await page.button(`Add ${san} to the game`).click()
        await page.hasText(tab.getByTestId("variation"), new RegExp(`^3…\\s*${san}`))
        await page.moves.locator('[data-ply="5"][aria-current]').waitFor()
    },
)

scenario("other AIs still answer after one crashes", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Analyse")
    await page.limitTo("depth", 2)
    await tab.getByRole("checkbox", { name: /egfaults/ }).check()
    await page.analyse()
    await tab
        .getByTestId("answer-segfaults")
        .getByText(/crashed during its search/)
        .waitFor()
    await page.hasText(tab.getByTestId("agreement"), /^1 of 2 AIs chooses/)
    await until(
        async () => (await tab.getByTestId("answer-basic1").locator(".san").count()) > 0,
        "the other AI has answered",
    )
})

scenario(
    "the evaluation bar switches its unit, and a click on the graph selects the position",
    { path: "/#moves=e2e4 e7e5 g1f3 b8c6" },
    async (page, tab) => {
        await page.plays(4)
        await page.open("Analyse")
        await page.limitTo("depth", 2)
        await page.analyse()
        for (const number of ["3.", "2…", "2.", "1…"]) {
            const first = tab.getByTestId("answer-basic1").locator(".san").first()
            await until(
                async () => (await first.innerText()).startsWith(number),
                `the line begins with ${number}`,
            )
            await page.button("Previous move").click()
        }
        await tab.getByTestId("graph").locator("canvas").waitFor()
        const bar = tab.getByTestId("bar")
        await page.hasText(bar, /^[+−]/)
        await bar.click()
        await page.hasText(bar, /%$|^#/)
        const stays = await tab
            .getByTestId("graph")
            .locator(".u-over")
            .evaluate(async (area) => {
                for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame)
                return area.isConnected
            })
        assert.ok(stays, "the graph is not redrawn without a change")
        const { x, y } = await tab
            .getByTestId("graph")
            .locator(".u-over")
            .evaluate((area) => {
                const { left, top, width, height } = area.getBoundingClientRect()
                return { x: left + width / 2, y: top + height / 2 }
            })
        await tab.mouse.move(x, y)
        await page.hasText(tab.locator(".hovered"), /^1… e5 [+−]/)
        await tab.mouse.click(x, y)
        await page.moves.locator('[data-ply="2"][aria-current]').waitFor()
    },
)

scenario(
    "marks requests for analyses and search trees, but not for moves",
    {},
    async (page, tab) => {
        const requested = async () =>
            (await tab.waitForRequest("**/v1/best-move")).postDataJSON().analysis
        await page.hasHeadline(/^Your move$/)
        await page.players("", "quick")
        const played = requested()
        await page.press("e2", "e4")
        assert.equal(await played, undefined)
        await page.plays(2)
        await page.open("Analyse")
        await page.limitTo("depth", 2)
        const analysed = requested()
        await page.analyse()
        assert.equal(await analysed, true)
        await page.open("Tree")
        const traced = requested()
        await page.button("Show search tree").click()
        assert.equal(await traced, true)
    },
)

scenario(
    "steps through the search tree, and shows the selected node on the board",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.open("Tree")
        await page.limitTo("depth", 2)
        await page.button("Show search tree").click()
        const tree = tab.getByRole("tree")
        await tree.waitFor()
        await until(async () => (await tab.getByRole("treeitem").count()) > 0, "nodes are shown")
        await tree.focus()
        for (const key of ["Home", "ArrowRight", "ArrowRight"]) await tab.keyboard.press(key)
        await tab.locator('[role=treeitem][aria-selected=true][aria-level="2"]').waitFor()
        await page.counts("[data-testid=board] .mark-last", 2)
        await page.hasHeadline(/^Position in a line$/)
        await tab.locator("[role=treeitem].best").nth(1).getByLabel("best line").waitFor()
        // The best move comes first. Other moves may have the same bound.
        const scores = await tab.locator('[role=treeitem][aria-level="2"] > .score').allInnerTexts()
        const pawns = scores.map((text) => Number(text.replace(/[≤≥+ ]/g, "").replace("−", "-")))
        assert.ok(pawns.length > 15, `${pawns.length} moves`)
        assert.deepEqual(
            pawns,
            pawns.toSorted((a, b) => b - a),
        )
        await tab.locator('[role=treeitem][aria-level="2"]', { hasText: "skipped" }).first().click()
        await tab
            .getByTestId("node")
            .getByText(
                /^The reply \S+ refutes \S+, so the search skipped all others\. Remaining depth/,
            )
            .waitFor()
        await tab.getByRole("treeitem", { name: "Root position" }).click()
        await tree.focus()
        for (let step = 0; step < 5; step += 1) await tab.keyboard.press("Space")
        await tab.getByText(/^Step 5 of \d+$/).waitFor()
        await page.picture("tree")
        await page.button("Autoplay").click()
        await tab.getByText(/^Step ([6-9]|\d\d+) of \d+$/).waitFor()
        await page.button("Show all").click()
        await page.button("Back to the game").click()
        await page.hasHeadline(/^Your move$/)
        await tree.focus()
        await tab.keyboard.press("Home")
        await page.open("Play")
        await page.counts("[data-testid=board] .mark-last", 0)
    },
)

scenario("reports that an AI does not support search trees", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Tree")
    await tab.getByLabel("AI", { exact: true }).selectOption("first")
    await tab.getByText(/does not support search trees\. Supported by: Basic1/).waitFor()
    await page.disabled("Show search tree")
})

/** Plays 1. e4 and opens a panel. */
async function openAfterE4(page, panel) {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("e4")
    await page.open(panel)
}

scenario("a stopped analysis disappears and returns with its position", {}, async (page, tab) => {
    await openAfterE4(page, "Analyse")
    await page.limitTo("depth", 2)
    await page.analyse()
    const answer = tab.getByTestId("answer-basic1")
    await page.counts("[data-testid=answer-basic1] .pulse", 0)
    await page.counts("[data-testid=board] .arrow-best", 1)
    await tab.getByRole("switch", { name: "Engine" }).uncheck()
    await page.counts("[data-testid=board] .arrow-best", 1)
    await page.button("Previous move").click()
    await page.counts("[data-testid=answer-basic1]", 0)
    await page.counts("[data-testid=board] .arrow", 0)
    await page.button("Next move").click()
    await answer.locator(".san").first().hover()
    await page.counts("[data-testid=preview] use", 32)
    await page.counts("[data-testid=board] .arrow-best", 1)
})

scenario(
    "the analysis follows the current position",
    { path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.hasPlayed("e4", "e5")
        await page.open("Analyse")
        await page.limitTo("depth", 1)
        await page.analyse()
        const first = tab.getByTestId("answer-basic1").locator(".san").first()
        await page.hasText(first, /^2\./)
        for (const number of ["1…", "1."]) {
            await page.button("Previous move").click()
            await until(
                async () => (await first.innerText()).startsWith(number),
                `the line begins with ${number}`,
            )
        }
        await page.counts(".arrow-best", 1)
    },
)

scenario("an analysis runs until the user stops it", {}, async (page, tab) => {
    // A server that allows only short searches.
    await tab.route("**/v1/ais", async (route) => {
        const response = await route.fetch()
        const ais = await response.json()
        for (const ai of ais) ai.limit.properties.movetime_ms.maximum = 300
        await route.fulfill({ response, json: ais })
    })
    await tab.reload()
    await page.hasHeadline(/^Your move$/)
    await page.open("Analyse")
    await tab.getByLabel("Search limit").selectOption("Until stopped")
    await tab.getByText("in searches of 300 ms").waitFor()
    const limits = []
    tab.on(
        "request",
        (request) =>
            request.url().endsWith("/v1/best-move") && limits.push(request.postDataJSON().limit),
    )
    await page.analyse()
    const depth = tab.getByTestId("answer-basic1").locator(".depth")
    const depths = []
    await until(async () => {
        if (limits.length > 1) depths.push(Number(/\d+/.exec(await depth.innerText())?.[0]))
        return limits.length >= 4
    }, "the server is asked again")
    assert.ok(limits.every((limit) => limit.movetime_ms === 300))
    assert.ok(
        depths[0] > 0 && depths.every((depth, index) => index === 0 || depth >= depths[index - 1]),
        String(depths),
    )
    const stopped = tab.waitForEvent("requestfailed")
    await tab.getByRole("switch", { name: "Engine" }).uncheck()
    await Promise.race([stopped, page.counts(".engine .pulse", 0)])
    await page.counts(".engine .pulse", 0)
})

scenario("stops a long search for a tree", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Tree")
    await tab.getByLabel("AI", { exact: true }).selectOption("thorough")
    await tab.getByLabel("Search limit").selectOption("")
    await page.button("Show search tree").click()
    await tab.getByLabel("Basic1 (thorough) is searching").waitFor()
    await page.button("Stop").click()
    await page.button("Show search tree").waitFor()
    await page.counts("[role=tree]", 0)
})

scenario("removes a search tree when its position leaves the game", {}, async (page, tab) => {
    await openAfterE4(page, "Tree")
    await page.limitTo("depth", 1)
    await page.button("Show search tree").click()
    await tab.getByRole("tree").waitFor()
    await page.open("Play")
    await page.button("New game").click()
    await page.open("Tree")
    await page.counts("[role=tree]", 0)
    await page.has("e2", "wp")
    await page.has("e4", null)
})

scenario(
    "an endless analysis follows the position",
    { path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await page.open("Analyse")
        await tab.locator(".choices").getByText("Basic1 (thorough)").click()
        await tab.locator(".choices").getByText("Basic1", { exact: true }).click()
        await tab.getByLabel("Search limit").selectOption("Until stopped")
        const asked = []
        tab.on(
            "request",
            (request) =>
                request.url().endsWith("/v1/best-move") &&
                asked.push(request.postDataJSON().game.moves.join(" ")),
        )
        await page.analyse()
        await until(() => asked.length === 1, "the position is analysed")
        await page.button("Previous move").click()
        await until(() => asked.length === 2, "the previous position is analysed")
        await page.press("c7", "c5")
        await until(() => asked.length === 3, "the next position is analysed")
        assert.deepEqual(asked, ["e2e4 e7e5", "e2e4", "e2e4 c7c5"])
    },
)

scenario("deselecting the last AI asks the user to select one", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Analyse")
    const choice = tab.locator(".choices").getByLabel("Basic1", { exact: true })
    await until(() => choice.isChecked(), "the first AI is chosen")
    await choice.click()
    await until(async () => !(await choice.isChecked()), "no AI is chosen")
    const engine = tab.getByRole("switch", { name: "Engine" })
    await until(() => engine.isDisabled(), "the engine cannot be switched on")
    await tab
        .getByText("Select one AI to see its best lines, or several to compare them.")
        .waitFor()
    await tab.reload()
    await until(() => engine.isDisabled(), "the engine cannot be switched on")
    assert.equal(await choice.isChecked(), false)
})
