// Opponents of known strength, and game seeds.

import assert from "node:assert/strict"
import { currentServer, scenario, withServer } from "./browser.js"

withServer({
    clients: `
[ai.nnue1]
library = "ai_nnue1"
limit = { movetime_ms = 1000 }
overridable_options = ["elo", "seed", "book_seed"]

[ai.seeded]
library = "seeded"
limit = { depth = 1 }
overridable_options = ["elo", "seed", "book_seed"]

[client.default]
ai = "basic1"
`,
    levels: `
[level]
top = { name = "Top", elo = 2800, ai = "seeded", limit = { nodes = 900 } }
tourist = { name = "Tourist", elo = 1010, elo_error = 60, scale = "CCRL Blitz, engines", ai = "seeded", options = { elo = 1010 } }
member = { name = "Member", elo = 1190, ai = "seeded", options = { elo = 1190 } }
starter = { name = "Starter", elo = 640, ai = "basic1", limit = { depth = 1 } }
fair = { name = "Fair opponent", elo = 1300, ai = "nnue1", options = { elo = 1300 } }
captain = { name = "Captain", elo = 1420, ai = "seeded", options = { elo = 1420 } }
`,
})

/** Collects the requests for best moves. */
function requestsOf(tab) {
    const requests = []
    tab.on(
        "request",
        (request) =>
            request.url().endsWith("/v1/best-move") && requests.push(request.postDataJSON()),
    )
    return requests
}

const seedsOf = ({ options }) => [options.seed, options.book_seed]

scenario(
    "opponents come from the server, and newcomers start near 1100 Elo",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        const requests = requestsOf(tab)
        const tile = (name) => tab.getByRole("radio", { name, exact: true })
        // 1010 and 1190 are equally close, and the weaker level is preferred.
        assert.ok(await tile("Tourist 1010 ± 60").isChecked())
        // The error and the scale are shown if known.
        await tab.getByText("Opponent and approximate Elo (CCRL Blitz, engines)").waitFor()
        const expected = [
            ["Starter 640", { ai: "basic1", limit: { depth: 1 }, elo: undefined }],
            ["Tourist 1010 ± 60", { ai: "seeded", limit: { depth: 1 }, elo: 1010 }],
            ["Member 1190", { ai: "seeded", limit: { depth: 1 }, elo: 1190 }],
            ["Top 2800", { ai: "seeded", limit: { nodes: 900 }, elo: undefined }],
        ]
        for (const [name, sent] of expected) {
            await tile(name).check()
            requests.length = 0
            await page.button("Start").click()
            await page.press("e2", "e4")
            await page.plays(2)
            await page.button("New game").click()
            const [{ ai, limit, options }] = requests
            assert.deepEqual({ ai, limit, elo: options?.elo }, sent)
        }
    },
)

scenario("plays several moves at the level nearest 1290 Elo", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.getByRole("radio", { name: "Fair opponent 1300" }).check()
    const requests = requestsOf(tab)
    // The user plays any legal moves, because the opponent's moves depend on its seed.
    for (let count = 2; count <= 12; count += 2) {
        await page.acceptsMoves()
        const played = await page.played()
        assert.equal(played.length, count - 2)
        const reply = await tab.request.post(`${currentServer().address}/v1/legal-moves`, {
            data: { game: { san: played } },
        })
        const { moves } = await reply.json()
        const quiet = moves.find(({ san }) => /^[a-h]\d$/.test(san)) ?? moves[0]
        await page.write(quiet.san)
        await page.plays(count)
    }
    assert.equal(requests.length, 6)
    assert.equal(new Set(requests.map((request) => JSON.stringify(seedsOf(request)))).size, 1)
    for (const { ai, options, limit } of requests)
        assert.deepEqual([ai, options.elo, limit], ["nnue1", 1300, { movetime_ms: 1000 }])
    await page.picture("level")
})

scenario("each game has a new seed, which survives a reload", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const requests = requestsOf(tab)
    await page.press("e2", "e4")
    await page.plays(2)
    await tab.reload()
    await page.plays(2)
    await page.hasText(tab.getByTestId("player-black"), /^Tourist\s*1010/)
    await page.acceptsMoves()
    await page.press("d2", "d4")
    await page.plays(4)
    const [first, second] = requests.map(seedsOf)
    assert.deepEqual(second, first)
    assert.equal(requests[1].options.elo, 1010)
    assert.ok(first.every(Number.isInteger) && first[1] >= 0 && first[1] <= 1000, `${first}`)
    const seeds = new Set([first.join()])
    for (let game = 0; game < 3; game += 1) {
        await page.button("New game").click()
        await page.button("Start").click()
        await page.press("e2", "e4")
        await page.plays(2)
        seeds.add(seedsOf(requests.at(-1)).join())
    }
    assert.equal(seeds.size, 4)
})

scenario("the user's options for an AI override its levels", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const requests = requestsOf(tab)
    await page.openTechnical()
    const options = tab.getByTestId("options-seeded")
    await options.locator("summary").first().click()
    const set = async (name, value) => {
        await options.getByLabel(name, { exact: true }).fill(value)
        await options.getByLabel(name, { exact: true }).press("Enter")
    }
    await set("seed", "7")
    await options.getByText("1 changed").waitFor()
    await tab.getByRole("radio", { name: "Member 1190" }).check()
    await page.press("e2", "e4")
    await page.plays(2)
    await page.button("New game").click()
    // The user's value overrides the level's.
    await page.openTechnical()
    await options.locator("summary").first().click()
    await set("elo", "2000")
    await page.press("e2", "e4")
    await page.plays(2)
    assert.deepEqual(
        requests.map(({ options: { elo, seed } }) => [elo, seed]),
        [
            [1190, 7],
            [2000, 7],
        ],
    )
})

scenario("a level's options are not sent to another AI", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const requests = requestsOf(tab)
    await page.players("", "quick")
    await page.press("e2", "e4")
    await page.plays(2)
    assert.equal(requests[0].options, undefined)
    assert.equal(requests[0].ai, "quick")
})

scenario("without server levels, an AI plays at several depths", {}, async (page, tab) => {
    await tab.route("**/v1/levels", (route) => route.fulfill({ json: { levels: [] } }))
    await tab.goto(currentServer().address)
    await page.hasHeadline(/^Your move$/)
    assert.ok(await tab.getByRole("radio", { name: "Level 4" }).isChecked())
    await tab.getByRole("radio", { name: "Level 1", exact: true }).check()
    const requests = requestsOf(tab)
    await page.press("e2", "e4")
    await page.plays(2)
    assert.deepEqual([requests[0].ai, requests[0].limit], ["basic1", { depth: 1 }])
})
