// First visits to the arena page: font, languages, layout shifts while loading, game downloads,
// and the link back from a game.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
    accessibilityViolations,
    forEachLook,
    scenario,
    shiftsOf,
    slowLine,
    until,
    watchShifts,
    withServer,
} from "./browser.js"
import {
    end,
    endByFault,
    knightMove,
    ladder,
    nextGame,
    replaceArena,
    running,
    state,
} from "./arena-server.js"
import { repository } from "./server.js"

withServer({})

/** Defines a scenario with stubbed arena replies, which `replies` can change. */
function withArena(name, { path = "/arena", replies = {}, prepare, ...options }, play) {
    let requests
    const arrange = async (tab) => {
        requests = await replaceArena(tab, replies)
        await prepare?.(tab)
    }
    scenario(name, { path, prepare: arrange, ...options }, (page, tab) => play(page, tab, requests))
}

const table = (tab, name) => tab.getByRole("region", { name, exact: true })
const send = (tab, ...records) => tab.evaluate((records) => window.live.send(...records), records)
const isConnected = (tab) =>
    until(() => tab.evaluate(() => window.live.connections > 0), "the stream is open")

for (const [size, viewport] of [
    ["a desktop", { width: 1280, height: 860 }],
    ["a phone", { width: 360, height: 740 }],
])
    for (const fragment of ["#/", "#/players/7", "#/games"])
        withArena(
            `nothing moves on a slow first visit to ${fragment} on ${size}, and titles have their font`,
            {
                path: `/arena${fragment}`,
                firstVisit: true,
                viewport,
                prepare: async (tab) => {
                    await slowLine(tab)
                    await watchShifts(tab)
                },
            },
            async (page, tab) => {
                await tab.locator("tbody tr").first().waitFor()
                if (fragment === "#/") {
                    await isConnected(tab)
                    await send(tab, state("playing", null), running, nextGame)
                    await tab.getByTestId("game-6").waitFor()
                    await send(tab, knightMove, end)
                    await page.counts(".running-game .last-move:has-text('wins')", 1)
                    await send(tab, state("waiting", "the processor is busy with other work"))
                    await page.hasText(tab.getByTestId("state"), /^Waiting: The processor/)
                }
                assert.deepEqual(await shiftsOf(tab), [])
                const isDrawn = await tab.evaluate(() => {
                    const title = document.querySelector("h1")
                    const width = () => {
                        const range = document.createRange()
                        range.selectNodeContents(title)
                        return range.getBoundingClientRect().width
                    }
                    const before = width()
                    title.style.fontFamily = "Georgia, 'Liberation Serif', serif"
                    return width() !== before
                })
                assert.ok(isDrawn, "the title is in the fallback font")
            },
        )

withArena(
    "German states and results contain no English",
    { locale: "de-DE" },
    async (page, tab) => {
        await isConnected(tab)
        await tab.locator("tbody tr").first().waitFor()
        const source = readFileSync(join(repository, "host/extras/arena/src/shared.rs"), "utf8")
        const starter = readFileSync(join(repository, "host/extras/arena/src/arena.rs"), "utf8")
        for (const [reason, german] of [
            ["a client is using an AI", "Jemand benutzt gerade eine KI"],
            ["the processor is busy with other work", "Der Rechner ist anderweitig beschäftigt"],
            ["a candidate is being tested", "Ein Kandidat wird gerade getestet"],
            ["the players are starting", "Die Spieler starten"],
            ["an admin paused it", "Ein Administrator hat sie angehalten"],
            [
                "it cannot read or write its files; the log says why",
                "Sie kann ihre Dateien nicht lesen oder schreiben; das Protokoll nennt den Grund",
            ],
        ]) {
            assert.ok(`${source}${starter}`.includes(`"${reason}"`), `no server says “${reason}”`)
            await send(tab, state("waiting", reason))
            await page.hasText(tab.getByTestId("state"), new RegExp(`^Wartet: ${german}$`))
        }
        assert.ok(source.includes('"{able} of 2 players can play"'))
        await send(tab, state("waiting", "1 of 2 players can play"))
        await page.hasText(tab.getByTestId("state"), /^Wartet: 1 von 2 Spielern kann spielen$/)
        await send(tab, running, endByFault)
        await page.hasText(
            tab.getByTestId("announcement"),
            /^basic1 gewinnt gegen nnue1,elo=1500 \(Version 2\) durch einen Ausfall des Gegners$/,
        )
        await page.hasText(
            tab.getByTestId("game-5").locator(".last-move"),
            /^Schwarz gewinnt durch einen Ausfall des Gegners$/,
        )
    },
)

