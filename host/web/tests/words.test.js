// Strings that no other scenario checks.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

scenario("shows the texts of a game", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "basic1")
    await until(
        async () =>
            (await tab.getByLabel("Search limit").locator("option").first().innerText()) ===
            "AI default (depth 3)",
        "the default is named",
    )
    await page.press("e2", "e4")
    await page.plays(2)
    await page.open("AIs")
    await tab.getByRole("link", { name: "Credits and licences" }).waitFor()
    await page.button("Close AIs").click()
    await page.open("Tree")
    await page.limitTo("depth", 4)
    await page.button("Show search tree").click()
    await tab.getByText(/^First 2,000 positions\./).waitFor()
})

scenario("shows the texts of the editor", {}, async (page, tab) => {
    await page.open("Position")
    await page.button("Board editor").click()
    await page.hasHeadline(/^Board editor$/)
    for (const name of ["Erase", "Starting position", "Cancel"]) await page.button(name).waitFor()
    await tab.getByLabel("Side to move").waitFor()
    await tab.getByRole("group", { name: "Castling rights" }).waitFor()
})

scenario("shows how long an AI has been unavailable", { refusals: [503] }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const body = JSON.stringify({
        title: "The AI is unavailable",
        status: 503,
        detail: "",
        code: "ai_unavailable",
        request_id: null,
    })
    await tab.route("**/v1/best-move", (route) =>
        route.fulfill({
            status: 503,
            headers: { "Content-Type": "application/problem+json", "Retry-After": "600" },
            body,
        }),
    )
    await page.press("e2", "e4")
    const fault = tab.getByTestId("fault")
    await fault
        .getByText(
            "Basic1 is unavailable after repeated failures. Try again in 10 minutes. The game is unchanged. Retry, or choose how to continue.",
        )
        .waitFor()
    await page.button("I’ll move").waitFor()
})

scenario("a notice covers the header and moves nothing", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const top = async () =>
        (await tab.getByRole("group", { name: "Game navigation" }).boundingBox()).y
    const before = await top()
    await tab.getByLabel("Your move").fill("Nd6")
    await tab.keyboard.press("Enter")
    await tab
        .getByTestId("notice")
        .getByText(/^Nd6 isn’t legal here/)
        .waitFor()
    assert.equal(await top(), before)
})
