// Every panel at three sizes and in both themes: nothing is wider than the page, and axe-core finds
// nothing. Screenshots go to target/page.

import assert from "node:assert/strict"
import { join } from "node:path"
import { accessibilityViolations, pictures, scenario, until, withServer } from "./browser.js"
import { review } from "./review.js"

withServer()

const sizes = {
    desktop: { viewport: { width: 1280, height: 860 } },
    phone: {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        deviceScaleFactor: 2,
    },
    zoomed: { viewport: { width: 640, height: 430 }, deviceScaleFactor: 2 },
}

const moves = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 f3g5 d7d5 e4d5 f6d5 g5f7"
const annotated = `[Event "Polerio"]
[White "A"]
[Black "B"]

1. e4 {[%eval 0.3] [%clk 0:05:00]} e5 {[%eval 0.2] [%clk 0:04:58]} 2. Nf3 $1 {best by test [%eval 0.3] [%clk 0:04:50]} (2. f4 exf4 (2... d5 $6) 3. Nf3) Nc6 *
`
const two = `${annotated}\n[Event "Cup"]\n[White "Cleo"]\n[Black "Dan"]\n[Result "1-0"]\n\n1. d4 1-0\n`

const finished = async (page, tab, shown) => {
    await tab.locator(shown).first().waitFor()
    await until(
        async () => (await tab.getByRole("button", { name: /^Stop( \(.*)?$/ }).count()) === 0,
        "it has finished",
    )
}

/** The panels in order, with the actions that fill them. */
const panels = {
    play: async (page) => {
        await page.players("", "quick")
        await page.press("e2", "e4")
        await page.plays(2)
    },
    duel: async (page) => {
        await page.players("quick", "basic1")
        await page.button("Start").click()
        await page.plays(2)
        await page.button("Pause").click()
    },
    position: async (page) => page.open("Position"),
    games: async (page, tab) => {
        await page.paste(two)
        await tab.getByTestId("games").locator("li button").first().click()
        await page.plays(4)
    },
    inspection: async (page, tab) => {
        await page.open("Analyse")
        await tab.locator("[data-testid=board] svg.chessboard").focus()
        await tab.keyboard.press("i")
        await tab.getByTestId("inspection").waitFor()
    },
    editor: async (page, tab) => {
        await page.paste("P3k3/8/8/8/8/8/8/4K2p w - - 0 1")
        await page.counts(".mark-issue", 2)
    },
    analyse: async (page, tab) => {
        await page.button("Cancel").click()
        await page.paste(moves)
        await page.plays(11)
        await page.open("Analyse")
        for (const name of ["Basic1 (quick)", "Basic1 (thorough)"])
            await tab.getByRole("checkbox", { name }).check()
        await page.limitTo("depth", 2)
        await page.button("Compare whole game").click()
        await finished(page, tab, "[data-testid=board]")
        await page.analyse()
        await tab.getByTestId("agreement").waitFor()
        await finished(page, tab, "[data-testid=answer-basic1] .san")
    },
    report: async (page, tab) => {
        await review(page, tab, 3)
        await finished(page, tab, ".bad-moves li")
    },
    tree: async (page, tab) => {
        await page.open("Tree")
        await page.limitTo("depth", 2)
        await page.button("Show search tree").click()
        await finished(page, tab, "[role=treeitem]")
    },
    ais: async (page, tab) => {
        await page.open("AIs")
        await tab.getByTestId("ai-basic1").locator("summary").click()
        await tab.getByTestId("ai-basic1").getByText("Options for Basic1").click()
    },
    error: async (page, tab) => {
        await page.open("Watch")
        await page.button("New game").click()
        await page.players("segfaults", "basic1")
        await page.button("Start").click()
        await tab.getByTestId("fault").waitFor()
    },
    settings: async (page, tab) => {
        await tab.keyboard.press("?")
        await tab.getByRole("dialog", { name: "Settings" }).waitFor()
    },
}

for (const [size, context] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"]) {
        const { width } = context.viewport
        scenario(
            `every panel fits and is accessible on a ${size} screen in the ${colorScheme} theme`,
            { ...context, colorScheme, refusals: [422, 502] },
            async (page, tab) => {
                await page.hasHeadline(/^Your move$/)
                for (const [name, open] of Object.entries(panels)) {
                    await open(page, tab)
                    const { pageWidth, right, widest } = await tab.evaluate(() => {
                        const rightOf = (element) => element.getBoundingClientRect().right
                        // Content that a part scrolls to, or cuts with an ellipsis, does not widen
                        // the page.
                        const isCut = ({ parentElement: parent }) =>
                            getComputedStyle(parent).overflowX !== "visible" ||
                            (!parent.matches(".panel") && isCut(parent))
                        const parts = [...document.querySelectorAll(".panel *")]
                            .filter((element) => !isCut(element))
                            .sort((a, b) => rightOf(b) - rightOf(a))
                        return {
                            pageWidth: document.documentElement.scrollWidth,
                            right: rightOf(parts[0]),
                            widest: parts[0].outerHTML.slice(0, 200),
                        }
                    })
                    await tab.evaluate(() => scrollTo(0, 0))
                    assert.ok(
                        pageWidth <= width && right <= width - 8,
                        `${name} is ${pageWidth} px wide and reaches to ${right} with ${widest}`,
                    )
                    await tab.screenshot({
                        path: join(pictures, `${name}-${size}-${colorScheme}.png`),
                        fullPage: name !== "settings",
                    })
                    assert.deepEqual(await accessibilityViolations(tab), [], name)
                }
            },
        )
    }
}

