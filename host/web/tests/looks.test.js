// Layout on phones and desktops, themes, accessibility, security policy, licences and size.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import {
    accessibilityViolations,
    compressedSize,
    currentServer,
    focusedByTab,
    forEachLook,
    scenario,
    sizes,
    until,
    withServer,
} from "./browser.js"
import { repository } from "./server.js"

withServer()

const tabs = ["Play", "Analyse", "Report", "Tree", "Position", "AIs"]

forEachLook(scenario, "everything fits and is accessible", async (page, tab, check, viewport) => {
    await page.hasHeadline(/^Your move$/)
    await page.openTechnical()
    await tab.getByText("Options for Basic1").click()
    await check("New")
    await page.press("e2", "e4")
    await page.plays(2)
    for (const name of tabs) {
        await page.open(name)
        const right = await tab.evaluate(() => {
            // Content that a strip scrolls to is not outside the page.
            const isScrolled = (element) =>
                element.closest(".panel") !== element &&
                (getComputedStyle(element.parentElement).overflowX !== "visible" ||
                    isScrolled(element.parentElement))
            return Math.max(
                0,
                ...[...document.querySelectorAll(".panel *")]
                    .filter((element) => !isScrolled(element))
                    .map((element) => element.getBoundingClientRect().right),
            )
        })
        assert.ok(right <= viewport.width - 8, `${name} extends to ${right} px`)
        await check(name)
    }
})

scenario("plays a game by touch on a phone", sizes.phone, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.acceptsMoves()
    // A tap must not become a long press on a slow machine.
    await page.stopTime()
    await page.square("d2").tap()
    await page.square("d4").tap()
    await page.has("d4", "wp")
    await page.plays(2)
})

scenario("drags a piece with a finger", sizes.phone, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.acceptsMoves()
    await page.stopTime()
    const middle = async (name) => {
        const { x, y, width, height } = await page.square(name).boundingBox()
        return { x: x + width / 2, y: y + height / 2 }
    }
    const tools = await tab.context().newCDPSession(tab)
    const touch = (type, ...touchPoints) =>
        tools.send("Input.dispatchTouchEvent", { type, touchPoints })
    const [from, to] = [await middle("g1"), await middle("f3")]
    await touch("touchStart", from)
    for (const share of [0.2, 0.6, 1])
        await touch("touchMove", {
            x: from.x + (to.x - from.x) * share,
            y: from.y + (to.y - from.y) * share,
        })
    await touch("touchEnd")
    await page.plays(2)
    await page.has("f3", "wn")
})

scenario(
    "the board stays visible on a phone above the search tree and the editor's palette",
    { viewport: { width: 390, height: 844 } },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        const isVisibleBesideBoard = async (part) => {
            await part.scrollIntoViewIfNeeded()
            const board = await tab.locator("[data-testid=board] svg").boundingBox()
            const { y, height } = await part.boundingBox()
            assert.ok(board.y >= 0 && board.y + board.height <= 844, `the board is at ${board.y}`)
            assert.ok(
                y >= board.y + board.height && y + Math.min(height, 200) <= 844,
                `the part is at ${y}`,
            )
        }
        await page.open("Tree")
        await page.limitTo("depth", 2)
        await page.button("Show search tree").click()
        await isVisibleBesideBoard(tab.getByRole("tree"))
        await page.picture("phone-tree")
        await page.open("Position")
        await page.button("Board editor").click()
        await isVisibleBesideBoard(tab.getByRole("group", { name: "Piece to place" }))
        await page.picture("phone-editor")
    },
)

scenario("titles use the page's font", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await until(
        () =>
            tab.evaluate(() =>
                [...document.fonts].some(
                    ({ family, status }) => family === "Fraunces" && status === "loaded",
                ),
            ),
        "the font is loaded",
    )
    assert.match(
        await tab.getByTestId("headline").evaluate((title) => getComputedStyle(title).fontFamily),
        /^Fraunces/,
    )
})

scenario("selects and saves the theme", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const paper = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await paper()
    await page.button("Theme: system. Switch to light").click()
    await page.button("Theme: light. Switch to dark").click()
    await until(async () => (await paper()) !== light, "it is dark")
    await tab.reload()
    await page.button("Theme: dark. Switch to system").waitFor()
    await until(async () => (await paper()) !== light, "it is dark again")
})

