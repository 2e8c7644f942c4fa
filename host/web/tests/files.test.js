// Files of games: opened, dropped and downloaded.

import assert from "node:assert/strict"
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"
import { scenario, until, withServer } from "./browser.js"

withServer()

const fools = '[White "Anna"]\n[Black "Bo"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
const several = [
    ["Anna", "Bo", "1-0", "e4"],
    ["Cleo", "Dan", "0-1", "d4"],
    ["Bo", "Cleo", "*", "c4"],
]
    .map(
        ([white, black, result, move]) =>
            `[Event "Cup"]\n[White "${white}"]\n[Black "${black}"]\n[Result "${result}"]\n\n1. ${move} ${result}\n`,
    )
    .join("\n")

scenario("opens a file of several games, filters it and loads one", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    await tab
        .getByLabel("File with games")
        .setInputFiles({ name: "cup.pgn", mimeType: "text/plain", buffer: Buffer.from(several) })
    const rows = tab.getByTestId("games").locator("li")
    await until(async () => (await rows.count()) === 3, "three games are listed")
    await tab.getByLabel("3 games: choose one").fill("dan 0-1")
    await until(async () => (await rows.count()) === 1, "one game is left")
    await page.picture("games")
    await rows.getByRole("button").click()
    await page.hasPlayed("d4")
    await page.hasHeadline(/^Black wins$/)
})

scenario("loads a dropped file and downloads the game", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.evaluate((text) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([text], "game.pgn"))
        document.body.dispatchEvent(
            new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }),
        )
    }, fools)
    await page.plays(4)
    const [download] = await Promise.all([
        tab.waitForEvent("download"),
        page.button("Download PGN").click(),
    ])
    assert.match(download.suggestedFilename(), /^Anna-Bo-.*\.pgn$/)
})

const folder = mkdtempSync(join(tmpdir(), "rookery-files-"))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a file of 50 MB with comments that look like tags, and non-ASCII names. */
function writeBigFile() {
    const path = join(folder, "big.pgn")
    const line =
        '{[Event "no tag"] a comment; with } 1. e4 e5 {one\n[White "nor this"]\n} 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7\n'
    const game = (index) =>
        `[Event "Cup"]\n[White "Zoë ${index}"]\n[Black "Bo"]\n[Result "1-0"]\n\n${line}{${"x".repeat(500)}}\n1-0\n\n`
    const count = Math.floor(50e6 / Buffer.byteLength(game(10_000)))
    writeFileSync(path, Array.from({ length: count }, (_, index) => game(index)).join(""))
    return { path, count }
}

/** Blocks reading large files until the returned function is called. */
async function holdReading(tab) {
    let release
    const held = new Promise((resolve) => (release = resolve))
    await tab.route("**/pgn-worker-*.js", async (route) => {
        await held
        await route.continue().catch(() => undefined)
    })
    return release
}

