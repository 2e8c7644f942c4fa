// The page of the document: every call is told, and can be made.

import assert from "node:assert/strict"
import { currentServer, findings, scenario, until, withServer } from "./browser.js"

withServer()

const docs = { path: "/docs" }

/** Opens a call, as somebody does who looks for it. */
async function open(tab, method, path) {
    const call = tab.locator("details.call").filter({ has: tab.locator(`summary .method.${method}`) }).filter({ has: tab.locator("summary code").getByText(path, { exact: true }) })
    await call.locator("summary").first().click()
    const answer = call.locator(".answer")
    return {
        call,
        answer,
        body: call.getByRole("textbox", { name: "Request body" }),
        send: () => call.getByRole("button", { name: "Send" }).click(),
        status: (words) => until(async () => words.test(await answer.innerText()), `the answer says ${words}`, () => answer.innerText()),
    }
}

scenario("every call of the document is shown, and stands in the contents", docs, async (page, tab) => {
    const { paths } = await (await fetch(`${currentServer().address}/openapi.json`)).json()
    const told = Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    assert.ok(told.length > 10)
    const shown = () => tab.locator("details.call > summary").evaluateAll((calls) => calls.map((call) => `${call.children[0].textContent} ${call.children[1].textContent}`))
    await until(async () => (await shown()).toSorted().join() === told.toSorted().join(), "every call is shown", shown)
    await page.counts("#contents a", told.length)
    await page.picture("docs")
})

scenario("a call of the document is made, and its answer shown", docs, async (page, tab) => {
    const { status, send, answer } = await open(tab, "POST", "/v1/best-move")
    await send()
    await status(/^200 OK · application\/json/)
    const reply = JSON.parse(await answer.locator("pre").innerText())
    assert.match(reply.move.uci, /^[a-h][1-8][a-h][1-8]/)
    await page.picture("docs-answer")
})

scenario("an answer that comes bit by bit is shown as it comes, and can be stopped", docs, async (page, tab) => {
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

scenario("parameters go into the address, and a picture is shown", docs, async (page, tab) => {
    const one = await open(tab, "GET", "/v1/ais/{id}")
    await one.call.getByLabel("id").fill("quick")
    await one.send()
    await one.status(/^200 OK[^]*"id": "quick"/)
    const board = await open(tab, "GET", "/v1/board.svg")
    await board.call.getByLabel("arrows").fill("e2e4")
    await board.send()
    await board.status(/^200 OK · image\/svg\+xml/)
    const image = board.answer.getByRole("img", { name: "Board" })
    await until(() => image.evaluate((image) => image.complete && image.naturalWidth > 0), "the picture is there")
})

scenario("what the host refuses is shown with its reasons", { ...docs, refusals: [400, 401, 422] }, async (page, tab) => {
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

scenario("a document that can't be read is said to be missing, and a server that is gone too", { ...docs, refusals: [503], offline: true }, async (page, tab) => {
    const { send, status } = await open(tab, "GET", "/healthz")
    await tab.route("**/healthz", (route) => route.abort())
    await send()
    await status(/^Request failed/)
    await tab.route("**/openapi.json", (route) => route.fulfill({ status: 503, body: "{}" }))
    await tab.reload()
    await tab.getByRole("alert").getByText(/Could not load \/openapi\.json \(status 503\)/).waitFor()
})

scenario("the board and the document lead to each other", {}, async (page, tab) => {
    await tab.getByRole("link", { name: "API" }).click()
    await tab.locator("details.call").first().waitFor()
    await tab.getByRole("link", { name: "Board", exact: true }).click()
    await page.says(/^Your move$/)
})

scenario("a link leads to its call", { path: "/docs#compare" }, async (page, tab) => {
    const named = (id) => tab.locator(`details.call#${id}`)
    await until(() => named("compare").evaluate((call) => call.open), "the call is open")
    await tab.locator("#contents a", { hasText: "/v1/reachable" }).click()
    await until(() => named("reachable").evaluate((call) => call.open), "the other is open, too")
    await until(() => named("reachable").evaluate((call) => call.getBoundingClientRect().top < innerHeight), "it is in sight")
})

for (const [size, context] of Object.entries({
    phone: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
    desktop: { viewport: { width: 1280, height: 860 } },
})) {
    for (const colorScheme of ["light", "dark"]) {
        scenario(`the document fits on a ${size} in ${colorScheme} colours, and everybody can read it`, { ...docs, ...context, colorScheme }, async (page, tab) => {
            const { send, status } = await open(tab, "POST", "/v1/compare")
            await send()
            await status(/^200 OK/)
            await open(tab, "GET", "/v1/board.svg")
            await tab.evaluate(() => document.querySelectorAll(".call[open] details.more").forEach((more) => (more.open = true)))
            const width = await tab.evaluate(() => document.documentElement.scrollWidth)
            assert.ok(width <= context.viewport.width, `${width} px wide`)
            await page.picture(`docs-${size}-${colorScheme}`)
            assert.deepEqual(await findings(tab), [])
        })
    }
}
