// Nothing is lost: saving, Recent, undo of replaced and deleted games, several tabs, and failing
// storage.

import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { accessibilityViolations, currentServer, scenario, until, withServer } from "./browser.js"

withServer()

const annotated =
    '[White "Anna"]\n[Black "Bo"]\n\n1. e4 {best by test} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1/2-1/2\n'
const entries = (tab) => tab.getByTestId("recent").locator("li")
const hasEntries = (tab, count) =>
    until(
        async () => (await entries(tab).count()) === count,
        `${count} entries are listed`,
        () => entries(tab).count(),
    )
const undo = (tab, what) => tab.getByRole("button", { name: `Undo: ${what}`, exact: true }).click()
/** Returns the games in the database. */
const storedPgns = (tab) =>
    tab.evaluate(async () => {
        const open = indexedDB.open("rookery")
        await new Promise((resolve) => (open.onsuccess = resolve))
        const all = open.result.transaction("contents").objectStore("contents").getAll()
        await new Promise((resolve) => (all.onsuccess = resolve))
        open.result.close()
        return all.result.map(({ pgn }) => pgn)
    })

const openPosition = async (tab) => {
    await tab.getByLabel("More about this game").click()
    await tab.getByRole("button", { name: "Open, paste or share" }).click()
}

/** Opens the page in another tab of the same browser. */
const openTab = async (tab) => {
    const other = await tab.context().newPage()
    await other.goto(new URL("/", tab.url()).href)
    return other
}
const isPlayed = (tab, ...sans) => {
    const played = () => tab.getByTestId("moves").locator("> li > button").allInnerTexts()
    return until(
        async () => (await played()).join(" ") === sans.join(" "),
        `${sans.join(" ")} is played`,
        played,
    )
}

scenario(
    "undoing a loaded game restores the previous game with its annotations",
    {},
    async (page, tab) => {
        await page.paste(annotated)
        await page.hasPlayed("e4", "e5", "Nf3", "Nc6")
        await page.paste("1. d4 d5")
        await page.hasPlayed("d4", "d5")
        await undo(tab, "Game loaded")
        await page.hasPlayed("e4", "e5", "Nf3", "Nc6")
        await page.hasText(page.moves, /best by test/)
        await page.hasText(tab.getByTestId("variation"), /c5/)
        await page.hasHeadline(/^Draw$/)
    },
)

scenario("loading a game leaves the game against an AI unchanged", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "quick")
    await page.press("e2", "e4")
    await page.plays(2)
    const [, reply] = await page.played()
    await page.paste("1. d4 d5")
    await page.hasPlayed("d4", "d5")
    await page.hasHeadline(/^White to move$/)
    await page.open("Play")
    await page.hasPlayed("e4", reply)
    await page.hasHeadline(/^Your move$/)
    await page.press("d2", "d4")
    await page.plays(4)
})

scenario("undo takes back moves first, then the loaded game", {}, async (page, tab) => {
    await page.paste("1. d4 d5")
    await page.hasPlayed("d4", "d5")
    await page.paste("1. e4")
    await page.hasPlayed("e4")
    await page.write("c5")
    await page.counts("[data-testid=notice-bar] button", 0)
    await page.button("Undo").click()
    await page.hasPlayed("e4")
    await tab.locator("body").press("Control+z")
    await page.hasPlayed("d4", "d5")
})

scenario(
    "undo restores a deleted line in its place",
    { path: "/#moves=e2e4 e7e5 g1f3" },
    async (page, tab) => {
        await page.plays(3)
        await page.moves.getByRole("button", { name: "e5", exact: true }).click()
        await tab.getByTestId("move-menu-button").click()
        await page.button("Delete from here").click()
        await page.hasPlayed("e4")
        await page.button("Undo").click()
        await page.hasPlayed("e4", "e5", "Nf3")
        await tab.locator('[data-ply="2"][aria-current]').waitFor()
    },
)