scenario("reading a 50 MB file shows progress and can be cancelled", {}, async (page, tab) => {
    const { path, count } = writeBigFile()
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    const release = await holdReading(tab)
    const input = tab.getByLabel("File with games")
    await input.setInputFiles(path)
    await tab.getByText("Reading big.pgn: 0 games").waitFor()
    await page.picture("reading")
    await tab.locator(".reading").getByRole("button", { name: "Cancel" }).click()
    await page.counts(".reading", 0)
    await page.counts("[data-testid=games]", 0)
    release()
    await tab.evaluate(() => {
        window.seen = new Set()
        new MutationObserver(() =>
            window.seen.add(document.querySelector(".reading progress")?.value),
        ).observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    await input.setInputFiles(path)
    await tab.getByText(`${count} games: choose one`).waitFor()
    await page.counts(".reading", 0)
    assert.ok((await tab.evaluate(() => window.seen.size)) > 3, "the progress is shown")
    await tab.getByLabel(`${count} games: choose one`).fill(`zoë ${count - 1}`)
    const rows = tab.getByTestId("games").locator("li")
    await until(async () => (await rows.count()) === 1, "the last game is found")
    await rows.getByRole("button").click()
    await page.hasPlayed("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7")
    await tab
        .getByTestId("player-white")
        .getByText(`Zoë ${count - 1}`)
        .waitFor()
})

scenario("reports a file that is removed while being read", {}, async (page, tab) => {
    const path = join(folder, "removed.pgn")
    writeFileSync(path, fools.repeat(30_000))
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    await tab.route("**/pgn-worker-*.js", async (route) => {
        rmSync(path)
        await route.continue()
    })
    await tab.getByLabel("File with games").setInputFiles(path)
    await page.hasText(tab.getByTestId("issues"), /^The file cannot be read; open it again$/)
    await page.counts(".reading", 0)
})

scenario("reports a small file that cannot be read", {}, async (page, tab) => {
    const path = join(folder, "small.pgn")
    writeFileSync(path, fools)
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    // The page gets a file that disappears before it is read.
    await tab.getByLabel("File with games").evaluate((input) =>
        input.addEventListener("change", (event) => event.stopImmediatePropagation(), {
            capture: true,
            once: true,
        }),
    )
    await tab.getByLabel("File with games").setInputFiles(path)
    rmSync(path)
    await tab.getByLabel("File with games").dispatchEvent("change")
    await page.hasText(tab.getByTestId("issues"), /^The file cannot be read; open it again$/)
    await page.pieces(32)
})

scenario("opening a small file stops reading a large one", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    const release = await holdReading(tab)
    const input = tab.getByLabel("File with games")
    await input.setInputFiles({
        name: "large.pgn",
        mimeType: "text/plain",
        buffer: Buffer.from(fools.repeat(30_000)),
    })
    await tab.getByText("Reading large.pgn: 0 games").waitFor()
    await input.setInputFiles({
        name: "cup.pgn",
        mimeType: "text/plain",
        buffer: Buffer.from(several),
    })
    await tab.getByText("3 games: choose one").waitFor()
    await page.counts(".reading", 0)
    release()
    await tab.getByTestId("games").locator("li").nth(1).getByRole("button").click()
    await page.hasPlayed("d4")
    await page.counts("[data-testid=games] li", 3)
})

scenario("a second file replaces the first, with progress", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    const release = await holdReading(tab)
    const read = async (name, count) => {
        await tab.getByLabel("File with games").setInputFiles({
            name,
            mimeType: "text/plain",
            buffer: Buffer.from(fools.repeat(count)),
        })
        await tab.getByText(`Reading ${name}: 0 games`).waitFor()
    }
    await read("first.pgn", 30_000)
    await read("second.pgn", 20_000)
    release()
    await tab.getByText("20000 games: choose one").waitFor()
    await page.counts(".reading", 0)
})

scenario("rejects a file of more than 100 MB", {}, async (page, tab) => {
    const path = join(folder, "huge.pgn")
    const file = openSync(path, "w")
    ftruncateSync(file, 101_000_000)
    closeSync(file)
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    await tab.getByLabel("File with games").setInputFiles(path)
    await page.hasText(
        tab.getByTestId("issues"),
        /^The file is 101 MB, but the page reads at most 100 MB; split it$/,
    )
})

scenario("continues a game that was resigned elsewhere", {}, async (page) => {
    await page.paste("1. e4 e5 1-0")
    await page.hasHeadline(/^White wins$/)
    await page.press("g1", "f3")
    await page.hasPlayed("e4", "e5", "Nf3")
    await page.hasHeadline(/^Black to move$/)
})

scenario("reads names in Windows-1252 and UTF-16", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    const input = tab.getByLabel("File with games")
    const named = (name) => `[White "${name}"]\n[Black "Bo"]\n\n1. e4 {‘ok’} e5 *\n`
    // The bytes of Ž and the quotation marks are neither valid UTF-8 nor letters in Latin-1.
    const windows1252 = Buffer.from(
        named("Zeljko").replace("Z", "\x8e").replace("‘", "\x91").replace("’", "\x92"),
        "latin1",
    )
    await input.setInputFiles({ name: "old.pgn", mimeType: "text/plain", buffer: windows1252 })
    await tab.getByTestId("player-white").getByText("Željko").waitFor()
    await input.setInputFiles({
        name: "wide.pgn",
        mimeType: "text/plain",
        buffer: Buffer.from(`\ufeff${named("Ján")}`, "utf16le"),
    })
    await tab.getByTestId("player-white").getByText("Ján").waitFor()
})

