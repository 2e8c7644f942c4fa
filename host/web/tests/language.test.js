// The page in German, through the browser's language or the setting.

import assert from "node:assert/strict"
import { join } from "node:path"
import { before } from "node:test"
import { replaceArena, running } from "./arena-server.js"
import {
    accessibilityViolations,
    scenario,
    shiftsOf,
    until,
    watchShifts,
    withServer,
} from "./browser.js"
import { moduleOf } from "./sources.js"

withServer()

const german = { locale: "de-DE" }

/** Returns the strings of a table. Arguments of functions become NUL characters. */
function textsOf(table) {
    if (typeof table === "string") return [table]
    if (typeof table === "object") return Object.values(table).flatMap(textsOf)
    try {
        return [String(table(...Array.from({ length: table.length }, () => "\u0000")))]
    } catch {
        // The function expects a different argument type.
        return []
    }
}

/** Patterns of the English strings that differ from their German versions. */
let english
before(async () => {
    const tables = ["common", "board", "arena"]
    const [en, de] = await Promise.all(
        ["en", "de"].map((language) =>
            Promise.all(
                tables.map(async (name) => (await moduleOf(`texts/${language}/${name}.ts`))[name]),
            ),
        ),
    )
    const translated = new Set(textsOf(de).map((text) => text.toLowerCase()))
    const own = textsOf(en).filter(
        (text) =>
            /\p{L}{3}/u.test(text.replaceAll("undefined", "")) &&
            !translated.has(text.toLowerCase()),
    )
    assert.ok(own.length > 300, `${own.length} English texts`)
    const escaped = (text) =>
        text
            .split("\u0000")
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
            .join(".+")
    english = own.map((text) => new RegExp(`^${escaped(text.trim())}$`, "u"))
})

/**
 * Returns the visible text and labels, except for text from the server: names of AIs and openings,
 * and options of AIs.
 */
const shownTexts = (tab) =>
    tab.evaluate(() => {
        const isForeign = (element) =>
            element.closest("[data-testid=opening], .options, code, pre, [lang=en]")
        const found = []
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        for (let node = texts.nextNode(); node; node = texts.nextNode())
            if (
                !isForeign(node.parentElement) &&
                !["SCRIPT", "STYLE", "NOSCRIPT"].includes(node.parentElement.tagName)
            )
                found.push(node.data)
        for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]"))
            if (!isForeign(element))
                found.push(
                    ...["aria-label", "title", "placeholder"].map(
                        (name) => element.getAttribute(name) ?? "",
                    ),
                )
        return [...new Set([document.title, ...found].map((text) => text.trim()).filter(Boolean))]
    })

async function isGerman(tab, where) {
    const texts = await shownTexts(tab)
    assert.ok(texts.length > 10)
    assert.deepEqual(
        texts.filter((text) => english.some((known) => known.test(text))),
        [],
        where,
    )
}

async function fits(tab, where) {
    const [scrollWidth, clientWidth] = await tab.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
    ])
    assert.ok(scrollWidth <= clientWidth, `${where} is ${scrollWidth} px wide on ${clientWidth} px`)
}

const type = async (page, tab, ...moves) => {
    for (const move of moves) {
        const before = (await page.played()).length
        await tab.getByLabel("Dein Zug, zum Beispiel Sf3 oder g1f3").fill(move)
        await page.button("Ziehen").click()
        await page.plays(before + 1)
    }
}

/** The views of the page, and how to open them. */
const views = [
    ...["Spielen", "Zusehen", "Analyse"].map((name) => [
        name,
        (page, tab) =>
            tab.getByRole("navigation", { name: "Bereiche" }).getByRole("button", { name }).click(),
    ]),
    ...["Auswertung", "Suchbaum", "Öffnen, einfügen oder teilen"].map((name) => [
        name,
        (page, tab) => openMenu(tab, "Mehr zu dieser Partie", name),
    ]),
    ["Stellungseditor", (page, tab) => openMenu(tab, "Mehr zu dieser Partie", "Stellung aufbauen")],
    [
        "KIs",
        async (page, tab) => {
            const places = tab.getByRole("navigation", { name: "Bereiche" })
            const link = places.getByRole("button", { name: "KIs" })
            await ((await link.isVisible()) ? link.click() : openMenu(tab, "Mehr", "KIs"))
        },
    ],
]

async function openMenu(tab, menu, item) {
    await tab.getByLabel(menu, { exact: true }).click()
    await tab.locator(".menu[open]").getByRole("button", { name: item, exact: true }).click()
}

scenario(
    "a browser that prefers German shows German from the first frame",
    { ...german, prepare: (tab) => Promise.all([watchShifts(tab), watchHeadlines(tab)]) },
    async (page, tab) => {
        await page.hasHeadline(/^Du bist am Zug$/)
        assert.equal(await tab.locator("html").getAttribute("lang"), "de")
        assert.equal(await tab.title(), "Du bist am Zug · Rookery")
        await isGerman(tab, "a new game")
        await page.hasText(tab.locator(".tile:has(:checked)"), /^Stufe 2\s*1150$/)
        assert.deepEqual(
            await tab.evaluate(() =>
                window.headlines.filter(
                    (text) => !["…", "Weiß ist am Zug", "Du bist am Zug"].includes(text),
                ),
            ),
            [],
        )
        assert.deepEqual(await shiftsOf(tab), [])
    },
)