scenario(
    "the game survives another page, a reopened address and a closed tab",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "")
        await page.write("e4", "c5")
        await page.button("Previous move").click()
        await tab.getByLabel("More", { exact: true }).click()
        await tab.getByRole("link", { name: "API" }).click()
        await tab.waitForURL("**/docs")
        await tab.goto(new URL("/", tab.url()).href)
        await page.hasPlayed("e4", "c5")
        await tab.locator('[data-ply="1"][aria-current]').waitFor()
        await tab.goto(new URL("/", tab.url()).href)
        await page.hasPlayed("e4", "c5")
        const context = tab.context()
        const address = tab.url()
        await tab.close()
        const other = await context.newPage()
        await other.goto(address)
        await isPlayed(other, "e4", "c5")
        await other.getByLabel("Your move").fill("Nf3")
        await other.getByRole("button", { name: "Move", exact: true }).click()
        await isPlayed(other, "e4", "c5", "Nf3")
        await openPosition(other)
        await hasEntries(other, 1)
    },
)

scenario("a tab crash loses nothing", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("e4", "c5", "Nf3")
    await until(
        async () => (await storedPgns(tab)).join().includes("1. e4 c5 2. Nf3 *"),
        "the last move is stored",
        () => storedPgns(tab),
    )
    const other = await tab.context().newPage()
    // Blocks the last save, so the tab keeps only its earlier saves.
    await tab.evaluate(() =>
        addEventListener("pagehide", (event) => event.stopImmediatePropagation(), {
            capture: true,
        }),
    )
    const address = tab.url()
    await tab.close()
    await other.goto(address)
    await isPlayed(other, "e4", "c5", "Nf3")
})

scenario(
    "searches, opens, exports and deletes recent work, with undo",
    { refusals: [422] },
    async (page, tab) => {
        await page.paste(annotated)
        await page.hasPlayed("e4", "e5", "Nf3", "Nc6")
        await page.paste('[White "Cleo"]\n[Black "Dan"]\n\n1. d4 d5 *')
        await page.hasPlayed("d4", "d5")
        await page.open("Position")
        await page.button("Board editor").click()
        await page.button("Clear board").click()
        for (const [piece, square] of [
            ["white king", "e1"],
            ["black king", "e8"],
            ["white rook", "a1"],
        ]) {
            await page.button(piece).click()
            await page.square(square).click()
        }
        await page.button("Analyse from here").click()
        await page.pieces(3)
        await page.open("Position")
        await hasEntries(tab, 3)
        assert.match(
            await entries(tab).last().innerText(),
            /Anna – Bo[^]*1\/2-1\/2, \d{1,2} \w+ \d{4}/,
        )
        assert.equal(await entries(tab).first().locator("svg use").count(), 3)
        await page.picture("recent")
        assert.deepEqual(await accessibilityViolations(tab), [])
        const search = tab.getByLabel("Recent, in this browser only")
        await search.fill("anna")
        await hasEntries(tab, 1)
        await entries(tab).locator(".entry").click()
        await page.hasPlayed("e4", "e5", "Nf3", "Nc6")
        await page.hasText(tab.getByTestId("variation"), /c5/)
        await page.open("Position")
        await tab.getByRole("button", { name: /^Delete Anna – Bo/ }).click()
        await page.hasText(tab.getByTestId("recent"), /Nothing matches/)
        await search.fill("")
        await hasEntries(tab, 2)
        await undo(tab, "Anna – Bo deleted")
        await hasEntries(tab, 3)
        const [download] = await Promise.all([
            tab.waitForEvent("download"),
            page.button("Download all as PGN").click(),
        ])
        const pgn = await readFile(await download.path(), "utf8")
        assert.match(
            pgn,
            /best by test[^]*1\. d4 d5 \*[^]*\[FEN "4k3\/8\/8\/8\/8\/8\/8\/R3K3 w - - 0 1"\]/,
        )
        await page.button("Delete all").click()
        await hasEntries(tab, 0)
        await undo(tab, "3 deleted")
        await hasEntries(tab, 3)
    },
)

scenario(
    "an edited position survives a reload, and editing can then be cancelled",
    { refusals: [422] },
    async (page, tab) => {
        await page.open("Position")
        await page.button("Board editor").click()
        await page.button("Clear board").click()
        await page.pieces(0)
        await page.button("white king").click()
        await page.square("e1").click()
        await page.has("e1", "wk")
        await tab.reload()
        await page.pieces(1)
        await page.button("Cancel").click()
        await page.pieces(32)
        await undo(tab, "Board editor closed")
        await page.has("e1", "wk")
        await page.pieces(1)
    },
)

