// What AIs think: live, side by side, over a whole game, and as a tree.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

const blunder = "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"

async function limitTo(tab, kind, number) {
    await tab.getByLabel("Limit of a search").selectOption(kind)
    await tab.getByLabel(/^Limit in/).fill(String(number))
}

scenario("the AI's thinking is seen while it thinks, with how much of its limit is used", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await limitTo(tab, "movetime_ms", 1500)
    await page.press("e2", "e4")
    await tab.getByTestId("thought").getByText("is thinking").waitFor()
    await tab.getByLabel("How much of the limit is used").waitFor()
    await until(async () => (await tab.getByTestId("thought").locator(".san").count()) > 1, "a line of play is shown")
    await until(async () => (await tab.locator(".arrow-best").count()) === 1, "its first move is an arrow")
    await page.picture("thinking")
    await page.says(/^Your move$/)
    const figures = await tab.getByTestId("thought").locator(".figures dd").allInnerTexts()
    assert.ok(Number(figures[0]) >= 3, `depth ${figures[0]}`)
    assert.match(figures[2], /\d/)
})

scenario("each move of a line is played on a small board", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.tab("Analyse")
    await limitTo(tab, "depth", 4)
    await page.button("Ask").click()
    const line = tab.getByTestId("answer-basic1").locator(".san")
    await until(async () => (await line.count()) >= 2, "a line of play is shown")
    await line.nth(1).hover()
    await tab.getByTestId("preview").waitFor()
    assert.equal(await tab.getByTestId("preview").locator("use").count(), 32)
    await tab.mouse.move(5, 5)
    await until(async () => (await tab.getByTestId("preview").count()) === 0, "the small board is gone")
    await line.nth(0).focus()
    await tab.getByTestId("preview").waitFor()
})

scenario("several lines have arrows, the best one's first", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.tab("Analyse")
    await limitTo(tab, "depth", 3)
    await tab.getByLabel("Lines", { exact: true }).fill("3")
    await page.button("Ask").click()
    await until(async () => (await tab.getByTestId("answer-basic1").locator(".lines li").count()) === 3, "three lines are shown")
    await until(async () => (await tab.locator("[data-testid=board] .arrow").count()) === 3, "three arrows are drawn")
    assert.equal(await tab.locator("[data-testid=board] .arrow-best").count(), 1)
})

scenario("several AIs are asked at once, and where they agree is said", { path: "/#moves=e2e4 e7e5 d1h5 b8c6 f1c4 g8f6" }, async (page, tab) => {
    await page.has("h5", "wq")
    await page.tab("Analyse")
    await limitTo(tab, "depth", 3)
    await tab.getByRole("checkbox", { name: "Basic1 (quick)" }).check()
    await page.button("Ask 2 AIs").click()
    await tab.getByTestId("agreement").getByText("All 2 would play Qxf7#.").waitFor()
    assert.equal(await tab.getByTestId("answer-quick").locator(".score.big").innerText(), "#1")
    await page.picture("compared")
})

scenario("of several AIs one may crash, and the others still answer", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.tab("Analyse")
    await limitTo(tab, "depth", 2)
    await tab.getByRole("checkbox", { name: /egfaults/ }).check()
    await page.button("Ask 2 AIs").click()
    await tab.getByTestId("answer-segfaults").getByText(/crashed while it was thinking/).waitFor()
    await until(async () => (await tab.getByTestId("answer-basic1").locator(".san").count()) > 0, "the other has answered")
})

scenario("the bar shows pawns or chances, and the graph leads to its positions", { path: "/#fen=4k3/8/8/8/8/8/4P3/4K2R w K - 0 1" }, async (page, tab) => {
    await page.has("a1", null)
    await page.players("quick", "basic1")
    for (const count of [1, 2, 3, 4]) {
        await page.button("One move").click()
        await until(async () => (await page.played()).length === count, `${count} moves are played`)
    }
    await tab.getByTestId("graph").locator("canvas").waitFor()
    const bar = tab.getByTestId("bar")
    assert.match(await bar.innerText(), /^[+#]/)
    await bar.click()
    await until(async () => /%$|^#/.test(await bar.innerText()), "chances are shown")
    const stays = await tab.getByTestId("graph").locator(".u-over").evaluate(async (area) => {
        for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame)
        return area.isConnected
    })
    assert.ok(stays, "the graph is not drawn anew for nothing")
    const { x, y } = await tab.getByTestId("graph").locator(".u-over").evaluate((area) => {
        const { left, top, width, height } = area.getBoundingClientRect()
        return { x: left + width / 2, y: top + height / 2 }
    })
    await tab.mouse.click(x, y)
    await until(async () => (await page.moves.locator("[aria-current]").getAttribute("data-ply")) === "2", "the second move is on the board")
})

scenario("a game is judged move by move, with accuracies and the better moves", { path: blunder }, async (page, tab) => {
    await page.says(/^White wins by checkmate$/)
    await page.tab("Report")
    await limitTo(tab, "depth", 3)
    await page.button("Judge the game").click()
    await until(async () => (await tab.locator(".side-report .score.big").first().innerText()) !== "–", "the accuracies are there", () => tab.locator(".panel").innerText())
    await page.moves.getByRole("button", { name: /Nf6\?\?/ }).waitFor()
    const bad = tab.locator(".bad-moves li").filter({ hasText: "Nf6" })
    await bad.getByText("better").waitFor()
    await bad.getByRole("button", { name: /Nf6/ }).click()
    await page.has("f6", "bn")
    await page.has("h5", "wq")
    await page.picture("report")
})

scenario("an AI's thinking is a tree to walk through, with the board following", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.tab("Thinking")
    await limitTo(tab, "depth", 2)
    await page.button("Watch it think").click()
    const tree = tab.getByRole("tree")
    await tree.waitFor()
    await until(async () => (await tab.getByRole("treeitem").count()) > 0, "nodes are shown")
    await tree.focus()
    for (const key of ["Home", "ArrowRight", "ArrowRight"]) await tab.keyboard.press(key)
    const selected = tab.locator("[role=treeitem][aria-selected=true]")
    await until(async () => (await selected.getAttribute("aria-level")) === "2", "a first move is selected")
    await until(async () => (await tab.locator("[data-testid=board] .mark-last").count()) === 2, "the board has followed")
    for (let step = 0; step < 5; step += 1) await tab.keyboard.press("Space")
    await tab.getByText(/^Step 5 of \d+$/).waitFor()
    await page.picture("tree")
    await page.button("Show all").click()
    await page.tab("Play")
    await until(async () => (await tab.locator("[data-testid=board] .mark-last").count()) === 0, "the game is on the board again")
})

scenario("an AI that does not tell how it thinks is said to", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.tab("Thinking")
    await tab.getByLabel("Thinker").selectOption("first")
    await tab.getByText(/does not tell how it thinks; Basic1/).waitFor()
    assert.equal(await page.button("Watch it think").isDisabled(), true)
})
