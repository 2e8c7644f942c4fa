// Phones in portrait and landscape, and narrow windows: the board uses the available room.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

const phone = { isMobile: true, hasTouch: true, deviceScaleFactor: 2 }
const moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6"
const path = `/#moves=${moves.replaceAll(" ", "%20")}`
const tabs = ["Play", "Analyse", "Report", "Tree", "Position", "AIs", "Watch"]

const boxOf = (tab, selector) => tab.locator(selector).first().boundingBox()
/** Returns the position of the board when the page is scrolled to its top. */
async function boardOf(tab) {
    await tab.evaluate(() => scrollTo(0, 0))
    return boxOf(tab, "[data-testid=board]")
}

for (const viewport of [
    { width: 390, height: 844 },
    { width: 360, height: 740 },
]) {
    scenario(
        `the board fills a phone ${viewport.width} px wide, below a 6 px strip`,
        { ...phone, viewport },
        async (page, tab) => {
            await page.hasHeadline(/^Your move$/)
            assert.equal(await tab.getByTestId("bar").count(), 0)
            const inPlay = await boardOf(tab)
            assert.deepEqual([inPlay.x, inPlay.width], [0, viewport.width])
            await page.press("e2", "e4")
            await page.plays(2)
            await page.open("Analyse")
            const board = await boardOf(tab)
            assert.deepEqual([board.x, board.y, board.width], [0, inPlay.y, viewport.width])
            const strip = await boxOf(tab, "[data-testid=bar]")
            assert.deepEqual(
                [strip.x, strip.y + strip.height, strip.width, strip.height],
                [0, board.y, viewport.width, 6],
            )
            await page.picture(`phone-${viewport.width}-analyse`)
        },
    )

    const turned = { width: viewport.height, height: viewport.width }
    scenario(
        `the board fills the height of a ${viewport.width} px wide phone on its side`,
        { ...phone, viewport: turned, path },
        async (page, tab) => {
            await page.plays(8)
            for (const name of ["Play", "Analyse"]) {
                await page.open(name)
                const [board, side] = [await boardOf(tab), await boxOf(tab, ".side")]
                assert.deepEqual([board.x, board.y, board.height], [0, 0, turned.height], name)
                assert.ok(side.x >= board.width, `the column begins at ${side.x} px`)
            }
            await page.picture(`phone-${turned.width}-side`)
        },
    )
}

scenario("every field has 16 px text on a phone", { ...phone, path }, async (page, tab) => {
    await tab.setViewportSize({ width: 390, height: 844 })
    await page.plays(8)
    for (const name of tabs) {
        await page.open(name)
        const small = await tab
            .locator("input:not([type=checkbox], [type=radio], [type=range]), select, textarea")
            .evaluateAll((fields) =>
                fields
                    .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16)
                    .map(({ outerHTML }) => outerHTML),
            )
        assert.deepEqual(small, [], name)
    }
})

for (const viewport of [
    { width: 320, height: 256 },
    { width: 320, height: 640 },
    { width: 640, height: 430 },
    { width: 720, height: 450 },
]) {
    scenario(
        `nothing is too wide at ${viewport.width} × ${viewport.height}, as at 200 or 400% zoom`,
        { path: "/#moves=e2e4%20e7e5", viewport },
        async (page, tab) => {
            await page.plays(2)
            for (const name of tabs) {
                await page.open(name)
                assert.deepEqual(await tooWide(tab), [], name)
                await page.picture(`tiny-${viewport.width}-${viewport.height}-${name}`)
            }
        },
    )
}

/** Returns the elements that make the page scroll sideways. */
const tooWide = (tab) =>
    tab.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        if (scrollWidth <= clientWidth) return []
        return [...document.querySelectorAll("body *")]
            .filter((element) => element.getBoundingClientRect().right > clientWidth)
            .map(({ tagName, className }) => `${tagName}.${className?.baseVal ?? className}`)
    })

const areApart = (a, b) =>
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y

for (const [what, context] of [
    ["a phone", { ...phone, viewport: { width: 390, height: 844 } }],
    ["a desktop", { viewport: { width: 1280, height: 800 } }],
]) {
    scenario(
        `a notice on ${what} covers no text and disappears after a while`,
        context,
        async (page, tab) => {
            await page.hasHeadline(/^Your move$/)
            await page.press("e2", "e4")
            await page.plays(2)
            await page.open("Position")
            await page.stopTime()
            await tab.getByLabel("Paste FEN").fill("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
            await page.primary("Load").click()
            const notice = tab.locator(".notice")
            await notice.waitFor()
            await page.runFor(7000)
            const [shown, head] = [await notice.boundingBox(), await boxOf(tab, ".top")]
            assert.ok(
                shown.y >= head.y && shown.y + shown.height <= head.y + head.height,
                `the notice from ${shown.y} px is outside of the head at ${head.y} px`,
            )
            assert.ok(areApart(shown, await boxOf(tab, ".game-bar")))
            await page.runFor(2000)
            await page.counts(".notice", 0)
            await until(() => tab.getByLabel("Undo").first().isEnabled(), "it can be undone")
        },
    )
}

scenario(
    "the editor's palette is below the board on a phone",
    { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await tab.getByLabel("More about this game").tap()
        await page.button("Set up a position").tap()
        await tab.locator(".palette").waitFor()
        await until(async () => {
            const [board, palette] = await Promise.all(
                ["[data-testid=board]", ".palette"].map((part) => boxOf(tab, part)),
            )
            return palette.y >= board.y + board.height && palette.y + palette.height < 844
        }, "the palette is on the screen")
    },
)

scenario("a notice stays while the pointer is on it", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await page.paste("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    const notice = tab.locator(".notice")
    await notice.hover()
    await page.stopTime()
    await page.runFor(20_000)
    assert.ok(await notice.isVisible())
    await tab.mouse.move(0, 500)
    await page.runFor(9000)
    await page.counts(".notice", 0)
})