scenario("two tabs with the same game do not overwrite each other", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("e4", "c5")
    const other = await openTab(tab)
    // A second tab starts with a new game.
    await other.getByTestId("new-game").waitFor()
    await openPosition(other)
    await hasEntries(other, 1)
    await entries(other).locator(".entry").click()
    await isPlayed(other, "e4", "c5")
    await page.write("Nf3")
    await other.getByLabel("Your move").fill("c3")
    await other.getByRole("button", { name: "Move", exact: true }).click()
    await isPlayed(other, "e4", "c5", "c3")
    await openPosition(other)
    await hasEntries(other, 2)
    await page.write("d6")
    await page.open("Position")
    await hasEntries(tab, 2)
    await entries(tab).locator('.entry[aria-pressed="false"]').click()
    await page.hasPlayed("e4", "c5", "c3")
    await page.open("Position")
    await entries(tab).locator('.entry[aria-pressed="false"]').click()
    await page.hasPlayed("e4", "c5", "Nf3", "d6")
})

/** Stores a game as an older version of the page did. */
async function storeOldGame(tab) {
    await tab.goto(`${currentServer().address}/favicon.svg`)
    await tab.evaluate(async () => {
        const open = indexedDB.open("rookery", 1)
        open.onupgradeneeded = () => open.result.createObjectStore("games", { keyPath: "id" })
        await new Promise((resolve) => (open.onsuccess = resolve))
        const transaction = open.result.transaction("games", "readwrite")
        transaction.objectStore("games").put({
            id: "2026-01-02T03:04:05.000Z",
            text: '[White "You"]\n[Black "Basic1"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n',
            tags: {},
        })
        await new Promise((resolve) => (transaction.oncomplete = resolve))
        open.result.close()
    })
}

scenario(
    "keeps finished games of an older page version",
    { prepare: storeOldGame, refusals: [404] },
    async (page, tab) => {
        await page.hasPlayed("f3", "e5", "g4", "Qh4#")
        await page.hasHeadline(/^Black wins by checkmate$/)
        await page.open("Position")
        await hasEntries(tab, 1)
        await page.hasText(entries(tab).first(), /You – Basic1\s*0-1, 2 Jan 2026/)
    },
)

for (const colorScheme of ["light", "dark"]) {
    scenario(
        `Recent and a notice fit on a phone in the ${colorScheme} theme`,
        { viewport: { width: 360, height: 740 }, colorScheme },
        async (page, tab) => {
            await page.paste(annotated)
            await page.hasPlayed("e4", "e5", "Nf3", "Nc6")
            await page.paste("1. d4 d5")
            await page.hasPlayed("d4", "d5")
            await hasEntries(tab, 2)
            await tab.getByRole("button", { name: "Undo: Game loaded" }).waitFor()
            await tab.getByTestId("recent").scrollIntoViewIfNeeded()
            await page.picture(`recent-phone-${colorScheme}`)
            assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 360)
            assert.deepEqual(await accessibilityViolations(tab), [])
            // The last control of the page stays reachable below the notice.
            await page.button("Download PGN").click()
        },
    )
}

const forbid = (tab) =>
    tab.addInitScript(() => {
        const refuse = () => {
            throw new DOMException("forbidden", "SecurityError")
        }
        for (const name of ["localStorage", "sessionStorage"])
            Object.defineProperty(window, name, { get: refuse })
        IDBFactory.prototype.open = refuse
    })

scenario(
    "reports forbidden storage, and the page still works",
    { prepare: forbid },
    async (page, tab) => {
        await page.hasText(tab.getByTestId("notice-bar"), /does not let the page store/)
        await page.picture("storage-forbidden")
        await page.button("Close notice").click()
        await page.hasHeadline(/^Your move$/)
        await page.players("", "")
        await page.write("e4", "c5")
        await page.open("Position")
        await page.hasText(tab.getByTestId("recent"), /does not let the page store/)
    },
)

