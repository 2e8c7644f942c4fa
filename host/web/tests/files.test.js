// Files of games, dropped and downloaded games.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

const fools = '[White "Anna"]\n[Black "Bo"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
const several = [["Anna", "Bo", "1-0", "e4"], ["Cleo", "Dan", "0-1", "d4"], ["Bo", "Cleo", "*", "c4"]]
    .map(([white, black, result, move]) => `[Event "Cup"]\n[White "${white}"]\n[Black "${black}"]\n[Result "${result}"]\n\n1. ${move} ${result}\n`)
    .join("\n")

scenario("a file of several games is opened, filtered and loaded", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.tab("Position")
    await tab.getByLabel("File with games").setInputFiles({ name: "cup.pgn", mimeType: "text/plain", buffer: Buffer.from(several) })
    const rows = tab.getByTestId("games").locator("li")
    await until(async () => (await rows.count()) === 3, "three games are listed")
    await tab.getByLabel("3 games; choose a game").fill("dan 0-1")
    await until(async () => (await rows.count()) === 1, "one game is left")
    await page.picture("games")
    await rows.getByRole("button").click()
    await page.hasPlayed("d4")
    await page.hasHeadline(/^Black wins$/)
})

scenario("a dropped file is loaded, and the game is downloaded", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.evaluate((text) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([text], "game.pgn"))
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
    }, fools)
    await page.plays(4)
    const [download] = await Promise.all([tab.waitForEvent("download"), page.button("Download PGN").click()])
    assert.match(download.suggestedFilename(), /^Anna-Bo-.*\.pgn$/)
})

scenario("a game that was resigned elsewhere can be continued", {}, async (page) => {
    await page.paste("1. e4 e5 1-0")
    await page.hasHeadline(/^White wins$/)
    await page.press("g1", "f3")
    await page.hasPlayed("e4", "e5", "Nf3")
    await page.hasHeadline(/^Black to move$/)
})
