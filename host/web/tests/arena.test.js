// The arena page, with stubbed replies.

import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { test } from "node:test"
import {
    accessibilityViolations,
    compressedSize,
    focusedByTab,
    forEachLook,
    scenario,
    until,
    withServer,
} from "./browser.js"
import {
    emptyLadder,
    end,
    endByFault,
    knightMove,
    largeLadder,
    nextGame,
    replaceArena,
    running,
    state,
    disturbedEnd,
} from "./arena-server.js"

const opening = "Sicilian Defense: Nyezhmetdinov-Rossolimo Attack, Fianchetto Variation"
const key = "rk_0123456789abcdef0123456789abcdef"
const sum = createHash("sha256").update(key).digest("hex")

withServer({
    clients: `\n[client.default]\nai = "basic1"\n[client.alice]\nai = "basic1"\napi_key_sha256 = "${sum}"\n`,
})

/** Defines a scenario with stubbed arena replies, which `replies` can change. */
function withArena(name, { path = "/arena", replies = {}, ...options }, play) {
    let requests
    const prepare = async (tab) => (requests = await replaceArena(tab, replies))
    scenario(name, { path, prepare, ...options }, (page, tab) => play(page, tab, requests))
}

const heading = (tab, name) => tab.getByRole("heading", { level: 1, name, exact: true })
const table = (tab, name) => tab.getByRole("region", { name, exact: true })
const send = (tab, ...records) => tab.evaluate((records) => window.live.send(...records), records)
const isConnected = (tab, count) =>
    until(
        () => tab.evaluate((count) => window.live.connections === count, count),
        `the stream is opened ${count} times`,
    )
const enterKey = async (tab) => {
    await tab.evaluate((key) => {
        localStorage.setItem("client", "alice")
        sessionStorage.setItem("key", key)
    }, key)
    await tab.reload()
}

scenario(
    "if the server has no arena, explains what it is and how to start it",
    { path: "/arena", refusals: [404] },
    async (page, tab) => {
        await heading(tab, "Arena").waitFor()
        await tab.getByText("This server has no arena.").waitFor()
        for (const command of [
            'file = "arena.db"',
            "rookery serve --arena arena.db",
            "make run ARENA=1",
        ])
            await tab.getByText(command).waitFor()
        assert.deepEqual(await accessibilityViolations(tab), [])
        await page.picture("arena-none")
    },
)

withArena(
    "an arena without games says why it is waiting",
    { replies: { shown: emptyLadder } },
    async (page, tab) => {
        await tab.getByText("No games yet.").waitFor()
        await page.hasText(tab.getByTestId("state"), /^Waiting: A client is using an AI$/)
        await page.counts("tbody tr", 4, table(tab, "Ladder"))
        await tab
            .getByText("Without an anchor, ratings are relative to an average of 1500.")
            .waitFor()
        await page.counts(".crosstable", 0)
    },
)

withArena("the ladder draws every rating with its error on one scale", {}, async (page, tab) => {
    const rows = table(tab, "Ladder").locator("tbody tr")
    await page.counts("tbody tr", 4, table(tab, "Ladder"))
    const texts = (await rows.first().locator("td, th").allInnerTexts()).map((text) =>
        text.replace(/\s+/g, " ").trim(),
    )
    assert.deepEqual(texts, [
        "1",
        "nnue1,elo=1500 The AI nnue1 · version 2",
        "1600 ± 100",
        "",
        "120",
        "55%",
        "12",
        "0",
        "87%",
    ])
    await page.hasText(rows.nth(1), /anchor/)
    await page.hasText(rows.nth(3), /resting until [^]*–/)
    const bars = await rows.evaluateAll((rows) => {
        const middle = ({ left, right }) => (left + right) / 2
        return rows.slice(0, 3).map((row) => {
            const [bar, point] = [
                row.querySelector(".error").getBoundingClientRect(),
                row.querySelector("circle").getBoundingClientRect(),
            ]
            return { place: middle(point), width: bar.width, offset: middle(bar) - middle(point) }
        })
    })
    const perElo = (bars[0].place - bars[1].place) / 100
    const isNear = (found, expected) =>
        assert.ok(Math.abs(found - expected) < 1.5, `${found} is not ${expected}`)
    isNear(bars[1].place - bars[2].place, 200 * perElo)
    for (const [index, error] of [100, 50, 25].entries()) {
        isNear(bars[index].width, 2 * error * perElo)
        isNear(bars[index].offset, 0)
    }
    await page.counts(".error", 0, rows.nth(3))
})

