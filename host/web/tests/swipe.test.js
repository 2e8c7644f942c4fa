// The moves on a phone: swipes that open them, and their focus order.

import assert from "node:assert/strict"
import { accessibilityViolations, scenario, until, withServer } from "./browser.js"

withServer()

const phone = {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
}
const moves =
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2 c7c5 d2d4 d8c7 b1d2 c5d4 c3d4 a5c6 d2b3 a6a5 c1e3 a5a4 b3d2 c8d7 a1c1 f8c8 c2b1 c7b8 d1e2 d7e8 a2a3 e7f8"
const path = `/#moves=${moves.replaceAll(" ", "%20")}`
const count = moves.split(" ").length

/** Returns a function that moves a finger from a point by some pixels. */
async function fingerOf(tab) {
    const tools = await tab.context().newCDPSession(tab)
    const touch = (type, ...touchPoints) =>
        tools.send("Input.dispatchTouchEvent", { type, touchPoints })
    return async ({ x, y }, dx, dy) => {
        await touch("touchStart", { x, y })
        for (const share of [0.25, 0.5, 0.75, 1])
            await touch("touchMove", { x: x + dx * share, y: y + dy * share })
        await touch("touchEnd")
    }
}
const middleOf = async (part) => {
    const { x, y, width, height } = await part.boundingBox()
    return { x: x + width / 2, y: y + height / 2 }
}
const moveButton = (page) => page.button("Moves")
const isOpen = (page, open) =>
    until(
        async () => (await moveButton(page).getAttribute("aria-expanded")) === String(open),
        `the moves are ${open ? "open" : "closed"}`,
    )
const scrolled = (tab) => tab.evaluate(() => scrollY)

scenario(
    "swiping up on a phone's bar opens the moves, and swiping down closes them",
    { ...phone, viewport: { width: 390, height: 600 }, path },
    async (page, tab) => {
        await page.plays(count)
        const swipe = await fingerOf(tab)
        const bar = await middleOf(moveButton(page))
        await swipe(bar, 120, -30)
        await isOpen(page, false)
        await swipe(bar, 10, -200)
        await isOpen(page, true)
        assert.equal(await scrolled(tab), 0)
        // The list shows the current move, so it is scrolled.
        const top = () => page.moves.evaluate((list) => list.scrollTop)
        assert.ok((await top()) > 0)
        await page.moves.evaluate((list) => (list.scrollTop = 0))
        await swipe(await middleOf(page.moves), 0, 150)
        await isOpen(page, false)
        await swipe(bar, 0, -200)
        await isOpen(page, true)
        assert.deepEqual(await accessibilityViolations(tab), [])
        await page.picture("phone-swiped")
        // A swipe first scrolls the list back to its top.
        const before = await top()
        await swipe(await middleOf(page.moves), 0, 60)
        await until(async () => (await top()) < before, "the list is scrolled")
        await isOpen(page, true)
        assert.equal(await scrolled(tab), 0)
    },
)

scenario(
    "a swipe elsewhere scrolls the page, and a piece dragged onto the bar opens nothing",
    { ...phone, path: "/#moves=e2e4%20e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await page.open("Position")
        await tab.evaluate(() => scrollTo(0, 0))
        await page.acceptsMoves()
        const swipe = await fingerOf(tab)
        const knight = await middleOf(page.square("g1"))
        await swipe(knight, 0, (await middleOf(moveButton(page))).y - knight.y)
        assert.equal(await scrolled(tab), 0)
        await page.has("g1", "wn")
        await swipe(await middleOf(page.moves), 0, -200)
        await until(async () => (await scrolled(tab)) > 0, "the page is scrolled")
        await isOpen(page, false)
    },
)

scenario(
    "a bar within the page, as at 400% zoom, ignores swipes",
    { ...phone, viewport: { width: 320, height: 400 }, path },
    async (page, tab) => {
        await page.plays(count)
        const swipe = await fingerOf(tab)
        await moveButton(page).scrollIntoViewIfNeeded()
        const before = await scrolled(tab)
        await swipe(await middleOf(moveButton(page)), 0, 150)
        await until(async () => (await scrolled(tab)) < before, "the page is scrolled")
        await isOpen(page, false)
    },
)

for (const reducedMotion of ["reduce", "no-preference"]) {
    scenario(
        `the moves rise ${reducedMotion === "reduce" ? "at once with reduced motion" : "with a short motion"}`,
        { ...phone, path, reducedMotion },
        async (page, tab) => {
            await page.plays(count)
            await moveButton(page).tap()
            const animation = await tab.locator(".record.open").evaluate((record) => {
                const { animationName, animationDuration } = getComputedStyle(record)
                return `${animationName} ${animationDuration}`
            })
            assert.equal(animation, reducedMotion === "reduce" ? "none 0s" : "moves-rise 0.16s")
        },
    )
}

/** Returns the column's parts in focus order, with their top positions after scrolling down. */
const parts = (tab) =>
    tab.evaluate(() => {
        scrollTo(0, document.documentElement.scrollHeight)
        return [...document.querySelectorAll(".side > *")]
            .map((part) => ({
                name: part.className.split(" ")[0],
                ...part.getBoundingClientRect().toJSON(),
            }))
            .filter(({ height, width }) => height > 1 && width > 1)
            .map(({ name, top }) => ({ name, top: Math.round(top) }))
    })

for (const [what, viewport] of [
    ["a phone", phone.viewport],
    ["a phone at 400% zoom", { width: 320, height: 400 }],
    ["a desktop", { width: 1280, height: 860 }],
]) {
    scenario(
        `the focus follows the visual order of the column on ${what}`,
        { ...phone, viewport, path },
        async (page, tab) => {
            await page.plays(count)
            for (const place of ["Play", "Analyse"]) {
                await page.open(place)
                await until(
                    async () => {
                        const found = await parts(tab)
                        return (
                            found.length >= 2 &&
                            found.every(
                                ({ top }, index) => index === 0 || found[index - 1].top <= top,
                            )
                        )
                    },
                    `the focus order in ${place} matches the screen`,
                    async () => JSON.stringify(await parts(tab)),
                )
            }
            if (what !== "a phone") return
            await moveButton(page).tap()
            await isOpen(page, true)
            assert.deepEqual(
                (await parts(tab)).slice(-2).map(({ name }) => name),
                ["record", "game-bar"],
            )
        },
    )
}
