// Runs the page in Chromium. Every scenario fails on console errors and on requests to other
// origins. `SLOW=8 npm test` slows the page's CPU down by a factor of 8, to expose tests that
// depend on timing.

import assert from "node:assert/strict"
import { once } from "node:events"
import { mkdirSync, readFileSync } from "node:fs"
import { get } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { gunzipSync } from "node:zlib"
import { chromium } from "playwright-core"
import { repository, startServer } from "./server.js"

const flags = [
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"
export const pictures = join(repository, "target/page")
mkdirSync(pictures, { recursive: true })
const slowdown = Number(process.env.SLOW ?? 1)
const timeoutMs = 60_000 * Math.max(1, slowdown / 2)

let browser
let server
let serverOptions

/** Starts one server and one browser for all scenarios of a file. */
export function withServer(options) {
    serverOptions = options
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

/** Pastes text with nothing focused, as Ctrl+V does. */
export async function pasteAnywhere(tab, text) {
    await tab.evaluate((text) => navigator.clipboard.writeText(text), text)
    await tab.evaluate(() => document.activeElement?.blur())
    await tab.keyboard.press("ControlOrMeta+v")
}

/** Restarts the server at its address, once the page has reported the lost connection. */
export async function restartServer(tab, meanwhile = () => undefined) {
    const { port, stop } = server
    await stop()
    await meanwhile()
    await tab.getByTestId("lost").waitFor()
    server = await startServer({ ...serverOptions, port })
}

/**
 * Suspends the server, calls `meanwhile`, and waits until the page has reported the lost
 * connection. The page's clock must be installed.
 */
export async function suspendServer(page, tab, meanwhile = () => undefined) {
    server.suspend()
    try {
        await meanwhile()
        // A slow page may set its stream timer only after the first of these advances.
        await until(async () => {
            await tab.clock.fastForward(21_000)
            return tab.getByTestId("lost").isVisible()
        }, "the page notices the lost connection")
    } finally {
        server.resume()
    }
    await page.counts("[data-testid=lost]", 0)
}

/**
 * Runs a scenario in a new browser context. `refusals` lists the expected error statuses, which
 * Chromium writes to the console. `offline` allows network errors, and `forbidden` allows
 * violations of the Content Security Policy. `prepare` runs before the page is requested. Unless
 * `firstVisit` is set, the visitor has played here before and has switched off the automatic
 * analysis.
 */
export function scenario(
    name,
    {
        path = "/",
        refusals = [],
        offline = false,
        forbidden = false,
        firstVisit = false,
        prepare = () => undefined,
        ...context
    } = {},
    play,
) {
    test(name, { timeout: 5 * timeoutMs }, async () => {
        const profile = await browser.newContext({
            viewport: { width: 1280, height: 860 },
            reducedMotion: "reduce",
            ...context,
        })
        await profile.grantPermissions(["clipboard-read", "clipboard-write"])
        if (!firstVisit) await profile.addInitScript(visitBefore)
        const page = await profile.newPage()
        page.setDefaultTimeout(timeoutMs)
        if (slowdown > 1) {
            const tools = await profile.newCDPSession(page)
            await tools.send("Emulation.setCPUThrottlingRate", { rate: slowdown })
        }
        const errors = []
        page.on("console", (message) => {
            if (message.type() !== "error" && message.type() !== "warning") return
            const status = Number(/status of (\d+)/.exec(message.text())?.[1])
            const unreachable = offline && /net::ERR_/.test(message.text())
            const policy = forbidden && /Content Security Policy/.test(message.text())
            if (!refusals.includes(status) && !unreachable && !policy) errors.push(message.text())
        })
        page.on("pageerror", (error) => errors.push(String(error)))
        const pending = new Set()
        for (const end of ["requestfinished", "requestfailed"])
            page.on(end, (request) => pending.delete(request))
        page.on("request", (request) => {
            pending.add(request)
            const elsewhere =
                !/^(data|blob|about):/.test(request.url()) &&
                new URL(request.url()).origin !== server.address
            if (elsewhere && !forbidden) errors.push(`requested ${request.url()}`)
        })
        try {
            await prepare(page)
            await page.goto(server.address + path)
            await play(pageOf(page, pending), page)
            assert.deepEqual(errors, [])
        } catch (error) {
            await page
                .screenshot({ path: join(pictures, `failed-${name.replace(/\W+/g, "-")}.png`) })
                .catch(() => undefined)
            if (errors.length > 0) error.message += `\nbrowser console: ${errors.join("\n")}`
            throw error
        } finally {
            await profile.close()
        }
    })
}

/** Stores the traces of an earlier visit. */
function visitBefore() {
    if (location.protocol === "about:" || localStorage.getItem("place") !== null) return
    localStorage.setItem("place", "play")
    localStorage.setItem("analyse-visited", "off")
}

export const sizes = {
    phone: {
        viewport: { width: 360, height: 740 },
        deviceScaleFactor: 2,
        hasTouch: true,
        isMobile: true,
    },
    desktop: { viewport: { width: 1920, height: 1080 } },
}

/**
 * Defines a scenario for each screen size and theme. `play` receives a function that checks that
 * the content fits and is accessible, and the size of the viewport.
 */
export function forEachLook(define, what, play) {
    for (const [size, context] of Object.entries(sizes)) {
        for (const colorScheme of ["light", "dark"]) {
            define(
                `on a ${size} in the ${colorScheme} theme ${what}`,
                { ...context, colorScheme },
                async (page, tab) => {
                    const check = async (name) => {
                        const width = await tab.evaluate(() => document.documentElement.scrollWidth)
                        assert.ok(width <= context.viewport.width, `${name} is ${width} px wide`)
                        await tab.screenshot({
                            path: join(
                                pictures,
                                `${size}-${colorScheme}-${name.toLowerCase()}.png`,
                            ),
                            fullPage: true,
                        })
                        assert.deepEqual(await accessibilityViolations(tab), [], name)
                    }
                    await play(page, tab, check, context.viewport)
                },
            )
        }
    }
}

/** Returns the names of the controls that Tab focuses, and checks that each shows its focus. */
export async function focusedByTab(tab, presses) {
    const reached = new Set()
    for (let press = 0; press < presses; press += 1) {
        await tab.keyboard.press("Tab")
        const found = await tab.evaluate(() => {
            const { activeElement: element } = document
            if (!element || element === document.body) return null
            const { outlineStyle, outlineWidth } = getComputedStyle(element)
            const shown =
                element.matches("svg") || (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1)
            const label =
                document.getElementById(element.getAttribute("aria-labelledby")) ??
                element.labels?.[0] ??
                element
            return { name: (element.getAttribute("aria-label") ?? label.textContent).trim(), shown }
        })
        if (!found) continue
        assert.ok(found.shown, `${found.name} does not show its focus`)
        reached.add(found.name)
    }
    return reached
}

/** How to open each tool. */
const tools = {
    Report: { id: "report", menu: "More about this game", item: "Review" },
    Tree: { id: "tree", menu: "More about this game", item: "Search tree" },
    Position: { id: "position", menu: "More about this game", item: "Open, paste or share" },
    AIs: { id: "ais", menu: "More", item: "AIs" },
}

async function unfold(details) {
    if ((await details.count()) > 0 && !(await details.evaluate(({ open }) => open)))
        await details.locator("summary").first().click()
}

/** Returns helpers for actions and assertions on the page. */
function pageOf(page, pending) {
    const square = (name) => page.locator(`[data-testid=board] rect.square[data-square=${name}]`)
    const piece = (name) => page.locator(`[data-testid=board] .pieces g[data-square=${name}]`)
    const piecesOn = (name) =>
        piece(name).evaluateAll((pieces) => pieces.map((piece) => piece.getAttribute("data-piece")))
    const headline = page.getByTestId("headline")
    const isIn = async (place) =>
        (await page.locator(".places [aria-current]").first().innerText()) === place
    const moves = page.getByTestId("moves")
    const self = {
        square,
        piece,
        headline,
        moves,
        /** Opens a place with its settings, or a tool. */
        open: async (name) => {
            if (name === "Play" || name === "Analyse" || name === "Watch") {
                await page
                    .getByRole("navigation", { name: "Places" })
                    .getByRole("button", { name })
                    .click()
                await (name === "Analyse"
                    ? unfold(page.getByTestId("analysis-settings"))
                    : self.openSettings())
                return
            }
            if (await page.getByTestId(`tool-${tools[name].id}`).count()) return
            const { menu, item } = tools[name]
            const inHeader = page
                .locator(".places")
                .getByRole("button", { name: item, exact: true })
            if (await inHeader.isVisible()) return inHeader.click()
            // While the AIs are open, the page shows no game and no menu.
            const close = page.getByRole("button", { name: "Close AIs" })
            if (await close.isVisible()) await close.click()
            await page.getByLabel(menu, { exact: true }).click()
            await page
                .locator(".menu[open]")
                .getByRole("button", { name: item, exact: true })
                .click()
        },
        /** Unfolds the players, the clocks and the other settings. */
        openSettings: () => unfold(page.getByTestId("settings")),
        button: (name) => page.getByRole("button", { name, exact: true }),
        /** Returns a button in the side column. A place's button may have the same name. */
        primary: (name) => page.getByRole("main").getByRole("button", { name, exact: true }),
        /** Switches the analysis on. */
        analyse: () => page.getByRole("switch", { name: "Engine", exact: true }).check(),
        /** Resigns and confirms. */
        resign: async () => {
            await page.locator("[data-action=resign]").click()
            const question = page.getByRole("group", { name: "Resign?" })
            await question.getByRole("button", { name: "Yes" }).click()
        },
        /** Presses the key that goes to the start of the game. */
        goToStart: async () => {
            await page.evaluate(() => document.activeElement?.blur())
            await page.keyboard.press("Home")
        },
        /** Plays a move with two clicks, once the board accepts moves. */
        press: async (from, to) => {
            await self.acceptsMoves()
            await square(from).click()
            await self.counts(".mark-from", 1)
            await square(to).click()
        },
        acceptsMoves: () =>
            page.locator("[data-testid=board] .input-enabled").waitFor({ state: "attached" }),
        /** Types moves, and waits until each is played. */
        write: async (...words) => {
            for (const word of words) {
                const before = (await self.played()).join()
                await page.getByLabel("Your move").fill(word)
                await self.button("Move").click()
                await until(
                    async () => (await self.played()).join() !== before,
                    `${word} is played`,
                )
            }
        },
        /** Selects the players by AI id. An empty id means the user. */
        players: async (white, black) => {
            if (white !== "" && black !== "") {
                if (!(await isIn("Watch"))) await self.open("Watch")
                const seat = (name) => page.getByRole("combobox", { name, exact: true })
                await seat("Black").selectOption(`ai ${black}`)
                return void (await seat("White").selectOption(`ai ${white}`))
            }
            if (await isIn("Analyse")) return
            if (white === "" && black === "")
                return void (await page.getByRole("radio", { name: "A friend here" }).check())
            await self.openTechnical()
            await page.getByLabel("AI", { exact: true }).selectOption(white || black)
            const side = page.getByRole("radio", { name: white === "" ? "White" : "Black" })
            await side.check()
            // An AI that plays White waits for Start.
            if (white !== "") await self.button("Start").click()
        },
        /** Unfolds the AIs, the search limit and the options of players. */
        openTechnical: async () => {
            if (!(await isIn("Play"))) await self.open("Play")
            await page.getByRole("radio", { name: "Another AI…" }).check()
        },
        /** Returns the moves of the main line in SAN. */
        played: () => moves.locator("> li > button").allInnerTexts(),
        hasPlayed: (...sans) =>
            until(
                async () => (await self.played()).join(" ") === sans.join(" "),
                `${sans.join(" ") || "nothing"} is played`,
                self.played,
            ),
        /** Waits for a number of moves. */
        plays: (count) =>
            until(
                async () => (await self.played()).length === count,
                `${count} moves are played`,
                self.played,
            ),
        /** Waits for a number of elements. */
        counts: (selector, count, within = page) =>
            until(
                async () => (await within.locator(selector).count()) === count,
                `${count} elements match ${selector}`,
                () => within.locator(selector).count(),
            ),
        pieces: (count) => self.counts("[data-testid=board] .pieces g[data-square]", count),
        disabled: (name) => until(() => self.button(name).isDisabled(), `“${name}” is disabled`),
        /** Waits until the text of an element matches. */
        hasText: (element, words) =>
            until(
                async () => words.test((await element.allInnerTexts()).join("\n")),
                `the text matches ${words}`,
                () => element.allInnerTexts(),
            ),
        hasHeadline: (words) => self.hasText(headline, words),
        has: (name, code) =>
            until(
                // Read in one call, because during a capture both pieces are briefly on the square.
                async () => (await piecesOn(name)).join() === (code ?? ""),
                `${code ?? "nothing"} is on ${name}`,
                () => piecesOn(name),
            ),
        /** Limits the searches of the open panel. */
        limitTo: async (kind, number) => {
            await page.getByLabel("Search limit").selectOption(kind)
            await page.getByLabel(/^Limit in/).fill(String(number))
        },
        /** Stops the page's time: only `clock.runFor` and `clock.fastForward` advance it. */
        stopTime: async () => {
            await page.clock.install()
            // This time must be in the future, even if the machine pauses here.
            await page.clock.pauseAt(Date.now() + 3_600_000)
        },
        /**
         * Advances the page's time once every request is answered. The page waits at most 60 s, by
         * its own clock, for an answer.
         */
        runFor: async (milliseconds) => {
            await until(
                () => pending.size === 0,
                "every request is answered",
                () => [...pending].map((request) => request.url()).join("\n"),
            )
            await page.clock.runFor(milliseconds)
        },
        paste: async (text) => {
            await self.open("Position")
            await page.getByLabel("Paste FEN").fill(text)
            await page.getByRole("button", { name: "Load", exact: true }).click()
        },
        /** Delays requests until the returned function is called. */
        holdAnswers: async (path = "**/v1/best-move") => {
            let release
            const held = new Promise((resolve) => (release = resolve))
            await page.route(path, async (route) => {
                await held
                await route.continue().catch(() => undefined)
            })
            return release
        },
        picture: (name) => page.screenshot({ path: join(pictures, `${name}.png`) }),
    }
    return self
}

/** Waits until a condition is true. */
export async function until(holds, what, found = () => "") {
    const deadline = Date.now() + timeoutMs
    while (!(await holds())) {
        if (Date.now() > deadline)
            assert.fail(`timed out waiting until ${what}; found ${await found()}`)
        await new Promise((resolve) => setTimeout(resolve, 25))
    }
}

/** Slows the network to 400 kbit/s with 400 ms of latency. */
export async function slowLine(tab) {
    const tools = await tab.context().newCDPSession(tab)
    await tools.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: 400,
        downloadThroughput: 50_000,
        uploadThroughput: 50_000,
    })
}