/** Records every headline that is shown. */
const watchHeadlines = (tab) =>
    tab.addInitScript(() => {
        window.headlines = []
        const record = () => {
            const text = document.querySelector("h1")?.textContent
            if (text && window.headlines.at(-1) !== text) window.headlines.push(text)
        }
        new MutationObserver(record).observe(document, {
            subtree: true,
            childList: true,
            characterData: true,
        })
    })

scenario("an English browser requests no German texts", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const scripts = await tab.evaluate(() =>
        performance
            .getEntriesByType("resource")
            .map(({ name }) => name)
            .filter((name) => name.endsWith(".js")),
    )
    assert.equal(scripts.length, 1, scripts.join())
})

scenario("uses the browser's first known language", { locale: "fr-FR" }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    assert.equal(await tab.locator("html").getAttribute("lang"), "en")
})

scenario("the setting changes the language at once and persists", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.button("Settings").first().click()
    await tab.getByLabel("Language").selectOption({ label: "Deutsch" })
    await page.hasHeadline(/^Du bist am Zug$/)
    await tab
        .getByRole("dialog", { name: "Einstellungen" })
        .getByRole("button", { name: "Schließen" })
        .click()
    await isGerman(tab, "after the choice")
    await tab.reload()
    await page.hasHeadline(/^Du bist am Zug$/)
    await page.button("Einstellungen").first().click()
    await tab.getByLabel("Sprache").selectOption({ label: "English" })
    await page.hasHeadline(/^Your move$/)
    assert.equal(await tab.locator("html").getAttribute("lang"), "en")
})

scenario(
    "plays a game with German piece letters",
    { ...german, path: "/#moves=e2e4%20e7e5", prepare: watchShifts },
    async (page, tab) => {
        await page.plays(2)
        const notice = tab.getByTestId("notice")
        await tab.getByLabel("Dein Zug").fill("Sd4")
        await tab.keyboard.press("Enter")
        await page.hasText(
            notice,
            /^Sd4 ist hier nicht legal\. Legale Springerzüge: Sa3, Sc3, Se2, Sf3, Sh3\.$/,
        )
        await shiftsOf(tab)
        await type(page, tab, "Lc4", "sc6", "Dh5", "Ba6")
        await page.hasPlayed("e4", "e5", "Lc4", "Sc6", "Dh5", "a6")
        assert.deepEqual(await shiftsOf(tab), [])
        await type(page, tab, "Dxf7")
        await page.hasHeadline(/^Weiß gewinnt durch Matt$/)
        await page.hasText(
            tab.locator("[aria-live=polite]"),
            /^Dame schlägt f7, Matt\. Weiß gewinnt durch Matt$/m,
        )
        await page.hasPlayed("e4", "e5", "Lc4", "Sc6", "Dh5", "a6", "Dxf7#")
        await isGerman(tab, "the end of a game")
        // Files and links keep English letters, which every program reads.
        await openMenu(tab, "Mehr zu dieser Partie", "Öffnen, einfügen oder teilen")
        await page.button("PGN").click()
        await until(
            async () =>
                /3\. Qh5 a6 4\. Qxf7# 1-0/.test(
                    await tab.getByLabel("PGN", { exact: true }).inputValue(),
                ),
            "the PGN has English letters",
        )
    },
)

scenario(
    "explains illegal typed moves in German",
    {
        ...german,
        path: `/#fen=${encodeURIComponent("rnbqk1nr/pppp1ppp/4p3/8/1b6/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1")}`,
    },
    async (page, tab) => {
        await page.has("b4", "bb")
        await page.acceptsMoves()
        await tab.getByLabel("Dein Zug").fill("d3")
        await tab.keyboard.press("Enter")
        await page.hasText(
            tab.getByTestId("notice"),
            /^Der weiße Bauer auf d2 kann nicht nach d3: gefesselt durch den schwarzen Läufer auf b4\. Legale Bauernzüge: a3, [^.]+\.$/,
        )
    },
)

scenario(
    "shows an AI's lines, numbers and dates in German",
    { ...german, path: "/#moves=e2e4%20e7e5" },
    async (page, tab) => {
        await page.plays(2)
        await views[2][1](page, tab)
        await tab.getByTestId("analysis-settings").locator("summary").first().click()
        await tab.getByLabel("Suchlimit").selectOption("depth")
        await tab.getByLabel("Limit in Halbzügen").fill("2")
        await page.analyse()
        const answer = tab.getByTestId("answer-basic1")
        await page.hasText(answer.locator(".score.big"), /^[+−]\d+,\d\d$/)
        await page.hasText(answer.locator(".depth"), /^Tiefe 2\/2 · /)
        assert.match(
            (await answer.locator("li:first-child .san").allInnerTexts()).join(" "),
            /^\S+ ([SLDTK]?[a-h]?x?[a-h][1-8]\S* ?)+$/,
        )
        await openMenu(tab, "Mehr zu dieser Partie", "Öffnen, einfügen oder teilen")
        await page.hasText(
            tab.getByTestId("recent").locator("li").first(),
            new RegExp(String.raw`\d{2}\.\d{2}\.${new Date().getFullYear()}, \d{2}:\d{2}`),
        )
    },
)