scenario("? opens the shortcuts, and a swatch sets the board's colours", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const square = () => page.square("a1").evaluate((square) => getComputedStyle(square).fill)
    const green = await square()
    await tab.keyboard.press("?")
    const dialog = tab.getByRole("dialog", { name: "Settings" })
    await dialog.getByText("flip the board").waitFor()
    assert.deepEqual(await accessibilityViolations(tab), [])
    await page.picture("shortcuts")
    await dialog.getByRole("tab", { name: "Shortcuts" }).press("ArrowLeft")
    assert.deepEqual(await accessibilityViolations(tab), [])
    const shown = await dialog
        .locator(".swatch .dark")
        .evaluateAll((squares) => squares.map((dark) => getComputedStyle(dark).fill))
    assert.equal(new Set(shown).size, 4, shown)
    await dialog.getByText("Brown").click()
    await page.picture("settings")
    await dialog.getByRole("button", { name: "Close" }).click()
    await until(async () => (await square()) !== green, "the board is brown")
    await tab.reload()
    await page.hasHeadline(/^Your move$/)
    assert.equal(await square(), shown[1])
})

scenario("selects look like disclosures and work with the keyboard", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.openTechnical()
    const looks = (selector) =>
        tab.locator(selector).evaluateAll((elements) => {
            const lookOf = ({ appearance, backgroundImage, listStyleType, minHeight }) =>
                [appearance, backgroundImage, listStyleType, minHeight].join()
            return [...new Set(elements.map((element) => lookOf(getComputedStyle(element))))]
        })
    const [selects, disclosures] = [await looks("select"), await looks("summary:not(.icon)")]
    assert.equal(selects.length, 1, selects)
    assert.match(selects[0], /gradient/)
    assert.equal(disclosures.length, 1, disclosures)
    assert.match(disclosures[0], /none/)
    const ai = tab.getByLabel("AI", { exact: true })
    const before = await ai.inputValue()
    await ai.focus()
    await tab.keyboard.press("Space")
    await tab.getByRole("option", { name: "quick" }).waitFor()
    await tab.keyboard.press("ArrowDown")
    await tab.keyboard.press("Enter")
    await until(async () => (await ai.inputValue()) !== before, "another AI is chosen")
})

for (const [size, viewport] of [
    ["a desktop", { width: 1280, height: 860 }],
    ["a phone", { width: 390, height: 844 }],
]) {
    scenario(
        `board coordinates do not touch the pieces on ${size}`,
        { viewport },
        async (page, tab) => {
            await page.hasHeadline(/^Your move$/)
            const touching = await tab.evaluate(() => {
                const pieces = [
                    ...document.querySelectorAll("[data-testid=board] .pieces use"),
                ].map((piece) => piece.getBoundingClientRect())
                const touches = (a, b) =>
                    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
                return [...document.querySelectorAll(".coordinate")]
                    .filter((text) =>
                        pieces.some((piece) => touches(text.getBoundingClientRect(), piece)),
                    )
                    .map(({ textContent }) => textContent)
            })
            assert.deepEqual(touching, [])
        },
    )
}

function countTones() {
    window.tones = 0
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (...times) {
        window.tones += 1
        return start.apply(this, times)
    }
}

scenario("the chosen board size persists", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const width = async () => (await tab.getByTestId("board").boundingBox()).width
    const choose = async (size) => {
        await page.button("Settings").click()
        await tab.getByLabel("Board size").selectOption(size)
        await page.button("Close").click()
        return width()
    }
    const large = await width()
    const medium = await choose("medium")
    const small = await choose("small")
    assert.ok(
        small < 0.8 * medium + 20 && medium < 0.9 * large && small > 200,
        `${small}, ${medium} and ${large} px`,
    )
    await page.press("e2", "e4")
    await page.plays(2)
    await tab.reload()
    await page.plays(2)
    assert.equal(await width(), small)
    assert.equal(await choose("large"), large)
})

scenario(
    "moves make a sound while the sound is on",
    { prepare: (page) => page.addInitScript(countTones) },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "")
        const tones = () => tab.evaluate(() => window.tones)
        const toggle = async () => {
            await page.button("Settings").click()
            await tab.getByLabel("Sound").click()
            await page.button("Close").click()
        }
        await page.write("e4", "e5")
        assert.equal(await tones(), 2)
        await toggle()
        await page.write("Nf3")
        assert.equal(await tones(), 2)
        await toggle()
        await page.write("Nc6")
        assert.equal(await tones(), 3)
    },
)

scenario("the page receives keys as soon as the settings close", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.button("Settings").click()
    await page.button("Close").waitFor()
    const isOpen = await tab.getByRole("dialog").evaluate(async (dialog) => {
        dialog.querySelector("button").click()
        await new Promise((resolve) => setTimeout(resolve))
        return dialog.open
    })
    assert.equal(isOpen, false)
})

const focusable =
    "button:enabled, input:enabled, select:enabled, textarea:enabled, summary, a[href], [tabindex='0']"

