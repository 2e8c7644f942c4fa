// The options of AIs as a form: what is set is sent, kept and told where it is refused.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer({
    clients: `
[ai.huo1]
library = "ai_huo1"
limit = { movetime_ms = 5000 }
overridable_options = ["level"]

[ai.lifecycle]
library = "lifecycle"
overridable_options = ["level", "fault", "greeting", "offset"]
options = { token = "not for the page" }

[client.default]
ai = "basic1"

[client.guest]
ai = "basic1"
max_depth = 2
`,
})

const optionsOf = (tab, id) => tab.getByTestId(`options-${id}`)
const unfold = (tab, id) => optionsOf(tab, id).locator("summary").first().click()

/** The one AI that is asked under “Analyse”. */
async function analyseWith(page, tab, id, name = new RegExp(`\\(${id}\\)`)) {
    await page.says(/^Your move$/)
    await page.tab("Analyse")
    await tab.getByRole("checkbox", { name }).check()
    await tab.getByRole("checkbox", { name: /^Basic1 [a-z]/ }).uncheck()
    await tab.getByLabel("Search limit").selectOption("")
    await unfold(tab, id)
}

/** The depth that an AI tells once it has answered. */
async function depthOf(page, tab, id, wanted) {
    await page.button("Analyse").click()
    const figure = tab.getByTestId(`answer-${id}`).locator(".figures dd").first()
    await until(
        async () => (await page.button("Analyse").isVisible()) && (await figure.allInnerTexts()).join() === String(wanted),
        `${id} has thought ${wanted} deep`,
        async () => (await figure.allInnerTexts()).join(),
    )
}

scenario("an AI thinks as deep as the level that is set, and as the server says where none is", {}, async (page, tab) => {
    await analyseWith(page, tab, "huo1", /^Huo1/)
    await tab.getByLabel("level").fill("1")
    await depthOf(page, tab, "huo1", 1)
    await tab.getByLabel("level").fill("2")
    await depthOf(page, tab, "huo1", 2)
    await page.picture("options")
    await page.button("Reset to defaults").click()
    await depthOf(page, tab, "huo1", 3)
})

scenario("options are sent with every question to their AI and to no other, from every panel", { path: "/#moves=e2e4 e7e5" }, async (page, tab) => {
    const asked = []
    tab.on("request", (request) => {
        if (/best-move|report/.test(request.url())) asked.push(request.postDataJSON())
    })
    const askedLast = (count) => until(async () => asked.length === count, `${count} questions are asked`, () => asked.length)
    await page.has("e4", "wp")
    await page.players("huo1", "")
    await askedLast(1)
    await until(async () => (await page.played()).length === 3, "the AI has moved")
    await unfold(tab, "huo1")
    await tab.getByLabel("level").fill("1")
    await page.write("h6")
    await askedLast(2)
    await until(async () => (await page.played()).length === 5, "the AI has moved again")
    await page.tab("Tree")
    await tab.getByLabel("AI", { exact: true }).selectOption("huo1")
    await page.button("Show search tree").click()
    await askedLast(3)
    await page.tab("Report")
    await tab.getByLabel("AI", { exact: true }).selectOption("huo1")
    await page.button("Analyse the game").click()
    await askedLast(4)
    await tab.getByLabel("AI", { exact: true }).selectOption("quick")
    await until(async () => page.button("Analyse the game").isVisible(), "the game is judged")
    await page.button("Analyse the game").click()
    await askedLast(5)
    assert.deepEqual(
        asked.map(({ ai, options }) => [ai, options]),
        [["huo1", undefined], ["huo1", { level: 1 }], ["huo1", { level: 1 }], ["huo1", { level: 1 }], ["quick", undefined]],
    )
})

scenario("what is set stays as long as the tab, and can be taken back", {}, async (page, tab) => {
    await analyseWith(page, tab, "lifecycle")
    await optionsOf(tab, "lifecycle").getByLabel("fault").selectOption("panics_when_dropped")
    await tab.getByLabel("level").fill("9")
    await optionsOf(tab, "lifecycle").getByText("2 changed").waitFor()
    await tab.reload()
    await page.says(/^Your move$/)
    await page.tab("AIs")
    await unfold(tab, "lifecycle")
    await until(async () => (await optionsOf(tab, "lifecycle").getByLabel("level").inputValue()) === "9", "the level is still 9")
    assert.equal(await optionsOf(tab, "lifecycle").getByLabel("fault").inputValue(), "panics_when_dropped")
    // As configured is not set at all.
    await optionsOf(tab, "lifecycle").getByLabel("level").fill("3")
    await optionsOf(tab, "lifecycle").getByText("1 changed").waitFor()
    await page.button("Reset to defaults").click()
    await until(async () => (await optionsOf(tab, "lifecycle").getByText("changed").count()) === 0, "nothing is changed")
    assert.equal(await optionsOf(tab, "lifecycle").getByLabel("fault").inputValue(), "none")
})

