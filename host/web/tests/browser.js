// A real Chromium, and the page in it as somebody sees it. Whatever a scenario does, the browser's console stays clean and
// nothing is asked of another address. `SLOW=8 npm test` makes the page's processor eight times slower: what a scenario reads
// before it is there, it then misses.

import assert from "node:assert/strict"
import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { chromium } from "playwright-core"
import { repository, startServer } from "./server.js"

const flags = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"
export const pictures = join(repository, "target/page")
mkdirSync(pictures, { recursive: true })
const slowness = Number(process.env.SLOW ?? 1)
const patienceMs = 60_000 * Math.max(1, slowness / 2)

let browser
let server

/** One server and one browser for all scenarios of a file. */
export function withServer(options) {
    before(async () => {
        server = await startServer(options)
        browser = await chromium.launch({ executablePath, args: [...flags, "--no-sandbox"] })
    })
    after(async () => {
        await browser?.close()
        await server?.stop()
    })
}

export const currentServer = () => server
export const replaceServer = (next) => (server = next)

/**
 * A scenario: a fresh browser profile at the page. `refusals` lists the statuses that the host shall answer with, which
 * Chromium writes into its console too; `offline` and `forbidden` say that the host can't be reached for a while, or that
 * the page's policy is put to the test.
 */
export function scenario(name, { path = "/", refusals = [], offline = false, forbidden = false, ...context } = {}, play) {
    test(name, { timeout: 5 * patienceMs }, async () => {
        const profile = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce", ...context })
        await profile.grantPermissions(["clipboard-read", "clipboard-write"])
        const page = await profile.newPage()
        page.setDefaultTimeout(patienceMs)
        if (slowness > 1) {
            const tools = await profile.newCDPSession(page)
            await tools.send("Emulation.setCPUThrottlingRate", { rate: slowness })
        }
        const complaints = []
        page.on("console", (message) => {
            if (message.type() !== "error" && message.type() !== "warning") return
            const status = Number(/status of (\d+)/.exec(message.text())?.[1])
            const unreachable = offline && /net::ERR_/.test(message.text())
            const policy = forbidden && /Content Security Policy/.test(message.text())
            if (!refusals.includes(status) && !unreachable && !policy) complaints.push(message.text())
        })
        page.on("pageerror", (error) => complaints.push(String(error)))
        page.on("request", (request) => {
            const elsewhere = !/^(data|blob|about):/.test(request.url()) && new URL(request.url()).origin !== server.address
            if (elsewhere && !forbidden) complaints.push(`asked ${request.url()}`)
        })
        try {
            await page.goto(server.address + path)
            await play(pageOf(page), page)
            assert.deepEqual(complaints, [])
        } catch (error) {
            await page.screenshot({ path: join(pictures, `failed-${name.replace(/\W+/g, "-")}.png`) }).catch(() => undefined)
            if (complaints.length > 0) error.message += `\nthe browser says: ${complaints.join("\n")}`
            throw error
        } finally {
            await profile.close()
        }
    })
}

/** What people do with the page, and see on it. */
function pageOf(page) {
    const square = (name) => page.locator(`[data-testid=board] rect.square[data-square=${name}]`)
    const piece = (name) => page.locator(`[data-testid=board] .pieces g[data-square=${name}]`)
    const standing = (name) => piece(name).evaluateAll((pieces) => pieces.map((piece) => piece.getAttribute("data-piece")))
    const headline = page.getByTestId("headline")
    const moves = page.getByTestId("moves")
    const self = {
        square,
        piece,
        headline,
        moves,
        tab: (name) => page.getByRole("tab", { name, exact: true }).click(),
        button: (name) => page.getByRole("button", { name, exact: true }),
        /** Moves by two clicks, once the board takes moves and the piece can be picked up. */
        press: async (from, to) => {
            await self.takesMoves()
            await square(from).click()
            await self.counts(".mark-from", 1)
            await square(to).click()
        },
        takesMoves: () => page.locator("[data-testid=board] .board.input-enabled").waitFor({ state: "attached" }),
        /** Moves written into the field, each played before the next is written. */
        write: async (...words) => {
            for (const word of words) {
                const before = (await self.played()).join()
                await page.getByLabel("Your move").fill(word)
                await self.button("Move").click()
                await until(async () => (await self.played()).join() !== before, `${word} is played`)
            }
        },
        /** Who plays, by the ids of AIs; empty for whoever sits here. */
        players: async (white, black) => {
            await page.getByLabel("Black", { exact: true }).selectOption(black)
            await page.getByLabel("White", { exact: true }).selectOption(white)
        },
        /** The moves so far, in SAN. */
        played: () => moves.locator("button").allInnerTexts(),
        hasPlayed: (...sans) => until(async () => (await self.played()).join(" ") === sans.join(" "), `${sans.join(" ") || "nothing"} is played`, self.played),
        /** Waits until so many moves are played. */
        plays: (count) => until(async () => (await self.played()).length === count, `${count} moves are played`, self.played),
        /** Waits until so many of something are there. */
        counts: (selector, count, within = page) =>
            until(async () => (await within.locator(selector).count()) === count, `${count} of ${selector} are there`, () => within.locator(selector).count()),
        pieces: (count) => self.counts("[data-testid=board] .pieces g[data-square]", count),
        disabled: (name) => until(() => self.button(name).isDisabled(), `“${name}” can't be pressed`),
        /** Waits until something reads like this. */
        reads: (element, words) =>
            until(async () => words.test((await element.allInnerTexts()).join("\n")), `it reads ${words}`, () => element.allInnerTexts()),
        says: (words) => self.reads(headline, words),
        has: (name, code) =>
            until(
                // Read at once: while a piece takes another's place, both stand on the square for a moment.
                async () => (await standing(name)).join() === (code ?? ""),
                `${code ?? "nothing"} stands on ${name}`,
                () => standing(name),
            ),
        paste: async (text) => {
            await self.tab("Position")
            await page.getByLabel("Paste FEN").fill(text)
            await page.getByRole("button", { name: "Load" }).click()
        },
        /** Holds back what an AI would answer until it is let go. */
        holdAnswers: async () => {
            let letGo
            const held = new Promise((resolve) => (letGo = resolve))
            await page.route("**/v1/best-move", async (route) => {
                await held
                await route.continue().catch(() => undefined)
            })
            return letGo
        },
        picture: (name) => page.screenshot({ path: join(pictures, `${name}.png`) }),
    }
    return self
}

/** Waits until something holds. */
export async function until(holds, what, found = () => "") {
    const deadline = Date.now() + patienceMs
    while (!(await holds())) {
        if (Date.now() > deadline) assert.fail(`waited in vain until ${what}; found ${await found()}`)
        await new Promise((resolve) => setTimeout(resolve, 25))
    }
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What axe-core finds serious or critical. Its source is evaluated by the browser's tools, past the page's policy. */
export async function findings(tab) {
    await tab.evaluate(axe)
    const { violations } = await tab.evaluate(() => window.axe.run())
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    return serious.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`))
}