scenario(
    "shows a review and its lesson in German",
    { ...german, path: "/#moves=f2f3%20e7e5%20g2g4%20d8h4" },
    async (page, tab) => {
        await page.plays(4)
        await openMenu(tab, "Mehr zu dieser Partie", "Auswertung")
        await tab.getByRole("button", { name: "Einstellungen der Auswertung" }).click()
        await tab.getByText("erlaubt Matt in 1").waitFor()
        assert.deepEqual(await tab.locator(".side-report dt").allInnerTexts(), [
            "Ungenauigkeiten",
            "Fehler",
            "grobe Fehler",
            "Ungenauigkeiten",
            "Fehler",
            "grobe Fehler",
        ])
        await isGerman(tab, "the report")
        await page.button("Aus den Fehlern von Weiß lernen").click()
        await page.hasText(
            tab.getByTestId("lesson"),
            /war ein(e Ungenauigkeit| Fehler| grober Fehler)\. Finde einen besseren Zug\.$/m,
        )
        await isGerman(tab, "a lesson")
        await page.button("Lösung zeigen").click()
        await page.hasText(tab.getByTestId("lesson"), /^Der beste Zug ist \S+\.$/m)
    },
)

for (const [what, context] of [
    ["320 px", { viewport: { width: 320, height: 640 } }],
    ["a desktop", { viewport: { width: 1280, height: 860 } }],
]) {
    scenario(
        `every view is German, fits and is accessible on ${what}`,
        { ...german, ...context, path: "/#moves=e2e4%20e7e5%20g1f3" },
        async (page, tab) => {
            await page.plays(3)
            for (const [name, open] of views) {
                await open(page, tab)
                const folded = tab.locator(
                    ".side details.technical:not([open]) > summary:visible, .ais > li:first-child > details:not([open]) > summary:visible",
                )
                while ((await folded.count()) > 0) await folded.first().click()
                await isGerman(tab, name)
                await fits(tab, name)
                assert.deepEqual(await accessibilityViolations(tab), [], name)
                await page.picture(
                    `german-${context.viewport.width}-${name.toLowerCase().replace(/\W+/g, "-")}`,
                )
            }
        },
    )
}

for (const [what, context] of [
    ["320 px", { viewport: { width: 320, height: 640 } }],
    ["a desktop", { viewport: { width: 1280, height: 860 } }],
]) {
    const prepare = (tab) => replaceArena(tab, {})
    scenario(
        `the arena is German, fits and is accessible on ${what}`,
        { ...german, ...context, path: "/arena", prepare },
        async (page, tab) => {
            const heading = (name) =>
                tab.getByRole("heading", { level: 1, name, exact: true }).waitFor()
            await heading("Arena")
            await until(
                () => tab.evaluate(() => window.live.connections === 1),
                "the stream is open",
            )
            await tab.evaluate((record) => window.live.send(record), running)
            await page.hasText(tab.locator(".last-move"), /^1… e5/)
            const check = async (name) => {
                await isGerman(tab, name)
                await fits(tab, name)
                assert.deepEqual(await accessibilityViolations(tab), [], name)
                await page.picture(`german-${context.viewport.width}-arena-${name.toLowerCase()}`)
            }
            await check("Arena")
            await tab
                .getByRole("navigation", { name: "Arena" })
                .getByRole("link", { name: "Partien" })
                .click()
            await heading("Partien")
            await tab.getByRole("region", { name: "Gefundene Partien" }).waitFor()
            await check("Partien")
            await tab
                .getByRole("region", { name: "Gefundene Partien" })
                .getByRole("link", { name: "nnue1" })
                .first()
                .click()
            await tab.getByRole("region", { name: "Versionen" }).waitFor()
            await check("Spieler")
        },
    )
}

scenario(
    "nothing unexpected moves while the arena loads in German",
    {
        ...german,
        path: "/arena",
        prepare: (tab) => Promise.all([replaceArena(tab, {}), watchShifts(tab)]),
    },
    async (page, tab) => {
        const hasLadder = (name) =>
            tab.getByRole("region", { name, exact: true }).locator("tbody tr").first().waitFor()
        const moved = async () =>
            (await shiftsOf(tab)).map((shift) => shift.replace(/^[\d.]+ /, ""))
        await hasLadder("Rangliste")
        const inGerman = await moved()
        await tab.evaluate(() => localStorage.setItem("language", "en"))
        await tab.reload()
        await hasLadder("Ladder")
        const inEnglish = new Set(await moved())
        assert.deepEqual(
            inGerman.filter((names) => !inEnglish.has(names)),
            [],
        )
    },
)
