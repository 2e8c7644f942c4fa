// The API page at /docs lists every operation and sends requests.

import assert from "node:assert/strict"
import { currentServer, accessibilityViolations, scenario, until, withServer } from "./browser.js"

withServer()

const docs = { path: "/docs" }

/** Opens an operation. */
async function open(tab, method, path) {
    const call = tab
        .locator("details.call")
        .filter({ has: tab.locator(`summary .method.${method}`) })
        .filter({ has: tab.locator("summary code").getByText(path, { exact: true }) })
    await call.locator("summary").first().click()
    const answer = call.locator(".answer")
    return {
        call,
        answer,
        body: call.getByRole("textbox", { name: "Request body" }),
        send: () => call.getByRole("button", { name: "Send" }).click(),
        status: (words) =>
            until(
                async () => words.test(await answer.innerText()),
                `the response matches ${words}`,
                () => answer.innerText(),
            ),
    }
}

scenario("shows every operation and lists it in the contents", docs, async (page, tab) => {
    const { paths } = await (await fetch(`${currentServer().address}/openapi.json`)).json()
    const documented = Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    assert.ok(documented.length > 10)
    const shown = () =>
        tab
            .locator("details.call > summary")
            .evaluateAll((calls) =>
                calls.map(
                    (call) => `${call.children[0].textContent} ${call.children[1].textContent}`,
                ),
            )
    await until(
        async () => (await shown()).toSorted().join() === documented.toSorted().join(),
        "every operation is shown",
        shown,
    )
    await page.counts("#contents a", documented.length)
    for (const words of ["API reference", "Server", "Unknown fields are rejected"])
        await tab.getByText(words).first().waitFor()
    await page.picture("docs")
})

scenario("sends a request and shows its response", docs, async (page, tab) => {
    const { status, send, answer } = await open(tab, "POST", "/v1/best-move")
    await send()
    await status(/^200 OK · application\/json/)
    const reply = JSON.parse(await answer.locator("pre").innerText())
    assert.match(reply.move.uci, /^[a-h][1-8][a-h][1-8]/)
    await page.picture("docs-answer")
})

scenario("shows a stream as it arrives, and can stop it", docs, async (page, tab) => {
    const { call, body, status, send, answer } = await open(tab, "POST", "/v1/best-move")
    await call.getByLabel("Response format").selectOption("application/x-ndjson")
    await send()
    await status(/^200 OK · application\/x-ndjson/)
    await status(/"type":"start"[^]*"type":"result"/)
    await body.fill('{"game": {}, "ai": "thorough"}')
    await send()
    await status(/"type":"info"/)
    await call.getByRole("button", { name: "Stop" }).click()
    await status(/^Stopped/)
    await call.getByRole("button", { name: "Send" }).waitFor()
    assert.doesNotMatch(await answer.innerText(), /"type":"result"/)
})

scenario("sends parameters in the URL and shows an image", docs, async (page, tab) => {
    const one = await open(tab, "GET", "/v1/ais/{id}")
    await one.call.getByLabel("id").fill("quick")
    await one.send()
    await one.status(/^200 OK[^]*"id": "quick"/)
    const board = await open(tab, "GET", "/v1/board.svg")
    await board.call.getByLabel("arrows").fill("e2e4")
    await board.send()
    await board.status(/^200 OK · image\/svg\+xml/)
    const image = board.answer.getByRole("img", { name: "Board" })
    await until(
        () => image.evaluate((image) => image.complete && image.naturalWidth > 0),
        "the image is loaded",
    )
})

scenario("shows an error response", { ...docs, refusals: [400, 401, 422] }, async (page, tab) => {
    const { call, body, send, status } = await open(tab, "POST", "/v1/validate")
    await body.fill('{"game": {"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}}')
    await send()
    await status(/^422 [^]*missing_king/)
    await call.locator(".status.bad").waitFor()
    await body.fill("{")
    await body.press("Control+Enter")
    await status(/^400 [^]*malformed_request/)
    await tab.getByLabel("Client id").fill("nobody")
    await body.fill('{"game": {}}')
    await send()
    await status(/^401 [^]*unknown_client/)
    await tab.getByLabel("Client id").fill("")
    await send()
    await status(/^200 OK/)
    await page.counts(".status.bad", 0)
})

scenario(
    "reports a missing API description and an unreachable server",
    { ...docs, refusals: [503], offline: true },
    async (page, tab) => {
        const { send, status } = await open(tab, "GET", "/healthz")
        await tab.route("**/healthz", (route) => route.abort())
        await send()
        await status(/^Request failed/)
        await tab.route("**/openapi.json", (route) => route.fulfill({ status: 503, body: "{}" }))
        await tab.reload()
        await tab
            .getByRole("alert")
            .getByText(/Could not load \/openapi\.json \(status 503\)/)
            .waitFor()
    },
)

scenario("the board and the API page link to each other", {}, async (page, tab) => {
    await tab.getByLabel("More", { exact: true }).click()
    await tab.getByRole("link", { name: "API" }).click()
    await tab.locator("details.call").first().waitFor()
    await tab.getByRole("link", { name: "Board", exact: true }).click()
    await page.hasHeadline(/^Your move$/)
})

scenario("a link opens its operation", { path: "/docs#compareAis" }, async (page, tab) => {
    const named = (id) => tab.locator(`details.call#${id}`)
    await until(() => named("compareAis").evaluate((call) => call.open), "the operation is open")
    await tab.locator("#contents a", { hasText: "/v1/reachable" }).click()
    await until(
        () => named("reachableSquares").evaluate((call) => call.open),
        "the other operation is open",
    )
    await until(
        () =>
            named("reachableSquares").evaluate(
                (call) => call.getBoundingClientRect().top < innerHeight,
            ),
        "it is visible",
    )
})

for (const [size, context] of Object.entries({
    phone: {
        viewport: { width: 360, height: 740 },
        deviceScaleFactor: 2,
        hasTouch: true,
        isMobile: true,
    },
    zoomed: { viewport: { width: 640, height: 430 }, deviceScaleFactor: 2 },
    desktop: { viewport: { width: 1280, height: 860 } },
})) {
    for (const colorScheme of ["light", "dark"]) {
        scenario(
            `the API page fits on a ${size} screen and is accessible in the ${colorScheme} theme`,
            { ...docs, ...context, colorScheme },
            async (page, tab) => {
                const { send, status } = await open(tab, "POST", "/v1/compare")
                await send()
                await status(/^200 OK/)
                await open(tab, "GET", "/v1/board.svg")
                await tab.evaluate(() =>
                    document
                        .querySelectorAll(".call[open] details.more")
                        .forEach((more) => (more.open = true)),
                )
                const width = await tab.evaluate(() => document.documentElement.scrollWidth)
                assert.ok(width <= context.viewport.width, `${width} px wide`)
                await tab.evaluate(() => scrollTo(0, 0))
                await page.picture(`docs-${size}-${colorScheme}`)
                assert.deepEqual(await accessibilityViolations(tab), [])
            },
        )
    }
}
