// The list of AIs, their profiles, and curl commands that repeat a request.

import assert from "node:assert/strict"
import { accessibilityViolations, currentServer, scenario, withServer } from "./browser.js"
import { review, unfoldReviewSettings } from "./review.js"

withServer()

/** Answers requests for the list with copies of the first AI, numbered from `ai1`. */
const withAis = (tab, count, change = () => ({})) =>
    tab.route("**/v1/ais", async (route) => {
        const response = await route.fetch()
        const [first] = await response.json()
        await route.fulfill({
            response,
            json: Array.from({ length: count }, (_, index) => ({
                ...first,
                id: `ai${index + 1}`,
                name: `Engine ${index + 1}`,
                ...change(index),
            })),
        })
    })
const entries = (tab) => tab.getByRole("list", { name: "AIs", exact: true }).getByRole("listitem")

scenario("the list holds thirty AIs, and a search finds one", {}, async (page, tab) => {
    await withAis(tab, 30, (index) => (index === 6 ? { state: "quarantined", author: "Ada" } : {}))
    await tab.reload()
    await page.hasHeadline(/^Your move$/)
    await page.open("AIs")
    await page.counts("li", 30, tab.getByRole("list", { name: "AIs", exact: true }))
    const list = await tab.getByRole("list", { name: "AIs", exact: true }).boundingBox()
    assert.ok(list.height <= 0.7 * tab.viewportSize().height, `${list.height} px`)
    const heights = await entries(tab).evaluateAll((items) =>
        items.map((item) => item.getBoundingClientRect().height),
    )
    assert.ok(Math.max(...heights) < 64, heights.join())
    assert.deepEqual(await accessibilityViolations(tab), [])
    await page.picture("ais-thirty")
    const search = tab.getByLabel("Search AIs")
    for (const [words, found] of [
        ["engine 12", "Engine 12"],
        ["ADA", "Engine 7"],
        ["unavailable", "Engine 7"],
        ["ai30", "Engine 30"],
    ]) {
        await search.fill(words)
        await page.hasText(tab.getByRole("status"), /1 of 30 AIs/)
        await page.hasText(entries(tab), new RegExp(`^${found}`))
    }
    await search.fill("nothing of that name")
    await page.hasText(tab.getByRole("status"), /0 of 30 AIs/)
})

scenario("the list shows an AI's arena rating and record", {}, async (page, tab) => {
    const player = {
        id: 7,
        player: "basic1",
        version: 2,
        ai: "basic1",
        rank: 3,
        elo: 1543.2,
        error: 38,
        games: 40,
        wins: 20,
        draws: 10,
        losses: 10,
        score: 0.625,
    }
    const other = { ...player, id: 8, player: "basic1,quiescence=false", elo: 900 }
    await tab.route("**/v1/version", (route) => route.fulfill({ json: { features: ["arena"] } }))
    await tab.route("**/v1/arena", (route) => route.fulfill({ json: { players: [other, player] } }))
    await page.hasHeadline(/^Your move$/)
    await page.open("AIs")
    const entry = tab.getByTestId("ai-basic1")
    await page.hasText(entry.locator("summary").first(), /1543 ±\s38/)
    assert.doesNotMatch(await tab.getByTestId("ai-quick").innerText(), /±/)
    await entry.locator("summary").first().click()
    await page.hasText(
        entry.getByTestId("record"),
        /^Arena: 1543 ±\s38, rank 3, 20–10–10 in 40 games, 63%$/,
    )
    assert.equal(
        await entry.getByRole("link", { name: "Arena" }).getAttribute("href"),
        "/arena#/players/7",
    )
})

scenario("requests no ratings from a server without an arena", {}, async (page, tab) => {
    const paths = []
    tab.on("request", (request) => paths.push(new URL(request.url()).pathname))
    const version = tab.waitForResponse("**/v1/version")
    await page.hasHeadline(/^Your move$/)
    await page.open("AIs")
    await version
    await tab.getByTestId("ai-basic1").locator("summary").click()
    await tab.getByTestId("ai-basic1").getByRole("button", { name: "Try a move" }).waitFor()
    assert.ok(!paths.includes("/v1/arena"), paths.join())
})

