// Analysis: search progress, comparison of AIs, game report, search tree.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

/** Fifty random moves by each side. */
const long = [
    "b2b3 h7h6 c2c3 g8f6 d1c2 g7g5 c2e4 h8h7 e4h7 a7a6 h7e4 h6h5 f2f4 f6g4 f4g5 g4h2 e4b4 h2g4 b4e4 f7f5 h1h3 c7c5 d2d4",
    "b8c6 g2g3 c5d4 e4c2 g4h2 f1g2 h2f3 e1f1 d4c3 h3h5 f3h4 c1f4 h4g2 c2f5 g2h4 f4b8 h4f3 e2e3 f3h2 f1e2 c6d4 e3d4 a8b8",
    "f5d7 e8f7 h5h3 c8d7 b1c3 d7h3 a1f1 f7e8 g1f3 h3f1 e2f2 h2f3 a2a3 f3d4 f2f1 d4b3 g5g6 d8d3 f1e1 d3g6 c3b5 g6e6 e1d1",
    "b3d2 d1d2 f8g7 b5d6 e8d7 d6b7 b8b7 d2c1 e6e1 c1c2 e1e6 c2d3 e6c6 g3g4 g7f6 d3e2 d7e6 e2d2 c6d6 d2e2 d6h2 e2f3 b7b4",
    "a3b4 h2g1 f3f4 g1g4 f4g4 e6f7 g4h3 f7g6",
].join(" ")
const blunder = "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"

async function limitTo(tab, kind, number) {
    await tab.getByLabel("Search limit").selectOption(kind)
    await tab.getByLabel(/^Limit in/).fill(String(number))
}

scenario("the search progress of an AI is shown with the used share of its limit", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "thorough")
    await limitTo(tab, "movetime_ms", 280_000)
    await page.press("e2", "e4")
    const thought = tab.getByTestId("thought")
    await thought.getByText("searching").waitFor()
    await tab.getByLabel("Limit used").waitFor()
    await until(async () => (await thought.locator(".san").count()) > 1, "a line of play is shown")
    await page.counts(".arrow-best", 1)
    await page.hasText(thought.locator(".figures dd").nth(0), /^[1-9]/)
    await page.hasText(thought.locator(".figures dd").nth(2), /^[1-9]/)
    await page.picture("thinking")
    await tab.getByLabel("Search limit").selectOption("")
    await page.players("", "quick")
    await page.plays(2)
    await thought.getByText("finished").waitFor()
    await page.hasHeadline(/^Your move$/)
})

scenario("each move of a line has a board preview", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.tab("Analyse")
    await limitTo(tab, "depth", 4)
    await page.button("Analyse").click()
    const line = tab.getByTestId("answer-basic1").locator(".san")
    await until(async () => (await line.count()) >= 2, "a line of play is shown")
    await page.counts("[data-testid=answer-basic1] .pulse", 0)
    await line.nth(1).hover()
    await tab.getByTestId("preview").waitFor()
    await page.counts("[data-testid=preview] use", 32)
    await tab.mouse.move(5, 5)
    await page.counts("[data-testid=preview]", 0)
    await line.nth(0).focus()
    await tab.getByTestId("preview").waitFor()
})

scenario("several lines have arrows, one of them marked as the best", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.tab("Analyse")
    await limitTo(tab, "depth", 3)
    await tab.getByLabel("Lines", { exact: true }).fill("3")
    await page.button("Analyse").click()
    await page.counts("[data-testid=answer-basic1] .lines li", 3)
    await page.counts("[data-testid=board] .arrow", 3)
    await page.counts("[data-testid=board] .arrow-best", 1)
})

