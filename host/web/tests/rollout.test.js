// The evidence for a candidate, in the profile of the AI that it may replace.

import { createHash } from "node:crypto"
import assert from "node:assert/strict"
import { accessibilityViolations, currentServer, scenario, withServer } from "./browser.js"

const key = "rk_0123456789abcdef0123456789abcdef"
const sum = createHash("sha256").update(key).digest("hex")

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

withServer({
    clients: `
[client.default]
ai = "basic1"

[client.boss]
ai = "bob"
admin = true
api_key_sha256 = "${sum}"

[ai.bob]
library = "ai_basic1"
limit = { depth = 1 }
candidate = "bob_2"
shadow = "100%"

[ai.bob_2]
library = "ai_basic1"
limit = { depth = 2 }
`,
})

scenario(
    "shows admins the evidence in the profiles of an AI and its candidate",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.open("AIs")
        await tab.getByTestId("ai-bob").locator("summary").first().click()
        await page.counts("[data-testid=rollout]", 0)
        for (const moves of [[], ["e2e4"]]) {
            const asked = await fetch(`${currentServer().address}/v1/best-move`, {
                method: "POST",
                headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
                body: JSON.stringify({ game: { fen: start, moves } }),
            })
            assert.equal(asked.status, 200, await asked.text())
        }
        await tab.getByLabel("Client id").fill("boss")
        await tab.getByLabel("API key").fill(key)
        await page.button("Save").click()
        const card = tab.getByTestId("ai-bob").getByTestId("rollout")
        await page.hasText(card, /may replace[^]*100% of requests[^]*Requests\s+2\s+0/)
        await page.hasText(card, /no arena[^]*Against promotion:[^]*min_requests/)
        assert.deepEqual(await accessibilityViolations(tab), [])
        await page.picture("rollout")
        await tab.getByTestId("ai-bob_2").locator("summary").first().click()
        await tab.getByTestId("ai-bob_2").getByTestId("rollout").waitFor()
    },
)