withArena(
    "a crosstable cell opens the games of its pair, and arrow keys move between cells",
    {},
    async (page, tab, requests) => {
        const crosstable = table(tab, "Crosstable")
        const cell = crosstable.getByRole("link", {
            name: "58%: nnue1,elo=1500 against basic1, 3 wins, 1 draw, 2 losses",
        })
        assert.equal((await cell.innerText()).trim(), "58·")
        await page.counts("td a[tabindex='0']", 1, crosstable)
        await cell.focus()
        await tab.keyboard.press("ArrowRight")
        await crosstable.locator("a:focus").getByText("92").waitFor()
        await tab.keyboard.press("ArrowDown")
        await page.hasText(crosstable.locator("a:focus"), /^100/)
        await cell.click()
        await heading(tab, "Games").waitFor()
        await until(
            () => requests.includes("GET /v1/arena/games?player=7&opponent=9&limit=50"),
            "the games are requested",
            () => requests.join(),
        )
        assert.equal(await tab.getByLabel("Player", { exact: true }).inputValue(), "7")
        await tab.goBack()
        await heading(tab, "Arena").waitFor()
        assert.equal(await tab.evaluate(() => document.activeElement.tagName), "H1")
    },
)

withArena(
    "running games show each move and return after a lost connection",
    {},
    async (page, tab, requests) => {
        await isConnected(tab, 1)
        await send(tab, state("playing", null), running)
        const board = tab.getByTestId("game-5")
        await board
            .getByRole("img", { name: "nnue1,elo=1500 (version 2) against basic1, after 1… e5" })
            .waitFor()
        await page.hasText(board.getByRole("timer", { name: "Black’s clock: 1:05" }), /^1:05$/)
        await send(tab, knightMove)
        await page.hasText(board.locator(".last-move"), /^2\. Nf3\s*\+0\.34\s*depth 7$/)
        await page.hasText(board.getByRole("timer", { name: "White’s clock: 0:08.9" }), /^0:08\.9$/)
        await page.counts("use[href='#wn'][x='200'][y='200']", 1, board)
        await page.counts(".side-of-game.to-move", 1, board)
        const before = requests.filter((request) => request === "GET /v1/arena").length
        await send(tab, end)
        await page.hasText(board.locator(".last-move"), /^Black wins by checkmate$/)
        await page.hasText(
            tab.getByTestId("announcement"),
            /^basic1 beat nnue1,elo=1500 \(version 2\) by checkmate$/,
        )
        await until(
            () => requests.filter((request) => request === "GET /v1/arena").length > before,
            "the ladder is requested again",
        )
        await send(tab, nextGame)
        await tab.getByTestId("game-6").waitFor()
        await page.counts("[data-testid=game-5]", 0)
        await tab.evaluate(() => window.live.close())
        await isConnected(tab, 2)
        await send(tab, state("paused", "the disk is full"), { ...running, game: 1 })
        await tab.getByTestId("game-1").waitFor()
        await page.counts(".running-game", 1)
        await page.hasText(tab.getByTestId("state"), /^Paused: The disk is full$/)
        await page.counts("[data-testid=lost]", 0)
    },
)