scenario("several AIs are compared, and their agreement is shown", { path: "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6" }, async (page, tab) => {
    await page.has("h5", "wq")
    await page.tab("Analyse")
    await limitTo(tab, "depth", 3)
    await tab.getByRole("checkbox", { name: "Basic1 (quick)" }).check()
    await page.button("Compare 2 AIs").click()
    await tab.getByTestId("agreement").getByText("Both AIs choose Qxf7#.").waitFor()
    await page.hasText(tab.getByTestId("answer-quick").locator(".score.big"), /^#1$/)
    await page.picture("compared")
})

scenario("three AIs are compared, and each move they choose has an arrow", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.tab("Analyse")
    await limitTo(tab, "depth", 2)
    for (const name of ["Basic1 (quick)", /\(first\)/]) await tab.getByRole("checkbox", { name }).check()
    await page.button("Compare 3 AIs").click()
    const agreement = tab.getByTestId("agreement")
    await page.hasText(agreement, /^(All 3 AIs choose|2 of 3 AIs choose|Each AI chooses a different move)/)
    for (const id of ["basic1", "quick", "first"]) await page.hasText(tab.getByTestId(`answer-${id}`).locator(".san").first(), /[a-h][1-8]/)
    const different = new Set(await tab.locator("[data-testid^=answer-] .lines li:first-child .san:first-child").allInnerTexts())
    await page.counts("[data-testid=board] .arrow", different.size)
})

scenario("one of several AIs crashes, and the others still answer", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.tab("Analyse")
    await limitTo(tab, "depth", 2)
    await tab.getByRole("checkbox", { name: /egfaults/ }).check()
    await page.button("Compare 2 AIs").click()
    await tab.getByTestId("answer-segfaults").getByText(/crashed during its search/).waitFor()
    await page.hasText(tab.getByTestId("agreement"), /^1 of 2 AIs chooses/)
    await until(async () => (await tab.getByTestId("answer-basic1").locator(".san").count()) > 0, "the other AI has answered")
})

