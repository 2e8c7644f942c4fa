// How a person's games start, which actions they offer, and how they end.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { accessibilityViolations, scenario, sizes, until, withServer } from "./browser.js"
import { repository } from "./server.js"

withServer()

const radio = (tab, name) => tab.getByRole("radio", { name, exact: true })
const action = (tab, name) => tab.locator(`[data-action=${name}]`)

test("each opponent face is at most 400 bytes", () => {
    const sprite = readFileSync(join(repository, "host/web/src/faces.svg"), "utf8")
    const faces = sprite.split("\n").filter((line) => line.includes('id="face-'))
    assert.equal(faces.length, 11)
    for (const face of faces) assert.ok(Buffer.byteLength(face.trim()) <= 400, face)
})

scenario(
    "a beginner starts a game with one click, and sees one heading and one main button",
    { firstVisit: true },
    async (page, tab) => {
        const card = tab.getByRole("region", { name: "New game" })
        await card.getByRole("button", { name: "Start" }).waitFor()
        assert.equal(await tab.locator("h1").count(), 1)
        assert.equal(await tab.locator(".primary:visible").count(), 1)
        assert.deepEqual(await accessibilityViolations(tab), [])
        await page.button("Start").click()
        await card.waitFor({ state: "detached" })
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
    },
)

scenario("Start is visible below the board on a phone", sizes.phone, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const start = await page.button("Start").boundingBox()
    const bar = await tab.getByRole("group", { name: "Game navigation" }).boundingBox()
    assert.ok(start.y + start.height <= bar.y, `${start.y} above ${bar.y}`)
    assert.ok(start.height >= 40)
})

scenario("preselects the last opponent, clocks and side", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.getByRole("radio", { name: /^Level 4/ }).check()
    await radio(tab, "3+2").check()
    await radio(tab, "Black").check()
    await page.picture("new-game")
    const other = await tab.context().newPage()
    await tab.close()
    await other.goto(new URL("/", tab.url()).href)
    const chosen = () =>
        other
            .locator(".new-game :checked")
            .evaluateAll((radios) => radios.map(({ labels }) => labels[0].innerText.trim()))
    await until(
        async () =>
            (await chosen()).join().replace(/\s+/g, " ") === "Level 4 1650,3+2,Standard,Black",
        "the last choices are selected",
        chosen,
    )
})

scenario("an AI with White waits for Start, even after a reload", {}, async (page, tab) => {
    const requests = []
    tab.on("request", (request) => requests.push(request.url()))
    const asked = () => requests.filter((url) => url.endsWith("/v1/best-move")).length
    await page.hasHeadline(/^Your move$/)
    await radio(tab, "Black").check()
    await page.hasHeadline(/^Press Start to begin$/)
    await tab.reload()
    await page.hasHeadline(/^Press Start to begin$/)
    assert.equal(asked(), 0)
    const release = await page.holdAnswers()
    await page.button("Start").click()
    await page.hasHeadline(/is thinking$/)
    await tab.reload()
    await page.hasHeadline(/is thinking$/)
    release()
    await page.plays(1)
})

scenario("a first move starts the game with the current choices", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.getByRole("radio", { name: /^Level 3/ }).check()
    await radio(tab, "10+5").check()
    const request = tab.waitForRequest("**/v1/best-move")
    await page.press("e2", "e4")
    const { limit, clocks } = (await request).postDataJSON()
    assert.deepEqual(limit, { depth: 2 })
    assert.equal(clocks.black_ms, 600_000)
    await page.counts(".new-game", 0)
})

scenario("a game and its rematch start from a Chess960 position", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await radio(tab, "Chess960").check()
    await page.pieces(32)
    const rank = () =>
        tab.locator("[data-testid=board] .pieces g[data-square$='1']").evaluateAll((pieces) =>
            pieces
                .map((piece) => piece.dataset.square + piece.dataset.piece)
                .sort()
                .join(),
        )
    const before = await rank()
    await page.press("a2", "a3")
    await page.plays(2)
    await action(tab, "resign").click()
    await page.button("Yes").click()
    await page.button("Rematch").click()
    await page.plays(1)
    await page.button("Go to start").click()
    await until(async () => (await rank()) === before, "the pieces are the same", rank)
})

