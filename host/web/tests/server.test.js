// Which AIs the server has, and who may ask them.

import { createHash } from "node:crypto"
import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

const key = "rk_0123456789abcdef0123456789abcdef"
const sum = createHash("sha256").update(key).digest("hex")

withServer({ clients: `\n[client.alice]\nai = "quick"\napi_key_sha256 = "${sum}"\n[client.slow]\nai = "quick"\nrate = "3/s burst 2"\n` })

scenario("who has no name here is told so, and gets in with name and key", { refusals: [401] }, async (page, tab) => {
    await page.tab("AIs")
    await page.says(/^Unknown client/)
    await tab.getByLabel("Client id").fill("alice")
    await tab.getByLabel("API key").fill(key)
    await page.button("Save").click()
    await tab.getByTestId("ai-basic1").waitFor()
    await page.tab("Play")
    await page.says(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    assert.equal(await tab.evaluate(() => JSON.stringify(localStorage).includes("rk_")), false)
})

scenario("each AI is listed with its state and its options as its schema has them", { refusals: [401] }, async (page, tab) => {
    await page.tab("AIs")
    await tab.getByLabel("Client id").fill("alice")
    await tab.getByLabel("API key").fill(key)
    await page.button("Save").click()
    const card = tab.getByTestId("ai-basic1")
    await card.getByRole("img", { name: "ready" }).waitFor()
    await card.getByText("Options of Basic1").click()
    await until(async () => (await card.getByLabel("hash_mb").inputValue()) === "16", "hash_mb is 16 by default")
    await until(() => card.getByLabel("quiescence").isChecked(), "quiescence is on by default")
    await card.getByText(/megabytes of memory.*1 to 1024/).waitFor()
    await page.picture("ais")
})

scenario("who asks too often waits and goes on", { refusals: [401, 429] }, async (page, tab) => {
    await page.tab("AIs")
    await tab.getByLabel("Client id").fill("slow")
    await page.button("Save").click()
    await page.tab("Play")
    await page.says(/^Your move$/)
    await page.players("", "")
    await page.write("e4", "e5", "Nf3")
    await page.hasPlayed("e4", "e5", "Nf3")
})