scenario("the evaluation bar switches its unit, and a click on the graph selects the position", { path: "/#fen=4k3/8/8/8/8/8/4P3/4K2R w K - 0 1" }, async (page, tab) => {
    await page.has("a1", null)
    await page.players("quick", "basic1")
    for (const count of [1, 2, 3, 4]) {
        await page.button("Play one move").click()
        await page.plays(count)
    }
    await tab.getByTestId("graph").locator("canvas").waitFor()
    const bar = tab.getByTestId("bar")
    await page.hasText(bar, /^[+#]/)
    await bar.click()
    await page.hasText(bar, /%$|^#/)
    const stays = await tab.getByTestId("graph").locator(".u-over").evaluate(async (area) => {
        for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame)
        return area.isConnected
    })
    assert.ok(stays, "the graph is not redrawn without a change")
    const { x, y } = await tab.getByTestId("graph").locator(".u-over").evaluate((area) => {
        const { left, top, width, height } = area.getBoundingClientRect()
        return { x: left + width / 2, y: top + height / 2 }
    })
    await tab.mouse.move(x, y)
    await page.hasText(tab.locator(".hovered"), /^1… K\w+ [+#]/)
    await tab.mouse.click(x, y)
    await page.moves.locator('[data-ply="2"][aria-current]').waitFor()
})

scenario("the game report shows accuracies, bad moves and the best moves", { path: blunder }, async (page, tab) => {
    await page.hasHeadline(/^White wins by checkmate$/)
    await page.tab("Report")
    await limitTo(tab, "depth", 3)
    await page.button("Analyse the game").click()
    await page.hasText(tab.locator(".side-report .score.big").first(), /^[\d.]+ %$/)
    await page.moves.getByRole("button", { name: /Nf6\?\?/ }).waitFor()
    const bad = tab.locator(".bad-moves li").filter({ hasText: "Nf6" })
    await bad.getByText("best:").waitFor()
    await bad.getByRole("button", { name: /Nf6/ }).click()
    await page.has("f6", "bn")
    await page.has("h5", "wq")
    await page.picture("report")
})

scenario("the search tree is stepped through, and the board shows the selected node", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.tab("Tree")
    await limitTo(tab, "depth", 2)
    await page.button("Show search tree").click()
    const tree = tab.getByRole("tree")
    await tree.waitFor()
    await until(async () => (await tab.getByRole("treeitem").count()) > 0, "nodes are shown")
    await tree.focus()
    for (const key of ["Home", "ArrowRight", "ArrowRight"]) await tab.keyboard.press(key)
    await tab.locator('[role=treeitem][aria-selected=true][aria-level="2"]').waitFor()
    await page.counts("[data-testid=board] .mark-last", 2)
    for (let step = 0; step < 5; step += 1) await tab.keyboard.press("Space")
    await tab.getByText(/^Step 5 of \d+$/).waitFor()
    await page.picture("tree")
    await page.button("Show all").click()
    await page.tab("Play")
    await page.counts("[data-testid=board] .mark-last", 0)
})

scenario("an AI without search trees is reported as unsupported", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.tab("Tree")
    await tab.getByLabel("AI", { exact: true }).selectOption("first")
    await tab.getByText(/does not support search trees\. Supported by: Basic1/).waitFor()
    await page.disabled("Show search tree")
})

/** Plays 1. e4 and opens a panel. */
async function openAfterE4(page, panel) {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("e4")
    await page.tab(panel)
}

scenario("an analysis names its position, and is removed when the game no longer contains it", {}, async (page, tab) => {
    await openAfterE4(page, "Analyse")
    await limitTo(tab, "depth", 2)
    await page.button("Analyse").click()
    const answer = tab.getByTestId("answer-basic1")
    await until(async () => (await answer.locator(".san").count()) > 0, "a line of play is shown")
    await page.counts(".arrow-best", 1)
    await page.button("Previous move").click()
    await tab.getByText("Analysis of the position after 1. e4.").waitFor()
    await page.counts("[data-testid=board] .arrow", 0)
    await answer.locator(".san").first().hover()
    await page.counts("[data-testid=preview] use", 32)
    await page.button("Go to position").click()
    await page.counts(".arrow-best", 1)
    await page.button("Previous move").click()
    await page.write("d4")
    await page.counts("[data-testid=answer-basic1]", 0)
})

scenario("automatic analysis follows the current position", { path: "/#moves=e2e4 e7e5" }, async (page, tab) => {
    await page.hasPlayed("e4", "e5")
    await page.tab("Analyse")
    await limitTo(tab, "depth", 1)
    await tab.getByLabel("Analyse each position automatically").check()
    const first = tab.getByTestId("answer-basic1").locator(".san").first()
    await page.hasText(first, /^2\./)
    for (const number of ["1…", "1."]) {
        await page.button("Previous move").click()
        await until(async () => (await first.innerText()).startsWith(number), `the line begins with ${number}`)
    }
    await page.counts(".arrow-best", 1)
})

scenario("a long search for a tree is stopped", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.tab("Tree")
    await tab.getByLabel("AI", { exact: true }).selectOption("thorough")
    await tab.getByLabel("Search limit").selectOption("")
    await page.button("Show search tree").click()
    await tab.getByLabel("Basic1 (thorough) is searching").waitFor()
    await page.button("Stop").click()
    await page.button("Show search tree").waitFor()
    await page.counts("[role=tree]", 0)
})

scenario("a search tree is removed when the game no longer contains its position", {}, async (page, tab) => {
    await openAfterE4(page, "Tree")
    await limitTo(tab, "depth", 1)
    await page.button("Show search tree").click()
    await tab.getByRole("tree").waitFor()
    await page.button("Previous move").click()
    await page.write("d4")
    await page.counts("[role=tree]", 0)
    await page.has("d4", "wp")
    await page.has("e4", null)
})

scenario("a long report shows its progress, and is stopped", { path: `/#moves=${long}` }, async (page, tab) => {
    await page.plays(100)
    await page.tab("Report")
    await limitTo(tab, "movetime_ms", 400)
    await page.button("Analyse the game").click()
    await tab.getByText(/^Move [1-9]\d* of 100$/).waitFor()
    await page.button("Stop").click()
    await page.button("Analyse the game").waitFor()
    await page.counts("progress", 0)
    await page.counts(".side-report", 2)
})