scenario(
    "tries out an AI on the position without changing the game",
    { path: "/#moves=e2e4" },
    async (page, tab) => {
        await page.plays(1)
        await page.open("AIs")
        const entry = tab.getByTestId("ai-basic1")
        await entry.locator("summary").first().click()
        const sent = tab.waitForRequest("**/v1/best-move")
        await entry.getByRole("button", { name: "Try a move" }).click()
        assert.deepEqual((await sent).postDataJSON().game.moves, ["e2e4"])
        await page.hasText(entry.getByRole("status"), /^\S+ [+−]?\d+\.\d\d, depth 3, /)
        await page.has("e4", "wp")
        await page.picture("ais-try-out")
        // An answer is shown only at its position.
        await page.goToStart()
        await page.hasText(entry.getByRole("status"), /^$/)
    },
)

scenario("shows why an AI failed a try-out", { refusals: [502] }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("AIs")
    const entry = tab.getByTestId("ai-segfaults")
    await entry.locator("summary").first().click()
    await entry.getByRole("button", { name: "Try a move" }).click()
    await page.hasText(entry.getByRole("status"), /crashed/)
})

scenario(
    "copies the request behind an answer as a curl command with its id",
    { path: "/#moves=e2e4" },
    async (page, tab) => {
        await page.plays(1)
        const copied = async (path, button) => {
            await button.click()
            await page.hasText(button, /^Copied$/)
            const text = await tab.evaluate(() => navigator.clipboard.readText())
            const [, id, url, body] =
                /^# The answer had the request id (\S+)\.\ncurl -s '(\S+)' -H 'Content-Type: application\/json' -d '(.*)'\n$/.exec(
                    text,
                ) ?? assert.fail(text)
            assert.equal(url, currentServer().address + path)
            const reply = await fetch(url, {
                method: "POST",
                headers: { "Content-Type": "application/json" },
                body,
            })
            assert.equal(reply.status, 200)
            return { id, body: JSON.parse(body) }
        }
        const curl = (within = tab) => within.locator("[title^=Request]").first()
        await page.open("AIs")
        const entry = tab.getByTestId("ai-basic1")
        await entry.locator("summary").first().click()
        const answered = tab.waitForResponse("**/v1/best-move")
        await entry.getByRole("button", { name: "Try a move" }).click()
        const tried = await copied("/v1/best-move", curl(entry))
        assert.equal(tried.id, (await answered).headers()["x-request-id"])
        assert.deepEqual(tried.body.game.moves, ["e2e4"])
        await page.button("Close AIs").click()
        await page.open("Tree")
        await page.limitTo("depth", 2)
        await page.button("Show search tree").click()
        assert.ok((await copied("/v1/best-move", curl())).body.trace.nodes > 0)
        await review(page, tab)
        await unfoldReviewSettings(tab)
        await copied("/v1/report", curl())
    },
)

scenario("a copied command does not contain the key", { refusals: [404] }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.route("**/v1/best-move", (route) =>
        route.continue({ headers: { ...route.request().headers(), authorization: "" } }),
    )
    await page.open("AIs")
    await tab.route(/\/(v1|metrics)/, async (route) => {
        const headers = route.request().headers()
        delete headers.authorization
        delete headers["x-client-id"]
        await route.continue({ headers })
    })
    await tab.getByLabel("Client id").fill("o'neill")
    await tab.getByLabel("API key").fill("rk_secret")
    await page.button("Save").click()
    const entry = tab.getByTestId("ai-basic1")
    await entry.locator("summary").first().click()
    await entry.getByRole("button", { name: "Try a move" }).click()
    const button = entry.locator("[title^=Request]")
    await button.click()
    await page.hasText(button, /^Copied$/)
    const text = await tab.evaluate(() => navigator.clipboard.readText())
    assert.ok(
        text.includes(`-H 'X-Client-Id: o'\\''neill' -H "Authorization: Bearer $ROOKERY_KEY" -d`),
        text,
    )
    assert.ok(!text.includes("rk_secret"))
})