withArena(
    "reports an unknown player in German",
    { path: "/arena#/players/99", refusals: [404], locale: "de-DE" },
    async (page, tab) => {
        await page.hasText(tab.getByRole("alert"), /^Die Arena hat keinen Spieler 99\.$/)
    },
)

const [first, ...others] = ladder.players
const turning = { ...first, player: "\u05d0\u05d1\u05d2\u202e,elo=1500", name: "\u202eThe AI" }

withArena(
    "right-to-left names and direction marks leave the surrounding text unchanged",
    { replies: { shown: { ...ladder, players: [turning, ...others] } } },
    async (page, tab) => {
        await isConnected(tab)
        await send(tab, { ...running, white: { ...running.white, player: turning.player } }, end)
        const row = table(tab, "Ladder").locator("tbody tr").first()
        await page.hasText(row, /elo=1500[^]*The AI · version 2/)
        const announced = tab.getByTestId("announcement")
        await page.hasText(announced, /^basic1 beat \u2068[^]*\u2069 \(version 2\) by checkmate$/)
        assert.doesNotMatch(await tab.getByRole("main").innerText(), /[\u202a-\u202e]/)
        await page.counts("a > bdi", 1, row)
    },
)

withArena(
    "downloads all games of a player as one PGN",
    { path: "/arena#/players/7" },
    async (page, tab, requests) => {
        const loaded = tab.waitForEvent("download")
        await page.button("Download PGN").click()
        const file = await loaded
        assert.equal(file.suggestedFilename(), "nnue1_elo_1500_version_2_.pgn")
        const text = readFileSync(await file.path(), "utf8")
        assert.equal(text.match(/^\[Event /gm).length, 2)
        assert.match(text, /Qxf7# [^]*\[Event [^]*Qxf7# /)
        await tab.getByText("2 games downloaded").waitFor()
        assert.deepEqual(
            requests.filter((request) => request.includes("limit=200")),
            [
                "GET /v1/arena/games?player=7&limit=200",
                "GET /v1/arena/games?player=7&before=1233&limit=200",
            ],
        )
    },
)

withArena(
    "a game links back to the list of games that it was opened from",
    { path: "/arena#/games?player=7" },
    async (page, tab) => {
        await table(tab, "Games found")
            .getByRole("link", { name: "1234: open on the board" })
            .click()
        await tab.getByRole("link", { name: "Back to the arena" }).click()
        await until(
            () => new URL(tab.url()).hash === "#/games?player=7",
            "the games of the player are shown",
        )
        await table(tab, "Games found").waitFor()
        await tab.goBack()
        await tab.getByRole("link", { name: "Back to the arena" }).waitFor()
    },
)

withArena(
    "every arena screen fits its window at twice the text size",
    { viewport: { width: 640, height: 430 } },
    async (page, tab) => {
        for (const fragment of ["/", "/players/7", "/games"]) {
            await tab.evaluate((fragment) => (location.hash = fragment), fragment)
            await tab.locator("tbody tr").first().waitFor()
            const width = await tab.evaluate(() => document.documentElement.scrollWidth)
            assert.equal(width, 640, fragment)
        }
    },
)

withArena(
    "the current screen and both sides stand out in system colours",
    { forcedColors: "active" },
    async (page, tab) => {
        await isConnected(tab)
        await send(tab, running)
        await tab.getByTestId("game-5").waitFor()
        const looks = (selector) =>
            tab.locator(selector).evaluateAll((links) =>
                links.map((link) => {
                    const { backgroundColor, color } = getComputedStyle(link)
                    return `${color} on ${backgroundColor}`
                }),
            )
        const [ladder, games] = await looks(".screens > a")
        assert.notEqual(ladder, games)
        assert.deepEqual(await looks(".places > [aria-current]"), [ladder])
        const discs = await tab
            .locator(".side-of-game .disc")
            .evaluateAll((discs) => discs.map((disc) => getComputedStyle(disc).backgroundColor))
        assert.notEqual(discs[0], discs[1])
    },
)

forEachLook(
    withArena,
    "an arena without a running game reserves its place and is accessible",
    async (page, tab, check) => {
        await tab.getByText("No game running. The next one will appear here.").waitFor()
        const heightOf = () =>
            tab
                .locator(".running-games")
                .evaluate((games) => Math.round(games.getBoundingClientRect().height))
        const before = await heightOf()
        await check("arena-waits")
        await isConnected(tab)
        await send(tab, running)
        await tab.getByTestId("game-5").waitFor()
        assert.equal(await heightOf(), before)
        assert.deepEqual(await accessibilityViolations(tab), [])
    },
)
