// The list of AIs, and client access.

import { createHash } from "node:crypto"
import assert from "node:assert/strict"
import { currentServer, scenario, until, withServer } from "./browser.js"

const key = "rk_0123456789abcdef0123456789abcdef"
const sum = createHash("sha256").update(key).digest("hex")

withServer({
    clients: `\n[client.alice]\nai = "quick"\napi_key_sha256 = "${sum}"\n[client.slow]\nai = "quick"\nrate = "3/s burst 2"\n`,
})

scenario(
    "reports an unknown client, and accepts a client id with its key",
    { refusals: [401, 404] },
    async (page, tab) => {
        await page.open("AIs")
        await page.hasHeadline(/^Unknown client/)
        await tab.getByLabel("Client id").fill("alice")
        await tab.getByLabel("API key").fill(key)
        await page.button("Save").click()
        await tab.getByTestId("ai-basic1").waitFor()
        await page.open("Play")
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
        assert.equal(await tab.evaluate(() => JSON.stringify(localStorage).includes("rk_")), false)
    },
)

scenario(
    "lists each AI with its state and options",
    { refusals: [401, 404] },
    async (page, tab) => {
        await page.open("AIs")
        await tab.getByLabel("Client id").fill("alice")
        await tab.getByLabel("API key").fill(key)
        await page.button("Save").click()
        const card = tab.getByTestId("ai-basic1")
        await card.getByRole("img", { name: "ready" }).waitFor()
        await card.locator("summary").click()
        await card.getByText("Options for Basic1").click()
        await until(
            async () => (await card.getByLabel("hash_mb").inputValue()) === "16",
            "hash_mb is 16 by default",
        )
        await until(() => card.getByLabel("quiescence").isChecked(), "quiescence is on by default")
        await card.getByText(/megabytes of memory.*1 to 1024/).waitFor()
        await page.picture("ais")
    },
)

scenario("lists the nodes that run an AI", { refusals: [401, 404] }, async (page, tab) => {
    await tab.route("**/v1/ais", async (route) => {
        const response = await route.fetch()
        if (!response.ok()) return route.fulfill({ response })
        const nodes = [
            { name: "gpu1", slots: 4, busy: 1 },
            { name: "anna", slots: 1, busy: 0 },
        ]
        await route.fulfill({
            response,
            json: (await response.json()).map((ai) => ({ ...ai, nodes })),
        })
    })
    await page.open("AIs")
    await tab.getByLabel("Client id").fill("alice")
    await tab.getByLabel("API key").fill(key)
    await page.button("Save").click()
    await tab.getByTestId("ai-basic1").locator("summary").click()
    await tab
        .getByTestId("ai-basic1")
        .getByText("on gpu1 (1 of 4 busy), anna (0 of 1 busy)")
        .waitFor()
})

scenario(
    "requests the list of AIs once, then revalidates it by its tag",
    { refusals: [401, 404] },
    async (page, tab) => {
        const requests = []
        tab.on("request", (request) => request.url().endsWith("/v1/ais") && requests.push(request))
        await page.hasHeadline(/^Unknown client/)
        await tab.goto("about:blank")
        requests.length = 0
        await tab.goto(currentServer().address)
        await page.hasHeadline(/^Unknown client/)
        assert.equal(requests.length, 1)
        await page.open("AIs")
        await tab.getByLabel("Client id").fill("alice")
        await tab.getByLabel("API key").fill(key)
        requests.length = 0
        await page.button("Save").click()
        await tab.getByTestId("ai-basic1").waitFor()
        assert.equal(requests.length, 1)
        const tools = await tab.context().newCDPSession(tab)
        await tools.send("Network.enable")
        let isRevalidated = false
        tools.on(
            "Network.responseReceivedExtraInfo",
            ({ statusCode }) => (isRevalidated ||= statusCode === 304),
        )
        await until(() => requests.length === 2 && isRevalidated, "the list is polled")
    },
)

const states = ["starting", "ready", "busy", "draining", "failed", "quarantined"]

scenario(
    "an AI's state is not shown by colour alone",
    { refusals: [401, 404] },
    async (page, tab) => {
        await tab.route("**/v1/ais", async (route) => {
            const response = await route.fetch()
            if (!response.ok()) return route.fulfill({ response })
            const [ai] = await response.json()
            await route.fulfill({
                response,
                json: states.map((state) => ({ ...ai, id: state, state })),
            })
        })
        await page.open("AIs")
        await tab.getByLabel("Client id").fill("alice")
        await tab.getByLabel("API key").fill(key)
        await page.button("Save").click()
        await tab.getByTestId("ai-quarantined").waitFor()
        const dots = await tab.locator(".panel .state").evaluateAll((dots) =>
            dots.map((dot) => {
                const { borderRadius, borderWidth, height, transform } = getComputedStyle(dot)
                return {
                    label: dot.ariaLabel,
                    shape: [borderRadius, borderWidth, height, transform].join(),
                }
            }),
        )
        assert.equal(new Set(dots.map(({ label }) => label)).size, states.length)
        // Bars mark AIs that are starting or draining, diamonds failed ones, circles the others.
        assert.deepEqual(
            dots.map(({ shape }) => dots.findIndex((other) => other.shape === shape)),
            [0, 1, 2, 0, 4, 4],
        )
    },
)

scenario("retries a rate-limited request", { refusals: [401, 404, 429] }, async (page, tab) => {
    await page.open("AIs")
    await tab.getByLabel("Client id").fill("slow")
    await page.button("Save").click()
    await page.open("Play")
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("e4", "e5", "Nf3")
    await page.hasPlayed("e4", "e5", "Nf3")
})
