// The score sheet that is printed instead of the page.

import assert from "node:assert/strict"
import { deflateRawSync } from "node:zlib"
import { scenario, until, withServer } from "./browser.js"

withServer()

const pgn = `[Event "Immortal Game"]
[Site "London"]
[Date "1851.06.21"]
[White "Anderssen, Adolf"]
[Black "Kieseritzky, Lionel"]
[WhiteElo "2600"]
[Result "1-0"]

1. e4 e5 2. f4 exf4 {The gambit is accepted.} 3. Bc4 Qh4+ 4. Kf1 b5
(4... d6 5. Nf3 (5. d4 Nf6) 5... Qh6 {is calmer}) 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5
9. Nf5 c6 10. g4 Nf6 11. Rg1! cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15. Bxf4 Qf6 16. Nc3 Bc5
17. Nd5 Qxb2 18. Bd6 Bxg1 19. e5 Qxa1+ 20. Ke2 Na6 21. Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7# 1-0
`
const path = `/#game=${deflateRawSync(pgn).toString("base64url")}&ply=44`

scenario(
    "prints a score sheet with all moves and nothing else",
    { path, colorScheme: "dark", viewport: { width: 720, height: 1018 } },
    async (page, tab) => {
        await page.hasText(tab.getByTestId("facts"), /Anderssen/)
        await tab.emulateMedia({ media: "print" })
        const sheet = tab.locator(".score-sheet")
        await sheet.waitFor()
        assert.equal(await tab.locator("#page").isVisible(), false)
        const text = (await sheet.innerText()).replace(/\s+/g, " ")
        for (const words of [
            "Anderssen, Adolf (2600) – Kieseritzky, Lionel",
            "Immortal Game · London · 1851.06.21",
            "1–0",
            "The gambit is accepted.",
            "(4… d6 5. Nf3 (5. d4 Nf6) 5… Qh6 is calmer)",
            "11. Rg1! cxb5",
            "22. Qf6+ Nxf6 23. Be7#",
            "Position after 22… Nxf6",
        ])
            assert.ok(text.includes(words), `“${words}” is not in ${text}`)
        assert.equal(await sheet.locator(".small-board use").count(), 23)
        const paper = await tab.evaluate(
            () => getComputedStyle(document.documentElement).colorScheme,
        )
        assert.equal(paper, "light")
        await page.picture("score-sheet")
        await tab.emulateMedia({ media: "screen" })
        await until(() => sheet.isHidden(), "the page is back")
        assert.ok(await tab.locator("#page").isVisible())
    },
)

scenario("prints a game of two hundred moves on a few pages", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const shuffle = ["Nf3 Nf6", "Ng1 Ng8"]
    const long = Array.from({ length: 100 }, (_, index) => `${index + 1}. ${shuffle[index % 2]}`)
    await page.paste(`[White "A"]\n[Black "B"]\n\n${long.join(" ")} *`)
    await page.hasText(tab.getByTestId("facts"), /A – B/)
    const file = (await tab.pdf({ format: "A4" })).toString("latin1")
    const count = Number(/\/Type \/Pages[^]*?\/Count (\d+)/.exec(file)?.[1])
    assert.ok(count >= 1 && count <= 3, `${count} pages`)
})

scenario(
    "prints a position with its FEN",
    { path: "/#fen=8/8/8/4k3/8/8/4P3/4K3 w - - 0 1" },
    async (page, tab) => {
        await page.pieces(3)
        await tab.emulateMedia({ media: "print" })
        const sheet = tab.locator(".score-sheet")
        await page.hasText(sheet, /^Analysis\n[^]*8\/8\/8\/4k3\/8\/8\/4P3\/4K3 w - - 0 1$/)
    },
)