scenario("lists tags without moves as a game", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.open("Position")
    const tags = (white) => `[Event "Cup"]\n[White "${white}"]\n[Black "Bo"]\n\n`
    await tab.getByLabel("File with games").setInputFiles({
        name: "cup.pgn",
        mimeType: "text/plain",
        buffer: Buffer.from(`${tags("Anna")}${tags("Cleo")}1. e4 e5 *\n`),
    })
    const rows = tab.getByTestId("games").locator("li")
    await until(async () => (await rows.count()) === 2, "two games are listed")
})

scenario("loads a game that continued after a draw, with a note", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.paste(
        `[White "Anna"]\n[Event "5th "Memorial" Open"]\n\n${"Nf3 Nf6 Ng1 Ng8 ".repeat(4)} e4 e5 {open±} *`,
    )
    await page.plays(18)
    await page.hasText(
        tab.getByTestId("losses"),
        /Under today’s rules the game was drawn by fivefold repetition at move 8, but it went on\.[^]*A tag contains quotation marks/,
    )
})

scenario(
    "an old game that continued after 75 quiet moves keeps its result, with a note",
    {},
    async (page, tab) => {
        await page.paste(
            '[White "Anna"]\n[Black "Bo"]\n[Date "1989.05.01"]\n[SetUp "1"]\n[FEN "4k2r/8/8/8/8/8/8/R3K3 w - - 148 100"]\n\n100. Ra2 Rh7 101. Ra3 Rh6 102. Ra4 Rh5 1-0\n',
        )
        await page.hasPlayed("Ra2", "Rh7", "Ra3", "Rh6", "Ra4", "Rh5")
        await page.hasHeadline(/^White wins$/)
        await page.hasText(
            tab.getByTestId("losses"),
            /^Under today’s rules the game was drawn by the 75-move rule at move 100, but it went on\.$/,
        )
        await page.goToStart()
        await tab.keyboard.press("End")
        await page.hasHeadline(/^White wins$/)
    },
)

for (const [what, name, bytes, words] of [
    ["an empty file", "empty.pgn", "", /^The file is empty$/],
    ["a file of blanks", "blank.pgn", " \n\n", /^The file is empty$/],
    [
        "a picture",
        "board.png",
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        /^This is not a chess game or position that the page can read$/,
    ],
]) {
    scenario(`explains ${what} in plain words`, {}, async (page, tab) => {
        await page.open("Position")
        await tab
            .getByLabel("File with games")
            .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(bytes, "latin1") })
        await page.hasText(tab.getByTestId("issues"), words)
        await page.hasPlayed()
    })
}

scenario("right-to-left names leave the surrounding text unchanged", {}, async (page, tab) => {
    const [white, black, event] = ["אנה", "بو", "Cup \u202eevil"]
    await page.paste(
        `[Event "${event}"]\n[White "${white}"]\n[Black "${black}"]\n[Date "2024.05.06"]\n\n1. e4 {\u202ereversed} e5 *`,
    )
    await page.hasPlayed("e4", "e5")
    const facts = tab.getByTestId("facts")
    await page.hasText(facts, /\u2068אנה\u2069 – \u2068بو\u2069[^]*Cup evil · 2024\.05\.06/)
    const left = (word) =>
        facts.evaluate((element, word) => {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
            while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf(word)
                if (at < 0) continue
                const range = document.createRange()
                range.setStart(walker.currentNode, at)
                range.setEnd(walker.currentNode, at + word.length)
                return range.getBoundingClientRect().left
            }
            return null
        }, word)
    assert.ok((await left(white)) < (await left(black)), "White comes before Black")
    await page.hasText(tab.getByTestId("recent"), /\u2068אנה\u2069 – \u2068بو\u2069\s*Cup evil/)
    assert.doesNotMatch(await tab.locator("main").innerText(), /\u202e/)
    // The export contains what was read.
    await page.button("PGN").click()
    const pgn = tab.getByRole("textbox", { name: "PGN", exact: true })
    assert.match(await pgn.inputValue(), /\[Event "Cup \u202eevil"\]/)
})