scenario("reports full storage, and saves again when there is room", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await tab.evaluate(() => {
        const { put } = IDBObjectStore.prototype
        let isFull = true
        window.makeRoom = () => (isFull = false)
        IDBObjectStore.prototype.put = function (value) {
            if (!isFull) return put.call(this, value)
            throw new DOMException("full", "QuotaExceededError")
        }
    })
    await page.write("e4")
    await page.hasText(tab.getByTestId("notice-bar"), /browser’s storage is full/)
    await tab.evaluate(() => window.makeRoom())
    await page.write("c5")
    await page.counts("[data-testid=notice-bar] .notice", 0)
    await page.open("Position")
    await hasEntries(tab, 1)
})

scenario("stores what did not fit after games are deleted", {}, async (page, tab) => {
    await page.paste(annotated)
    await page.hasPlayed("e4", "e5", "Nf3", "Nc6")
    await hasEntries(tab, 1)
    await tab.evaluate(() => {
        const { put, delete: remove } = IDBObjectStore.prototype
        let isFull = true
        IDBObjectStore.prototype.put = function (value) {
            if (!isFull) return put.call(this, value)
            throw new DOMException("full", "QuotaExceededError")
        }
        IDBObjectStore.prototype.delete = function (key) {
            isFull = false
            return remove.call(this, key)
        }
    })
    await page.paste("1. d4 d5")
    await page.hasPlayed("d4", "d5")
    await page.hasText(tab.getByTestId("notice-bar"), /browser’s storage is full/)
    await tab.getByRole("button", { name: /^Delete Anna – Bo/ }).click()
    await until(
        async () => /^[^]*1\. d4 d5 \*\n$/.test((await storedPgns(tab)).join()),
        "only the game that did not fit is stored",
        () => storedPgns(tab),
    )
    await page.hasText(tab.getByTestId("recent"), /Analysis/)
    await hasEntries(tab, 1)
})

scenario("undoes deleting several games even if another tab deleted one", {}, async (page, tab) => {
    await page.paste(annotated)
    await page.hasPlayed("e4", "e5", "Nf3", "Nc6")
    await page.paste("1. d4 d5")
    await page.hasPlayed("d4", "d5")
    await hasEntries(tab, 2)
    await tab.evaluate(async () => {
        const open = indexedDB.open("rookery")
        await new Promise((resolve) => (open.onsuccess = resolve))
        const transaction = open.result.transaction(["recent", "contents"], "readwrite")
        const all = transaction.objectStore("contents").getAll()
        await new Promise((resolve) => (all.onsuccess = resolve))
        const { id } = all.result.find(({ pgn }) => pgn.includes("d4"))
        for (const name of ["recent", "contents"]) transaction.objectStore(name).delete(id)
        await new Promise((resolve) => (transaction.oncomplete = resolve))
        open.result.close()
    })
    await page.button("Delete all").click()
    await hasEntries(tab, 0)
    await undo(tab, "2 deleted")
    await page.hasText(tab.getByTestId("recent"), /Anna – Bo/)
    await hasEntries(tab, 1)
    await page.counts("[data-testid=recent] .error-text", 0)
})

scenario(
    "stores a search at its end or when the tab closes, not at each depth",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "")
        await page.write("e4")
        await until(async () => (await storedPgns(tab)).length === 1, "the game is stored")
        await page.open("Analyse")
        await tab.locator(".choices").getByText("Basic1 (thorough)").click()
        await tab.locator(".choices").getByText("Basic1", { exact: true }).click()
        const depth = tab.getByTestId("answer-thorough").locator(".depth")
        const isDeeper = (than) =>
            until(
                async () => Number(/\d+/.exec(await depth.innerText())?.[0]) >= than,
                `depth ${than} is searched`,
                () => depth.innerText(),
            )
        await tab.evaluate(() => {
            const { put } = IDBObjectStore.prototype
            window.puts = []
            IDBObjectStore.prototype.put = function (value) {
                if (value.work) window.puts.push(value.work.analyses[0]?.[1].depth)
                return put.call(this, value)
            }
        })
        await page.analyse()
        await isDeeper(4)
        assert.deepEqual(await tab.evaluate(() => window.puts), [])
        await tab.evaluate(() => dispatchEvent(new Event("pagehide")))
        await until(
            async () => (await tab.evaluate(() => window.puts)).length === 1,
            "the search is stored",
        )
        await tab.getByRole("switch", { name: "Engine" }).uncheck()
        await until(
            async () => (await tab.evaluate(() => window.puts)).length === 2,
            "the end of the search is stored",
        )
        const depths = await tab.evaluate(() => window.puts)
        assert.ok(
            depths.every((found) => found >= 4),
            depths.join(),
        )
    },
)