scenario(
    "Tab reaches every control, and each shows its focus",
    { path: "/#moves=e2e4%20e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await tab.evaluate(() =>
            addEventListener("focusin", ({ target }) => target.setAttribute("data-reached", "")),
        )
        for (const name of [...tabs.slice(1), "Watch", "Play"]) {
            await page.open(name)
            // All controls are there once the review is done.
            if (name === "Report") await tab.getByText("How moves are judged").waitFor()
            if (name === "AIs") await tab.getByTestId("ai-basic1").waitFor()
            await tab.evaluate(() => document.activeElement.blur())
            const controls = tab.locator(focusable).locator("visible=true")
            const reached = await focusedByTab(tab, (await controls.count()) + 10)
            assert.ok(reached.has("Chessboard"), `${name}: ${[...reached]}`)
            const missed = await controls.evaluateAll(
                (elements, optional) =>
                    elements
                        .filter((element) => !element.matches(optional))
                        .map(({ outerHTML }) => outerHTML.slice(0, 120)),
                "[data-reached], [tabindex='-1'], [type=radio]:not(:checked)",
            )
            assert.deepEqual(missed, [], name)
        }
    },
)

scenario(
    "the Content Security Policy forbids inline code and other origins",
    { forbidden: true },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        const refused = await tab.evaluate(async () => {
            const violations = []
            addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
                violations.push(effectiveDirective),
            )
            new Image().src = `http://127.0.0.2:${location.port}/nothing.png`
            document.body.append(
                Object.assign(document.createElement("script"), {
                    textContent: "globalThis.ran = true",
                }),
            )
            document.body.append(
                Object.assign(document.createElement("style"), {
                    textContent: "body { display: none }",
                }),
            )
            while (violations.length < 3) await new Promise(requestAnimationFrame)
            return { violations: violations.sort(), ran: "ran" in globalThis }
        })
        assert.deepEqual(refused, {
            violations: ["img-src", "script-src-elem", "style-src-elem"],
            ran: false,
        })
    },
)

test("the page's packages have permissive licenses, listed in licenses.txt", async () => {
    const { packages } = JSON.parse(
        readFileSync(join(repository, "host/web/package-lock.json"), "utf8"),
    )
    const shipped = Object.entries(packages).filter(([name, { dev }]) => name && !dev)
    assert.ok(shipped.length >= 4)
    const listed = await (await fetch(`${currentServer().address}/licenses.txt`)).text()
    for (const [path, { license }] of shipped) {
        // A font licence covers only fonts.
        const allowed = path.includes("@fontsource/")
            ? /^OFL-1\.1$/
            : /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause)$/
        assert.match(license, allowed, path)
        assert.ok(listed.includes(path.replace("node_modules/", "")), path)
    }
})

test("the compressed page is smaller than 130 kB", async () => {
    const weight = await compressedSize("/")
    assert.ok(weight > 10_000 && weight < 130_000, `${weight} bytes`)
    const licenses = await fetch(`${currentServer().address}/licenses.txt`, {
        headers: { "Accept-Encoding": "gzip" },
    })
    assert.equal(licenses.headers.get("content-encoding"), "gzip")
})

for (const colorScheme of ["light", "dark"]) {
    scenario(
        `sides and marks differ in ${colorScheme} high-contrast colours`,
        { forcedColors: "active", colorScheme, path: "/#moves=e2e4%20e7e5" },
        async (page, tab) => {
            await page.plays(2)
            const styleOf = (selector, name) =>
                tab
                    .locator(selector)
                    .first()
                    .evaluate((element, name) => getComputedStyle(element)[name], name)
            const differ = async (name, one, other) =>
                assert.notEqual(await styleOf(one, name), await styleOf(other, name), one)
            await page.open("Analyse")
            await differ("backgroundColor", ".disc.white", ".disc.black")
            await differ("backgroundColor", ".bar", ".bar .fill")
            await differ("backgroundColor", ".moves [aria-current]", ".moves button")
            await differ("backgroundColor", ".places [aria-current]", ".places button")
            await differ("color", ".moves [aria-current]", ".moves button")
            await differ("fill", ".square.light", ".square.dark")
            await differ("fill", ".mark-last", ".square.dark")
            await page.picture(`forced-colours-${colorScheme}`)
            await page.button("Settings").click()
            await differ("backgroundColor", "[aria-selected=true]", "[aria-selected=false]")
            await differ("backgroundColor", ".swatch:has(:checked)", ".swatch:not(:has(:checked))")
        },
    )
}

scenario(
    "the board keeps its position in every place and has no gutter",
    { path: "/#moves=e2e4%20e7e5" },
    async (page, tab) => {
        await page.plays(2)
        const boxes = []
        for (const name of ["Analyse", "Watch", "Play"]) {
            await page.open(name)
            await tab.evaluate(() => scrollTo(0, 0))
            const [board, player] = [tab.getByTestId("board"), tab.getByTestId("player-white")]
            boxes.push(JSON.stringify(await board.boundingBox()))
            assert.equal((await board.boundingBox()).x, (await player.boundingBox()).x)
            await page.counts(".stage .graph.empty", 0)
        }
        assert.deepEqual([...new Set(boxes)], [boxes[0]])
        assert.equal(await tab.getByTestId("bar").count(), 0)
    },
)
