// What the page and its PGN say and draw about reviewed moves.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"
import { stubReport } from "./report-stub.js"

withServer()

const path = `/#fen=${encodeURIComponent("r3k3/p7/8/3N4/8/8/8/4K3 b - - 0 1")}&moves=a7a6%20d5c7%20e8d7%20e1d1`
const fork = {
    kind: "allows_fork",
    text: "allows the knight on c7 to fork the king on e8 and the rook on a8",
    value: 5,
    at: 1,
    by: { piece: "knight", square: "c7" },
    targets: [
        { piece: "king", square: "e8" },
        { piece: "rook", square: "a8" },
    ],
    start: "after",
    line: ["d5c7", "e8d7", "c7a8", "d7c6"],
    san: ["Nc7+", "Kd7", "Nxa8", "Kc6"],
    after: 3,
    instead: { line: ["e8d7"], san: ["Kd7"] },
}
const loss = {
    kind: "loses_material",
    text: "loses a rook",
    piece: "rook",
    square: "a8",
    value: 5,
    lost: ["rook"],
    won: [],
    start: "after",
    line: fork.line,
    san: fork.san,
    after: 3,
    instead: fork.instead,
}
const onlyMove = {
    kind: "only_move",
    text: "is the only good move",
    evidence: "lines",
    start: "after",
    line: [],
    san: [],
    after: 0,
}
const missed = {
    kind: "misses_material",
    text: "misses winning a rook",
    piece: "rook",
    square: "a8",
    value: 5,
    lost: ["rook"],
    won: [],
    start: "before",
    line: ["c7a8", "d7c6"],
    san: ["Nxa8", "Kc6"],
    after: 1,
}
const prepare = (tab) =>
    stubReport(tab, {
        1: { judgement: "blunder", san: "a6", best: [["e8d7", "Kd7"]], claims: [fork, loss] },
        2: { san: "Nc7+", best: [["d5c7", "Nc7+"]], claims: [onlyMove] },
        4: { judgement: "mistake", san: "Kd1", best: [["c7a8", "Nxa8"]], claims: [missed] },
    })

async function review(page, tab) {
    await page.plays(4)
    await page.open("Report")
    await page.counts(".bad-moves li", 2)
    return async () =>
        (await tab.locator(".bad-moves .claim").allInnerTexts()).map((text) =>
            text.replace(/\s+/g, " ").trim(),
        )
}

scenario(
    "the review explains a bad move with the line that proves it",
    { path, prepare },
    async (page, tab) => {
        const claimsOf = await review(page, tab)
        assert.deepEqual(await claimsOf(), [
            "allows the knight on c7 to fork the king on e8 and the rook on a8: 2.Nc7+Kd73.Nxa8",
            "loses a rook: 2.Nc7+Kd73.Nxa8",
            "misses winning a rook: 3.Nxa8",
        ])
        await page.picture("claims")
        await tab.locator(".claim").first().getByRole("button", { name: "Nxa8" }).click()
        await page.hasHeadline(/^Position in a line$/)
        await page.has("a8", "wn")
        await page.has("d7", "bk")
        // This line starts before the move.
        await tab.locator(".claim").last().getByRole("button", { name: "Nxa8" }).click()
        await page.has("d7", "bk")
        await page.has("e1", "wk")
    },
)

scenario(
    "the board draws the claims of bad moves, and the panel lists the claims of good moves",
    { path, prepare },
    async (page, tab) => {
        await review(page, tab)
        const marked = (kind) =>
            tab
                .locator(`[data-testid=board] .mark-${kind}`)
                .evaluateAll((marks) =>
                    marks.map((mark) => `${mark.getAttribute("x")},${mark.getAttribute("y")}`),
                )
        await tab.locator(".bad-moves > li > button", { hasText: "a6??" }).click()
        await page.counts(".arrow-threat", 1)
        await page.counts(".arrow-better", 1)
        await page.counts(".mark-issue", 3)
        assert.equal(new Set(await marked("issue")).size, 3)
        await page.picture("claims-drawn")
        await page.button("Next move").click()
        await page.counts(".arrow-threat", 0)
        await page.counts(".mark-issue", 0)
        const good = tab.getByRole("region", { name: "This move" })
        await page.hasText(good, /2\. Nc7\+\s+is the only good move$/)
        await page.button("Go to end").click()
        await page.counts(".arrow-better", 1)
        await page.counts(".mark-inspected", 1)
        await page.counts("section[aria-label='This move']", 0)
        await page.open("Play")
        await page.counts(".arrow-better", 0)
        await page.counts(".mark-inspected", 0)
    },
)

scenario("shows claims in German", { path, prepare, locale: "de-DE" }, async (page, tab) => {
    await page.plays(4)
    await tab.getByLabel("Mehr zu dieser Partie", { exact: true }).click()
    await tab
        .locator(".menu[open]")
        .getByRole("button", { name: "Auswertung", exact: true })
        .click()
    await page.hasText(
        tab.locator(".claim").first(),
        /^erlaubt dem Springer auf c7 eine Gabel gegen den König auf e8 und den Turm auf a8: 2\.\s*Sc7\+/,
    )
})

const commands = [
    "[%why allows_fork value=5 at=1 by=knight-c7 targets=king-e8,rook-a8 start=after line=d5c7,e8d7,c7a8,d7c6 after=3 instead=e8d7]",
    "[%why loses_material piece=rook square=a8 value=5 lost=rook won= start=after line=d5c7,e8d7,c7a8,d7c6 after=3 instead=e8d7]",
]
const sentences = "Allows the knight on c7 to fork the king on e8 and the rook on a8. Loses a rook."

scenario(
    "the PGN adds each glyph and claim once to the user's annotations",
    { path, prepare },
    async (page, tab) => {
        await review(page, tab)
        const hasPgn = async (...parts) => {
            await page.open("Position")
            await page.button("PGN").click()
            const pgn = async () =>
                (
                    await tab.getByRole("textbox", { name: "PGN", exact: true }).inputValue()
                ).replaceAll("\n", " ")
            const hasAll = (text) => parts.every((part) => text.includes(part))
            await until(async () => hasAll(await pgn()), `the PGN has ${parts.join(" and ")}`, pgn)
            return pgn()
        }
        const first = await hasPgn(
            `1... a6 $4 {[%eval 0.00] ${commands.join(" ")} ${sentences}} (1... Kd7) 2. Nc7+ {`,
            "[%why only_move evidence=lines start=after line= after=0] Is the only good move.}",
            "Kd7 {[%eval 0.00]} 3. Kd1 $2 {",
            "Misses winning a rook.} (3. Nxa8) *",
        )
        // The same game with a glyph and a comment by the user.
        await page.paste(first.replace("$4", "$6").replace(sentences, `${sentences} A slip.`))
        await page.hasText(page.moves, /A slip\./)
        const annotated = `1... a6 $6 {${commands.join(" ")} [%eval 0.00] ${sentences} A slip.} (1... Kd7) 2. Nc7+ {`
        const kept = await hasPgn(annotated)
        await review(page, tab)
        assert.equal(await hasPgn(annotated), kept)
    },
)
