// Moves as screen readers say them.

import { scenario, withServer } from "./browser.js"

withServer()

const game = `1. e4 d5 2. exd5 c5 3. dxc6 Nxc6 4. Nf3 Bg4 5. Nc3 Qd6 6. Be2 O-O-O 7. O-O Nf6 8. Nb5 Qd5
9. c4 Qf5 10. d4 Bxf3 11. Bxf3 Nxd4 12. Nxa7+ Kb8 13. Bf4+ Ka8 14. Bxb7+ Kxb7 *`
const promotion = '[FEN "7k/P5pp/8/8/8/8/8/K7 w - - 0 1"]\n\n1. a8=Q# *'

for (const [locale, words, end] of [
    [
        "en-US",
        {
            1: "e4",
            3: "e-pawn takes d5",
            5: "d-pawn takes c6 en passant",
            6: "Knight takes c6",
            12: "Castles queenside",
            13: "Castles kingside",
            23: "Knight takes a7, check",
        },
        /^a8, promotes to queen, checkmate\./,
    ],
    [
        "de-DE",
        {
            1: "e4",
            3: "e-Bauer schlägt d5",
            5: "d-Bauer schlägt c6 en passant",
            6: "Springer schlägt c6",
            12: "Lange Rochade",
            13: "Kurze Rochade",
            23: "Springer schlägt a7, Schach",
        },
        /^a8, wird Dame, Matt\./,
    ],
]) {
    scenario(
        `describes moves in words: ${locale}`,
        { path: "/#place=analyse", locale },
        async (page, tab) => {
            const said = tab.locator(".side [aria-live=polite].visually-hidden")
            const paste = async (pgn) => {
                await tab.evaluate((text) => navigator.clipboard.writeText(text), pgn)
                await tab.keyboard.press("ControlOrMeta+v")
            }
            await page.hasHeadline(/./)
            await paste(game)
            await page.plays(28)
            await tab.keyboard.press("Home")
            for (let ply = 1; ply <= 23; ply += 1) {
                await tab.keyboard.press("ArrowRight")
                if (words[ply]) await page.hasText(said, new RegExp(`^${words[ply]}\\.$`))
            }
            await paste(promotion)
            await page.hasText(said, end)
        },
    )
}