scenario("what is being written stays while the AIs are looked at anew", {}, async (page, tab) => {
    await analyseWith(page, tab, "lifecycle")
    const greeting = tab.getByLabel("greeting")
    await greeting.fill("good eve")
    // Once the second has come, the first is drawn.
    for (let looks = 0; looks < 2; looks++) await tab.waitForResponse((response) => response.url().endsWith("/v1/ais"))
    assert.equal(await greeting.inputValue(), "good eve")
    await tab.getByLabel("Search limit").selectOption("nodes")
    const limit = tab.getByLabel("Limit in nodes")
    await limit.fill("4321")
    for (let looks = 0; looks < 2; looks++) await tab.waitForResponse((response) => response.url().endsWith("/v1/ais"))
    assert.equal(await limit.inputValue(), "4321")
})

scenario("a value that the server refuses is told at its field, and another one is taken", { refusals: [400] }, async (page, tab) => {
    await analyseWith(page, tab, "lifecycle")
    const greeting = tab.getByLabel("greeting")
    await greeting.fill("x".repeat(300))
    await greeting.blur()
    await page.button("Analyse").click()
    await optionsOf(tab, "lifecycle").getByRole("alert").getByText(/it must be a text of one line and at most 256 characters/).waitFor()
    assert.equal(await greeting.getAttribute("aria-invalid"), "true")
    await tab.getByTestId("answer-lifecycle").getByText(/Request rejected/).waitFor()
    await greeting.fill("good morning")
    await greeting.blur()
    await until(async () => (await optionsOf(tab, "lifecycle").getByRole("alert").count()) === 0, "the words are gone")
    assert.ok(await greeting.isVisible(), "the form stays open")
    await depthOf(page, tab, "lifecycle", 3)
})

scenario("what a request may not set is shown, and can't be changed", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await unfold(tab, "basic1")
    const hash = tab.getByLabel("hash_mb")
    await until(async () => (await hash.inputValue()) === "16", "the table has its size")
    assert.equal(await hash.isEditable(), false)
    await optionsOf(tab, "basic1").getByText(/megabytes.*1 to 1024, set by the server/).waitFor()
    assert.equal(await tab.getByLabel("quiescence").isDisabled(), true)
    await optionsOf(tab, "basic1").getByText("The server does not allow changing these options.").waitFor()
})

scenario("limits go as far as the client's own", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    const limit = tab.getByLabel("Search limit")
    await limit.getByText("AI default (3 plies)").waitFor({ state: "attached" })
    await page.tab("AIs")
    await tab.getByLabel("Client id").fill("guest")
    await page.button("Save").click()
    await page.tab("Play")
    await limit.selectOption("depth")
    await tab.getByText("plies, at most 2").waitFor()
    const number = tab.getByLabel("Limit in plies")
    await until(async () => (await number.inputValue()) === "2" && (await number.getAttribute("max")) === "2", "two plies at most")
})

scenario("a limit that was chosen before the client's own are known is lowered to them", {}, async (page, tab) => {
    await page.says(/^Your move$/)
    await page.tab("AIs")
    await tab.getByLabel("Client id").fill("guest")
    let letGo
    const held = new Promise((resolve) => (letGo = resolve))
    await tab.route("**/v1/ais", async (route) => {
        await held
        await route.continue().catch(() => undefined)
    })
    await page.button("Save").click()
    await page.tab("Play")
    await tab.getByLabel("Search limit").selectOption("depth")
    const number = tab.getByLabel("Limit in plies")
    assert.equal(await number.inputValue(), "6")
    letGo()
    await until(async () => (await number.inputValue()) === "2", "two plies at most", () => number.inputValue())
})

scenario(
    "on a phone the form fits, and is filled by keys alone",
    { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true },
    async (page, tab) => {
        await analyseWith(page, tab, "lifecycle")
        assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth), 360)
        await tab.getByLabel("level").focus()
        await tab.keyboard.press("End")
        await optionsOf(tab, "lifecycle").locator("output").getByText("9").waitFor()
        await tab.keyboard.press("Home")
        await optionsOf(tab, "lifecycle").locator("output").getByText("1").waitFor()
        await optionsOf(tab, "lifecycle").scrollIntoViewIfNeeded()
        await page.picture("options-phone")
    },
)

scenario("options for experts are folded away, take decimal numbers, and secret ones are never shown", {}, async (page, tab) => {
    await analyseWith(page, tab, "lifecycle")
    const options = optionsOf(tab, "lifecycle")
    const offset = options.getByLabel("offset")
    assert.equal(await offset.isVisible(), false)
    await options.getByText("Advanced", { exact: true }).click()
    await offset.fill("1.5")
    await offset.press("Enter")
    await options.getByText("1 changed").waitFor()
    await offset.fill("10")
    await offset.press("Enter")
    await options.getByText("expected a number from -9 to 9, got 10").waitFor()
    assert.equal(await options.getByLabel("token").inputValue(), "")
    assert.equal((await tab.content()).includes("not for the page"), false)
})