scenario(
    "a comparison of three AIs fits 1280×860 without scrolling, even during a game",
    { path: `/#moves=${moves.replaceAll(" ", "%20")}` },
    async (page, tab) => {
        await page.plays(11)
        await page.open("Analyse")
        for (const name of ["Basic1 (quick)", "Basic1 (thorough)"])
            await tab.getByRole("checkbox", { name }).check()
        await page.limitTo("depth", 2)
        // The options of three AIs are folded.
        assert.equal(
            await tab
                .getByText("AI options")
                .locator("..")
                .evaluate((details) => details.open),
            false,
        )
        await page.button("Compare whole game").click()
        const legend = tab.getByTestId("legend")
        await page.hasText(legend, /^Basic1 [^]*\(quick\)[^]*Basic1 \(thorough\)/)
        await until(async () => (await page.button("Stop").count()) === 0, "the game is compared")
        // Each line has its own dashes, because colour alone must not tell lines apart.
        const dashes = await legend
            .locator("path")
            .evaluateAll((paths) => paths.map((path) => path.getAttribute("stroke-dasharray")))
        assert.equal(new Set(dashes).size, 3, dashes.join(" | "))
        await page.analyse()
        await tab.getByTestId("agreement").waitFor()
        await tab.getByLabel("Analysis settings").click()
        await tab.evaluate(() => scrollTo(0, 0))
        const boxes = await tab
            .locator(
                "[data-testid^=answer-], [data-testid=agreement], [data-testid=graph], [data-testid=board]",
            )
            .evaluateAll((parts) =>
                parts.map((part) => ({
                    part: part.dataset.testid,
                    top: part.getBoundingClientRect().top,
                    bottom: part.getBoundingClientRect().bottom,
                })),
            )
        assert.equal(boxes.length, 6)
        for (const { part, top, bottom } of boxes)
            assert.ok(top >= 0 && bottom <= 860, `${part} reaches from ${top} to ${bottom}`)
        await until(
            async () => (await tab.locator("[data-testid^=answer-] .lines .san").count()) >= 3,
            "each AI shows its move",
        )
        await page.picture("compared-in-game")
    },
)
