// The options form: values are sent and saved, and rejected values are reported.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"
import { isReviewed, unfoldReviewSettings } from "./review.js"

withServer({
    clients: `
[ai.huo1]
library = "ai_huo1"
limit = { nodes = 1000000000 }
overridable_options = ["level"]

[ai.lifecycle]
library = "lifecycle"
overridable_options = ["level", "fault", "greeting", "offset"]
options = { token = "not for the page" }

[client.default]
ai = "basic1"
max_match_games = 0

[client.guest]
ai = "basic1"
max_depth = 2
`,
})

const optionsOf = (tab, id) => tab.getByTestId(`options-${id}`)
const unfold = (tab, id) => optionsOf(tab, id).locator("summary").first().click()

/** Selects one AI in the Analyse panel, without a limit, and unfolds its options. */
async function analyseWith(page, tab, id, name = new RegExp(`\\(${id}\\)`)) {
    await page.hasHeadline(/^Your move$/)
    await page.open("Analyse")
    await tab.getByRole("checkbox", { name }).check()
    await tab.getByRole("checkbox", { name: /^Basic1 [a-z]/ }).uncheck()
    await tab.getByLabel("Search limit").selectOption("")
    await unfold(tab, id)
}

/** Switches the analysis on, and waits until it has finished at this depth. */
async function depthOf(page, tab, id, wanted) {
    await page.analyse()
    await page.counts(".engine .pulse", 0)
    const depth = tab.getByTestId(`answer-${id}`).locator(".depth")
    await page.hasText(depth, new RegExp(`^depth ${wanted} `))
}

scenario(
    "the search depth follows the level option, and a reset restores its default",
    {},
    async (page, tab) => {
        await analyseWith(page, tab, "huo1", /^Huo1/)
        await tab.getByLabel("level").fill("1")
        await depthOf(page, tab, "huo1", 1)
        await tab.getByLabel("level").fill("2")
        await depthOf(page, tab, "huo1", 2)
        await page.picture("options")
        await page.button("Reset to defaults").click()
        await depthOf(page, tab, "huo1", 3)
    },
)

scenario("every panel sends an AI's options to that AI only", {}, async (page, tab) => {
    const requests = []
    tab.on("request", (request) => {
        if (/best-move|report/.test(request.url())) requests.push(request.postDataJSON())
    })
    const waitForRequests = (count) =>
        until(
            async () => requests.length === count,
            `${count} requests are sent`,
            () => requests.length,
        )
    await page.hasHeadline(/^Your move$/)
    await page.players("huo1", "")
    await waitForRequests(1)
    await page.plays(1)
    await page.open("AIs")
    await tab.getByTestId("ai-huo1").locator("summary").first().click()
    await unfold(tab, "huo1")
    await tab.getByLabel("level").fill("1")
    await page.open("Play")
    await page.write("h6")
    await waitForRequests(2)
    await page.plays(3)
    await page.open("Tree")
    await tab.getByLabel("AI", { exact: true }).selectOption("huo1")
    await page.button("Show search tree").click()
    await waitForRequests(3)
    await page.open("Report")
    await isReviewed(tab)
    await waitForRequests(4)
    await unfoldReviewSettings(tab)
    await tab.getByLabel("AI", { exact: true }).selectOption("huo1")
    await page.button("Review again").click()
    await waitForRequests(5)
    await isReviewed(tab)
    await tab.getByLabel("AI", { exact: true }).selectOption("quick")
    await page.button("Review again").click()
    await waitForRequests(6)
    assert.deepEqual(
        requests.map(({ ai, options }) => [ai, options]),
        [
            ["huo1", undefined],
            ["huo1", { level: 1 }],
            ["huo1", { level: 1 }],
            ["basic1", undefined],
            ["huo1", { level: 1 }],
            ["quick", undefined],
        ],
    )
})

scenario("options last for the session and can be reset", {}, async (page, tab) => {
    await analyseWith(page, tab, "lifecycle")
    await optionsOf(tab, "lifecycle").getByLabel("fault").selectOption("panics_when_dropped")
    await tab.getByLabel("level").fill("9")
    await optionsOf(tab, "lifecycle").getByText("2 changed").waitFor()
    await tab.reload()
    await page.hasHeadline(/^White to move$/)
    await page.open("AIs")
    await tab.getByTestId("ai-lifecycle").locator("summary").click()
    await unfold(tab, "lifecycle")
    await until(
        async () => (await optionsOf(tab, "lifecycle").getByLabel("level").inputValue()) === "9",
        "the level is still 9",
    )
    assert.equal(
        await optionsOf(tab, "lifecycle").getByLabel("fault").inputValue(),
        "panics_when_dropped",
    )
    // The default value is not sent.
    await optionsOf(tab, "lifecycle").getByLabel("level").fill("3")
    await optionsOf(tab, "lifecycle").getByText("1 changed").waitFor()
    await page.button("Reset to defaults").click()
    await until(
        async () => (await optionsOf(tab, "lifecycle").getByText("changed").count()) === 0,
        "nothing is changed",
    )
    assert.equal(await optionsOf(tab, "lifecycle").getByLabel("fault").inputValue(), "none")
})