withArena(
    "requests the ladder once for several games that end within a second",
    {},
    async (page, tab, requests) => {
        await page.stopTime()
        await tab.reload()
        // Effects wait for a frame.
        await tab.clock.runFor(100)
        await isConnected(tab, 1)
        await page.counts("tbody tr", 7)
        const count = () => requests.filter((request) => request === "GET /v1/arena").length
        const before = count()
        for (const game of [5, 6]) await send(tab, { ...running, game }, { ...end, game })
        await page.counts(".running-game .last-move:has-text('wins')", 1)
        await tab.clock.runFor(1000)
        await until(() => count() > before, "the ladder is requested again")
        await tab.clock.runFor(1000)
        assert.equal(count(), before + 1)
    },
)

withArena("reports an interrupted game as still running", {}, async (page, tab) => {
    await isConnected(tab, 1)
    await send(tab, running, disturbedEnd)
    const words =
        /^The game between nnue1,elo=1500 \(version 2\) and basic1 was interrupted; its last move is being replayed$/
    await page.hasText(
        tab.getByTestId("game-5").locator(".last-move"),
        /^Interrupted: replaying the last move$/,
    )
    await page.hasText(tab.getByTestId("announcement"), words)
})

withArena("announces a win by a fault of the opponent", {}, async (page, tab) => {
    await isConnected(tab, 1)
    await send(tab, running, endByFault)
    await page.hasText(
        tab.getByTestId("announcement"),
        /^basic1 beat nnue1,elo=1500 \(version 2\) by a fault of the opponent$/,
    )
})

withArena(
    "a cut-off crosstable says how many players it shows",
    { replies: { shown: largeLadder(45, 41) } },
    async (page, tab) => {
        await page.counts("tbody tr", 40, table(tab, "Crosstable"))
        await tab.getByText("Showing only the first 40 players.").waitFor()
    },
)

withArena(
    "a complete crosstable has no note about hidden players",
    { replies: { shown: largeLadder(45, 40) } },
    async (page, tab) => {
        await page.counts("tbody tr", 40, table(tab, "Crosstable"))
        await page.counts("text=Showing only the first 40 players.", 0)
    },
)

withArena(
    "a player's screen shows its record by colour, version curve and faults",
    {},
    async (page, tab) => {
        await table(tab, "Ladder").getByRole("link", { name: "nnue1,elo=1500" }).click()
        await heading(tab, "nnue1,elo=1500 (version 2)").waitFor()
        await until(
            async () => (await tab.title()) === "nnue1,elo=1500 (version 2) · Arena · Rookery",
            "the title is the player's",
        )
        const opponents = table(tab, "Opponents")
        await page.hasText(
            opponents.locator("tbody tr").first(),
            /^basic1\s+6\s+games against basic1\s+58%\s+2–0–1/,
        )
        await page.hasText(opponents.locator("tfoot tr"), /18\s+81%\s+8–0–1/)
        await tab
            .getByRole("img", { name: "Elo by version: version 1 1490 ± 60, version 2 1600 ± 100" })
            .waitFor()
        await page.hasText(table(tab, "Versions").locator("tbody tr").nth(1), /−33\s±\s50$/)
        await page.hasText(
            table(tab, "Faults").locator("tbody tr"),
            /^12\s+17\s+crashed\s+White\s+basic1\s+signal 11$/,
        )
        await table(tab, "Versions").getByRole("link", { name: "1", exact: true }).click()
        await heading(tab, "nnue1,elo=1500").waitFor()
        await tab.getByText("an earlier version").waitFor()
        await tab.goBack()
        await heading(tab, "nnue1,elo=1500 (version 2)").waitFor()
        await tab.goBack()
        await heading(tab, "Arena").waitFor()
    },
)

