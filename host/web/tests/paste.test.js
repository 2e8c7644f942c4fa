// Ctrl+V anywhere on the page.

import assert from "node:assert/strict"
import { pasteAnywhere, scenario, withServer } from "./browser.js"

withServer()

scenario("a game pasted anywhere opens in Analyse and can be undone", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await pasteAnywhere(tab, "1. d4 d5 2. c4")
    await page.hasPlayed("d4", "d5", "c4")
    await page.hasHeadline(/^Black to move$/)
    await pasteAnywhere(tab, "1. e4")
    await page.hasPlayed("e4")
    await tab.getByRole("button", { name: "Undo: Game loaded" }).click()
    await page.hasPlayed("d4", "d5", "c4")
})

scenario("a position pasted during a game asks before replacing it", {}, async (page, tab) => {
    const fen = "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1"
    const question = tab.getByRole("alertdialog")
    await page.press("e2", "e4")
    await page.plays(2)
    await pasteAnywhere(tab, fen)
    await question.getByRole("button", { name: "Keep playing" }).click()
    await question.waitFor({ state: "detached" })
    await page.plays(2)
    await pasteAnywhere(tab, fen)
    await question.getByRole("button", { name: "Start from this position" }).click()
    await page.pieces(10)
    await page.has("e4", null)
})

scenario("text pasted into a field stays there", {}, async (page, tab) => {
    await page.open("Position")
    const field = tab.getByLabel("Paste FEN")
    await tab.evaluate(() => navigator.clipboard.writeText("1. e4"))
    await field.focus()
    await tab.keyboard.press("ControlOrMeta+v")
    assert.equal(await field.inputValue(), "1. e4")
    await page.hasPlayed()
})

scenario("reports pasted text that is not chess", { refusals: [400] }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await pasteAnywhere(tab, "What is this?")
    await page.hasText(
        tab.getByTestId("issues"),
        /^This is not a chess game or position that the page can read$/,
    )
})