/** Records layout shifts, including shifts after an input, with the elements that moved. */
export const watchShifts = (tab) =>
    tab.addInitScript(() => {
        window.shifts = []
        new PerformanceObserver((list) => {
            for (const { value, sources } of list.getEntries()) {
                const nameOf = (node) =>
                    node?.nodeType === 1 ? `${node.tagName}.${node.className}` : node?.nodeName
                const names = sources.map(
                    ({ node }) => `${nameOf(node)} in ${nameOf(node?.parentElement)}`,
                )
                window.shifts.push(`${value.toFixed(4)} ${names.join(", ")}`)
            }
        }).observe({ type: "layout-shift", buffered: true })
    })
/** Returns the shifts since the last call, once two frames are drawn. */
export const shiftsOf = (tab) =>
    tab.evaluate(async () => {
        for (const _ of [1, 2]) await new Promise((resolve) => requestAnimationFrame(resolve))
        return window.shifts.splice(0)
    })

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Returns the violations found by axe-core, which runs outside the Content Security Policy. */
export async function accessibilityViolations(tab) {
    await tab.evaluate(axe)
    const { violations } = await tab.evaluate(() => window.axe.run())
    return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
    )
}

/** Returns the transferred size of a page, including its images, styles and scripts. */
export async function compressedSize(path) {
    const sent = async (name) => {
        const [response] = await once(
            get(server.address + name, { headers: { "Accept-Encoding": "gzip" } }),
            "response",
        )
        const parts = await response.toArray()
        assert.equal(response.headers["content-encoding"], "gzip", name)
        return Buffer.concat(parts)
    }
    const page = await sent(path)
    const linked = [
        ...gunzipSync(page)
            .toString()
            .matchAll(/(?:src|href)="([^"]+)"/g),
    ].map(([, name]) => name)
    assert.ok(linked.length >= 3, linked.join())
    const files = await Promise.all(linked.map(sent))
    return [page, ...files].reduce((sum, { length }) => sum + length, 0)
}