withArena(
    "filters and pages games, and Back returns to the previous page",
    { path: "/arena#/games" },
    async (page, tab, requests) => {
        const hasRequested = (path) =>
            until(
                () => requests.includes(`GET /v1/arena/games?${path}`),
                `${path} is requested`,
                () => requests.join("\n"),
            )
        await hasRequested("limit=50")
        assert.equal(await tab.getByLabel("Opponent").isDisabled(), true)
        await page.hasText(
            table(tab, "Games found").locator("tbody tr").first(),
            /^1234\s+nnue1,elo=1500 \(version 2\)\s+basic1\s+White wins by checkmate\s+Sicilian Defense: Nyezhmetdinov-Rossolimo Attack, Fianchetto Variation\s+41/,
        )
        await page.hasText(table(tab, "Games found"), /Draw by threefold repetition\s/)
        await tab.getByRole("link", { name: "Older games" }).click()
        await page.hasText(
            table(tab, "Games found"),
            /Black wins\s+White timed out at move 17\s[^]*White wins on time\s/,
        )
        const imported = table(tab, "Games found").locator("tbody tr")
        await page.hasText(imported.nth(2), /Draw by stalemate\s+–\s+41/)
        await page.hasText(imported.nth(3), /Black wins\s+–\s+41/)
        await tab.getByRole("link", { name: "Newest games" }).waitFor()
        await page.counts("a:has-text('Older games')", 0)
        await tab.goBack()
        await page.hasText(table(tab, "Games found"), /1234/)
        await tab.getByLabel("Player", { exact: true }).selectOption("nnue1,elo=1500 (version 2)")
        await hasRequested("player=7&limit=50")
        await tab.getByLabel("Opponent").selectOption("basic1")
        await tab.getByLabel("With a fault").check()
        await hasRequested("player=7&opponent=9&fault=true&limit=50")
        await tab.getByLabel("Opening").selectOption(opening)
        await tab.getByLabel("Result").selectOption("Drawn")
        await hasRequested("player=7&opponent=9&result=draw&fault=true&opening=17&limit=50")
        await tab.getByText("No games.").waitFor()
        await tab.reload()
        await tab.getByText("No games.").waitFor()
        assert.equal(await tab.getByLabel("With a fault").isChecked(), true)
    },
)