scenario("unfinished input survives an AI list refresh", {}, async (page, tab) => {
    await tab.clock.install()
    await tab.reload()
    await analyseWith(page, tab, "lifecycle")
    // The arrival of a second response proves that the first one is rendered.
    const refresh = async () => {
        for (let polls = 0; polls < 2; polls++) {
            const polled = tab.waitForResponse((response) => response.url().endsWith("/v1/ais"))
            await tab.clock.fastForward(3000)
            await polled
        }
    }
    const greeting = tab.getByLabel("greeting")
    await greeting.fill("good eve")
    await refresh()
    assert.equal(await greeting.inputValue(), "good eve")
    await tab.getByLabel("Search limit").selectOption("nodes")
    const limit = tab.getByLabel("Limit in nodes")
    await limit.fill("4321")
    await refresh()
    assert.equal(await limit.inputValue(), "4321")
})

scenario(
    "reports a rejected value at its field, then accepts a valid one",
    { refusals: [400] },
    async (page, tab) => {
        await analyseWith(page, tab, "lifecycle")
        const greeting = tab.getByLabel("greeting")
        await greeting.fill("x".repeat(300))
        await greeting.blur()
        await page.analyse()
        await optionsOf(tab, "lifecycle")
            .getByRole("alert")
            .getByText(/it must be one line of at most 256 characters/)
            .waitFor()
        assert.equal(await greeting.getAttribute("aria-invalid"), "true")
        await tab
            .getByTestId("answer-lifecycle")
            .getByText(/Request rejected/)
            .waitFor()
        await greeting.fill("good morning")
        await greeting.blur()
        await until(
            async () => (await optionsOf(tab, "lifecycle").getByRole("alert").count()) === 0,
            "the error is removed",
        )
        assert.ok(await greeting.isVisible(), "the form stays open")
        await depthOf(page, tab, "lifecycle", 3)
    },
)

scenario(
    "reports a forbidden match and a value that a match cannot use",
    { refusals: [400] },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        const asked = []
        tab.on(
            "request",
            (request) =>
                request.url().endsWith("/v1/matches") && asked.push(request.postDataJSON().players),
        )
        await page.players("lifecycle", "basic1")
        await tab.getByLabel("Games", { exact: true }).fill("2")
        await tab.getByLabel("Games", { exact: true }).blur()
        await tab
            .getByRole("group", { name: "White", exact: true })
            .getByText("Settings", { exact: true })
            .click()
        await tab.getByLabel("greeting").fill("hello, you")
        await tab.getByLabel("greeting").blur()
        await page.button("Start 2 games").click()
        await tab
            .getByText(
                /^In a match, “greeting” of .+ cannot contain a comma, or start or end with a space\. Change its value\.$/,
            )
            .waitFor()
        assert.deepEqual(asked, [])
        await tab.getByLabel("greeting").fill("hello")
        await tab.getByLabel("greeting").blur()
        await page.button("Start 2 games").click()
        await tab.getByText(/this client may not start matches/).waitFor()
        assert.match(asked.join(), /^lifecycle,greeting=hello,[a-z_]+=\d+,basic1,[a-z_]+=\d+$/)
    },
)

scenario("options that requests cannot override are read-only", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.openTechnical()
    await unfold(tab, "basic1")
    const hash = tab.getByLabel("hash_mb")
    await until(async () => (await hash.inputValue()) === "16", "hash_mb is 16 by default")
    assert.equal(await hash.isEditable(), false)
    await optionsOf(tab, "basic1")
        .getByText(/megabytes.*1 to 1024, set by the server/)
        .waitFor()
    assert.equal(await tab.getByLabel("quiescence").isDisabled(), true)
    await optionsOf(tab, "basic1")
        .getByText("The server does not let you change these options.")
        .waitFor()
})

scenario("search limits respect the client's maximum", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.openTechnical()
    const limit = tab.getByLabel("Search limit")
    await limit.getByText("AI default (depth 3)").waitFor({ state: "attached" })
    await page.open("AIs")
    await tab.getByLabel("Client id").fill("guest")
    await page.button("Save").click()
    await page.open("Play")
    await page.openTechnical()
    await limit.selectOption("")
    await limit.selectOption("depth")
    await tab.getByText("plies, at most 2").waitFor()
    const number = tab.getByLabel("Limit in plies")
    await until(
        async () =>
            (await number.inputValue()) === "2" && (await number.getAttribute("max")) === "2",
        "two plies at most",
    )
})

scenario("lowers a search limit to the client's maximum", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("AIs")
    await tab.getByLabel("Client id").fill("guest")
    let release
    const held = new Promise((resolve) => (release = resolve))
    await tab.route("**/v1/ais", async (route) => {
        await held
        await route.continue().catch(() => undefined)
    })
    await page.button("Save").click()
    await page.open("Play")
    await page.openTechnical()
    for (const kind of ["", "depth"]) await tab.getByLabel("Search limit").selectOption(kind)
    const number = tab.getByLabel("Limit in plies")
    assert.equal(await number.inputValue(), "6")
    release()
    await until(
        async () => (await number.inputValue()) === "2",
        "two plies at most",
        () => number.inputValue(),
    )
})

scenario(
    "the form fits on a phone and works with the keyboard",
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

scenario(
    "advanced options are collapsed and accept decimals, and secret options are never shown",
    {},
    async (page, tab) => {
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
    },
)

scenario("does not offer levels above the client's maximum", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const level = (name) => tab.getByRole("radio", { name, exact: true })
    await level("Level 4 1650").waitFor({ state: "attached" })
    await page.open("AIs")
    await tab.getByLabel("Client id").fill("guest")
    await page.button("Save").click()
    await page.open("Play")
    await level("Level 4 1650").waitFor({ state: "detached" })
    assert.equal(await level("Level 2 1150").count(), 1)
})