scenario("shows the last fault of an AI only if the server sends it", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("AIs")
    let isAdmin = false
    await tab.route("**/v1/ais/basic1", async (route) => {
        const response = await route.fetch()
        const last_fault = {
            code: "ai_crashed",
            time: "2026-11-18T11:06:40Z",
            detail: "the AI crashed (SIGSEGV)",
            request_id: "trace-7",
            stderr: "Segmentation fault",
        }
        const json = await response.json()
        assert.equal(json.last_fault, undefined)
        await route.fulfill({ response, json: isAdmin ? { ...json, last_fault } : json })
    })
    const summary = tab.getByTestId("ai-basic1").locator("summary").first()
    const told = tab.waitForResponse("**/v1/ais/basic1")
    await summary.click()
    await told
    await page.counts("[data-testid=last-fault]", 0)
    await summary.click()
    isAdmin = true
    await summary.click()
    await page.hasText(
        tab.getByTestId("last-fault"),
        /^Last fault Crashed [^]*request trace-7[^]*SIGSEGV[^]*Segmentation fault$/,
    )
    assert.deepEqual(await accessibilityViolations(tab), [])
})

scenario(
    "shows an AI as crashed until it answers again",
    { refusals: [502] },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.open("AIs")
        const entry = tab.getByTestId("ai-basic1")
        await entry.locator("summary").first().click()
        const state = entry.locator("summary .state")
        assert.equal(await state.getAttribute("aria-label"), "ready")
        const crash = (route) =>
            route.fulfill({
                status: 502,
                contentType: "application/problem+json",
                body: JSON.stringify({ code: "ai_crashed", detail: "", title: "", status: 502 }),
            })
        await tab.route("**/v1/best-move", crash)
        await entry.getByRole("button", { name: "Try a move" }).click()
        await page.hasText(entry.getByRole("status"), /crashed/)
        // The restarted AI is ready, but has not answered since its fault.
        const told = "last search failed, running again"
        assert.equal(await state.getAttribute("aria-label"), told)
        assert.equal(await state.getAttribute("title"), told)
        await page.hasText(entry.locator(".ai-health"), new RegExp(`^${told}`))
        await tab.waitForResponse("**/v1/ais")
        assert.equal(await state.getAttribute("aria-label"), told)
        await tab.unroute("**/v1/best-move", crash)
        await entry.getByRole("button", { name: "Try a move" }).click()
        await entry.locator("summary .state[aria-label=ready]").waitFor()
    },
)

scenario(
    "shows response times, queue and faults in plain words",
    { refusals: [502] },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.open("AIs")
        const well = tab.getByTestId("ai-basic1")
        await well.locator("summary").first().click()
        await well.getByRole("button", { name: "Try a move" }).click()
        await page.hasText(well.locator(".ai-health"), /^ready · answers in \d+ m?s$/)
        await page.hasText(
            well.getByTestId("health"),
            /^Median time\s+\d[^]*99% within\s+\d[^]*Waiting\s+0[^]*Searches\s+[1-9][^]*Faults\s+0[^]*Last 1 min: /,
        )
        const bad = tab.getByTestId("ai-segfaults")
        await bad.locator("summary").first().click()
        await bad.getByRole("button", { name: "Try a move" }).click()
        await page.hasText(bad.locator(".ai-health"), /· \d+ faults?$/)
        await page.hasText(bad.getByTestId("health"), /Crashed × \d+$/)
        assert.doesNotMatch(await tab.locator("main").innerText(), /ai_crashed/)
        assert.deepEqual(await accessibilityViolations(tab), [])
        await page.picture("ais-health")
    },
)

scenario("requests refused metrics only once", { refusals: [404] }, async (page, tab) => {
    let asked = 0
    await tab.route("**/metrics", (route) => {
        asked += 1
        return route.fulfill({ status: 404, body: "" })
    })
    await page.hasHeadline(/^Your move$/)
    await page.open("AIs")
    await page.hasText(tab.getByTestId("ai-basic1").locator(".ai-health"), /^ready$/)
    for (const _ of [1, 2, 3]) await tab.waitForResponse("**/v1/ais")
    assert.equal(asked, 1)
})