withArena(
    "opens a game on the board with players, clocks and evaluations",
    { path: "/arena#/games" },
    async (page, tab) => {
        await table(tab, "Games found")
            .getByRole("link", { name: "1234: open on the board" })
            .click()
        await page.hasHeadline(/^White wins by checkmate$/)
        await page.hasPlayed("e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#")
        await page.hasText(tab.getByTestId("player-white"), /^nnue1,elo=1500/)
        await tab.getByTestId("graph").waitFor()
        await page.button("Previous move").click()
        await page.hasText(tab.getByTestId("clock-black"), /^0:04\.0$/)
        await tab.getByRole("button", { name: /^#1: #1/ }).waitFor()
        await page.picture("arena-game")
    },
)

withArena(
    "reports a link to an unknown game",
    { path: "/#arena=99", refusals: [404] },
    async (page, tab) => {
        await page.hasText(
            tab.getByTestId("issues"),
            /^This server’s arena has no game 99; check the link$/,
        )
    },
)

scenario(
    "the board page and the arena link to each other",
    { refusals: [404] },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await tab.getByRole("link", { name: "Arena" }).click()
        await tab.waitForURL("**/arena")
        await heading(tab, "Arena").waitFor()
        await tab.getByRole("link", { name: "Play" }).click()
        await page.hasHeadline(/^Your move$/)
    },
)

withArena(
    "each place opens from the arena by link or keyboard, and keeps its game",
    { path: "/#moves=e2e4%20e7e5" },
    async (page, tab) => {
        const places = tab.getByRole("navigation", { name: "Places" })
        const isIn = (name) =>
            places
                .getByText(name, { exact: true })
                .and(tab.locator("[aria-current=page]"))
                .waitFor()
        await page.plays(2)
        const placeOfGame = await places.locator("[aria-current=page]").innerText()
        for (const name of ["Watch", "Analyse", "Play", placeOfGame]) {
            await places.getByRole("link", { name: "Arena" }).click()
            await heading(tab, "Arena").waitFor()
            await isIn("Arena")
            assert.deepEqual(await places.locator("> *").allInnerTexts(), [
                "Play",
                "Analyse",
                "Watch",
                "Arena",
                "AIs",
            ])
            await places.getByRole("link", { name }).focus()
            await tab.keyboard.press("Enter")
            await isIn(name)
            if (name === placeOfGame) await page.plays(2)
        }
    },
)

withArena(
    "a first visit from the arena opens the linked place",
    { firstVisit: true },
    async (page, tab) => {
        await tab
            .getByRole("navigation", { name: "Places" })
            .getByRole("link", { name: "Analyse" })
            .click()
        await tab.getByRole("region", { name: "Analysis" }).waitFor()
        await page.hasHeadline(/^White to move$/)
        await page.counts(".doors", 0)
    },
)

withArena(
    "offers pausing and rating only to clients with a key",
    {},
    async (page, tab, requests) => {
        await page.hasText(tab.getByTestId("state"), /^Playing$/)
        await page.counts("[role=group][aria-label='For admins']", 0)
        await enterKey(tab)
        assert.equal(
            await page
                .button("Pause")
                .evaluate((button) => getComputedStyle(button).transitionProperty),
            "none",
        )
        await page.button("Pause").click()
        await page.hasText(tab.getByTestId("state"), /^Paused: An admin paused it$/)
        await page.button("Resume").click()
        await page.hasText(tab.getByTestId("state"), /^Playing$/)
        await table(tab, "Ladder").getByRole("link", { name: "nnue1,elo=1500" }).click()
        await page.button("Rate this AI now").click()
        await tab
            .getByText(
                "Pairs with nnue1,elo=1500 (version 2) come first until its error is 60 or less.",
            )
            .waitFor()
        assert.deepEqual(
            requests.filter((request) => request.startsWith("POST")),
            ["POST /v1/arena/pause", "POST /v1/arena/resume", "POST /v1/arena/players/7/rate-now"],
        )
    },
)

withArena(
    "shows the server's error to clients that are not admins",
    { replies: { isAdmin: false }, refusals: [404] },
    async (page, tab) => {
        await enterKey(tab)
        await page.button("Pause").click()
        await page.hasText(
            tab.getByRole("alert"),
            /only clients with `admin = true` may control the arena/,
        )
        await page.hasText(tab.getByTestId("state"), /^Playing$/)
    },
)

forEachLook(withArena, "the arena fits and is accessible", async (page, tab, check) => {
    await enterKey(tab)
    await isConnected(tab, 1)
    await send(tab, running, knightMove, nextGame)
    await tab.getByTestId("game-6").waitFor()
    for (const [fragment, name] of [
        ["/", "Arena"],
        ["/players/7", "nnue1,elo=1500 (version 2)"],
        ["/games", "Games"],
    ]) {
        await tab.evaluate((fragment) => (location.hash = fragment), fragment)
        await heading(tab, name).waitFor()
        await tab.locator("tbody tr").first().waitFor()
        // Only the details for admins and the crosstable may be wider than a phone.
        const scrolling = await tab
            .locator(".scrolled")
            .evaluateAll((boxes) =>
                boxes
                    .filter(
                        (box) =>
                            box.scrollWidth > box.clientWidth &&
                            !box.querySelector(".details, .crosstable"),
                    )
                    .map((box) => box.innerText),
            )
        assert.deepEqual(scrolling, [])
        await check(`arena${fragment.replace(/\W/g, "")}`)
    }
})

withArena(
    "Tab reaches every control of the arena, and each shows its focus",
    {},
    async (page, tab) => {
        await page.counts("tbody tr", 7)
        const reached = await focusedByTab(tab, 25)
        for (const name of [
            "Play",
            "Analyse",
            "Watch",
            "Arena",
            "More",
            "Ladder",
            "Games",
            "nnue1,elo=1500",
            "Crosstable",
        ])
            assert.ok(reached.has(name), `${name} is not reached; ${[...reached]}`)
    },
)

test("the compressed arena page with its font is smaller than 55 kB", async () => {
    const weight = await compressedSize("/arena")
    assert.ok(weight > 10_000 && weight < 55_000, `${weight} bytes`)
})