scenario(
    "a game starts from an analysed position with the same opponent",
    { path: "/#moves=e2e4%20e7e5%20g1f3" },
    async (page, tab) => {
        await page.plays(3)
        await tab.getByLabel("More about this game").click()
        await page.button("Play from here").click()
        assert.ok(await radio(tab, "This position").isChecked())
        await page.hasText(tab.getByTestId("player-black"), /^Level 2/)
        await radio(tab, "Standard").check()
        await page.has("e4", null)
        await radio(tab, "This position").check()
        await page.has("e4", "wp")
        await radio(tab, "Black").check()
        await page.press("b8", "c6")
        await page.plays(2)
    },
)

scenario("shows the strongest AI's hint once", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.button("Start").click()
    const request = tab.waitForRequest("**/v1/best-move")
    await page.button("Hint").click()
    const { analysis, ai } = (await request).postDataJSON()
    assert.deepEqual([analysis, ai], [true, "basic1"])
    await tab.getByText(/^Hint: \S+$/).waitFor()
    await page.counts("[data-testid=board] .arrow", 1)
    await page.press("a2", "a3")
    await page.plays(2)
    await page.counts("[data-testid=board] .arrow", 0)
})

/** Gives every AI answer this score, from White's point of view. */
const withScore = (tab, cp) =>
    tab.route("**/v1/best-move", async (route) => {
        const response = await route.fetch()
        const records = (await response.text())
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        const last = records.at(-1)
        records[records.length - 1] = {
            ...last,
            score: { cp },
            search: { ...last.search, depth: 4, nodes: 100 },
        }
        await route.fulfill({
            response,
            body: records.map((record) => JSON.stringify(record)).join("\n") + "\n",
        })
    })

for (const [what, cp, words, ends] of [
    [
        "accepts a draw in a worse position",
        90,
        /^Level 2 accepts: its position is worse \(\+0\.90\)\.$/,
        true,
    ],
    [
        "declines a draw in a better position",
        -90,
        /^Level 2 declines: its position is better \(−0\.90\)\.$/,
        false,
    ],
    [
        "declines an early draw in an equal position",
        10,
        /^Level 2 declines: it accepts a draw in an equal position only after move 20\.$/,
        false,
    ],
]) {
    scenario(`an AI ${what}, and says so`, {}, async (page, tab) => {
        await withScore(tab, cp)
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
        await page.button("Offer draw").click()
        await tab.getByText(words).waitFor()
        await page.hasHeadline(ends ? /^Draw by agreement$/ : /^Your move$/)
    })
}

scenario("two people at one board agree on a draw", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("e4")
    await page.button("Offer draw").click()
    await tab.getByRole("group", { name: "Agree to a draw?" }).waitFor()
    await tab.keyboard.press("Escape")
    await page.button("Offer draw").click()
    await page.button("Yes").click()
    await page.hasHeadline(/^Draw by agreement$/)
    await page.open("Position")
    await page.button("PGN").click()
    const pgn = await tab.getByRole("textbox", { name: "PGN", exact: true }).inputValue()
    assert.match(pgn, /\[Result "1\/2-1\/2"\]/)
})

scenario(
    "a finished game offers only a review, a rematch and a new game",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.press("e2", "e4")
        await page.plays(2)
        await action(tab, "resign").click()
        await page.button("Yes").click()
        const over = tab.getByRole("group", { name: "Game over" })
        assert.deepEqual(await over.getByRole("button").allInnerTexts(), [
            "Review game",
            "Rematch",
            "New game",
        ])
        assert.equal(await tab.locator(".primary:visible").count(), 1)
        const colors = await page.headline.evaluate((headline) => [
            getComputedStyle(headline).color,
            getComputedStyle(document.body).color,
        ])
        assert.equal(colors[0], colors[1])
        assert.deepEqual(await accessibilityViolations(tab), [])
    },
)

scenario("a PGN contains the opponent's strength", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await page.open("Position")
    await page.button("PGN").click()
    const pgn = await tab.getByRole("textbox", { name: "PGN", exact: true }).inputValue()
    assert.match(pgn, /\[Black "Level 2 \(Basic1\)"\]\n\[BlackElo "1150"\]/)
    assert.doesNotMatch(pgn, /WhiteElo/)
})

scenario("by default, moves make a sound after the first click", {}, async (page, tab) => {
    await tab.evaluate(() => {
        window.tones = 0
        const start = OscillatorNode.prototype.start
        OscillatorNode.prototype.start = function (...parts) {
            window.tones += 1
            return start.apply(this, parts)
        }
    })
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await until(() => tab.evaluate(() => window.tones === 2), "both moves sound")
})