/** Opens the page while an older version of it holds the database. */
async function keepOldVersion(tab) {
    await storeOldGame(tab)
    const old = await tab.context().newPage()
    await old.goto(`${currentServer().address}/favicon.svg`)
    await old.evaluate(() => {
        const open = indexedDB.open("rookery", 1)
        return new Promise((resolve) => (open.onsuccess = resolve)).then(() => undefined)
    })
}

scenario(
    "reports that an older page in another tab blocks saving",
    { prepare: keepOldVersion, refusals: [404] },
    async (page, tab) => {
        await page.hasText(
            tab.getByTestId("notice-bar"),
            /older version of this page is open in another tab/,
        )
        const [, old] = tab.context().pages()
        await old.close()
        await page.open("Position")
        await hasEntries(tab, 1)
        await page.counts("[data-testid=notice-bar] .notice", 0)
    },
)

scenario("distinguishes a storage failure from forbidden storage", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await tab.evaluate(() => {
        window.logged = []
        console.error = (error) => window.logged.push(String(error))
        IDBObjectStore.prototype.put = () => {
            throw new DOMException("the disk failed", "DataError")
        }
    })
    await page.write("e4")
    await page.hasText(tab.getByTestId("notice-bar"), /did not save the last change/)
    assert.deepEqual(await tab.evaluate(() => window.logged.slice(0, 1)), [
        "DataError: the disk failed",
    ])
})

scenario(
    "does not undo a deletion in another game",
    { path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await tab.getByTestId("move-menu-button").click()
        await page.button("Delete from here").click()
        await page.hasPlayed("e4")
        await page.open("Position")
        await hasEntries(tab, 1)
        await page.paste("1. d4")
        await page.hasPlayed("d4")
        // The game comes back first, then its line.
        await tab.locator("body").press("Control+z")
        await page.hasPlayed("e4")
        await tab.locator("body").press("Control+z")
        await page.hasPlayed("e4", "e5")
        await page.open("Position")
        await hasEntries(tab, 2)
        await tab.locator("body").press("Control+z")
        await page.hasPlayed("e4", "e5")
    },
)

scenario("does not list a game whose moves are all taken back", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await openPosition(tab)
    await hasEntries(tab, 1)
    await page.button("Undo").click()
    await page.plays(0)
    await hasEntries(tab, 0)
    await page.button("Redo").click()
    await page.plays(2)
    await hasEntries(tab, 1)
})

scenario(
    "the focus stays near a deleted or closed element",
    { path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.hasPlayed("e4", "e5")
        await page.paste("1. d4")
        await page.hasPlayed("d4")
        await page.paste("1. c4")
        await page.hasPlayed("c4")
        await hasEntries(tab, 3)
        const focused = () =>
            tab.evaluate(() => {
                const { activeElement: element } = document
                const within = element?.closest("[data-testid=recent]")
                    ? "recent"
                    : element?.tagName
                return `${within} ${element?.getAttribute("aria-label") ?? element?.textContent}`
            })
        await entries(tab)
            .nth(1)
            .getByRole("button", { name: /^Delete/ })
            .focus()
        await tab.keyboard.press("Enter")
        await hasEntries(tab, 2)
        assert.match(await focused(), /^recent /)
        await page.button("Delete all").focus()
        await tab.keyboard.press("Enter")
        await hasEntries(tab, 0)
        assert.doesNotMatch(await focused(), /^BODY/)
        await page.button("Close Open, paste or share").focus()
        await tab.keyboard.press("Enter")
        await page.counts("[data-testid=tool-position]", 0)
        assert.doesNotMatch(await focused(), /^BODY/)
    },
)
