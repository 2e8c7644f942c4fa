// Playing by mouse, keyboard and text, against AIs and for both sides.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

scenario("a reload before the AIs load keeps the default opponent", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.route("**/v1/ais", () => {})
    await tab.goto(new URL("/?visit", tab.url()).href)
    await page.hasHeadline(/^White to move$/)
    await tab.unroute("**/v1/ais")
    await tab.reload()
    await page.hasHeadline(/^Your move$/)
})

scenario("a new game is against the newcomer's level", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.pieces(32)
    assert.ok(await tab.getByRole("radio", { name: "Level 2 1150" }).isChecked())
    await page.hasText(tab.getByTestId("player-black"), /^Level 2\s*1150/)
})

scenario(
    "a clicked piece shows its legal moves, and the AI replies to a move",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.acceptsMoves()
        await page.square("e2").click()
        await page.counts(".mark-target", 2)
        await page.square("e4").click()
        await page.has("e4", "wp")
        await page.plays(2)
        await page.hasHeadline(/^Your move$/)
        await page.hasText(page.moves, /e4/)
        await page.counts(".mark-last", 2)
    },
)

scenario("drags a piece, which returns after an illegal move", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.acceptsMoves()
    await page.square("g1").dragTo(page.square("g5"))
    await page.has("g1", "wn")
    await page.square("g1").dragTo(page.square("f3"))
    await page.has("f3", "wn")
    await page.has("g1", null)
    await page.hasPlayed("Nf3")
})

scenario("accepts moves in SAN and UCI, and reports an illegal move", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("e4", "e7e5", "Nf3")
    await page.hasHeadline(/^Black to move$/)
    await tab.getByLabel("Your move").fill("Nd6")
    await tab.keyboard.press("Enter")
    const notice = tab.getByTestId("notice")
    await notice.getByText(/^Nd6 isn’t legal here/).waitFor()
    await tab.getByLabel("Your move").fill("O-O")
    await tab.keyboard.press("Enter")
    await notice
        .getByText(
            /^The black king on e8 can’t go to g8: blocked by the black bishop on f8\. Legal king moves: Ke7\.$/,
        )
        .waitFor()
    await page.write("nc6", "Bc4", "Bc5", "0-0")
    await page.has("f1", "wr")
})

scenario(
    "names the opening of the current position, even at earlier moves",
    {},
    async (page, tab) => {
        const opening = tab.getByTestId("opening")
        await page.hasHeadline(/^Your move$/)
        await page.players("", "")
        await page.counts("[data-testid=opening]", 0)
        await page.write("c4", "e6", "d4", "d5")
        await page.hasText(opening, /^D30 Queen's Gambit Declined$/)
        await page.write("h4", "h5")
        await page.hasText(opening, /^D30 Queen's Gambit Declined$/)
        await page.picture("opening")
        await page.button("Go to start").click()
        await page.counts("[data-testid=opening]", 0)
        await page.button("Next move").click()
        await page.hasText(opening, /^A10 English Opening$/)
    },
)

scenario("wins a whole game against a weak AI and shows the result", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "first")
    const plan = ["e4", "Bc4", "Qh5", "Qxf7#"]
    const requests = []
    tab.on(
        "request",
        (request) => request.url().endsWith("/v1/best-move") && requests.push(request),
    )
    for (const [index, move] of plan.entries()) {
        await page.hasHeadline(/^Your move/)
        await tab.getByLabel("Your move").fill(move)
        await tab.keyboard.press("Enter")
        await until(async () => (await page.played()).length >= 2 * index + 1, `${move} is played`)
    }
    await page.hasHeadline(/^You won by checkmate$/)
    await page.plays(7)
    await page.counts(".mark-check", 1)
    assert.equal(requests.length, plan.length - 1, "no request is sent after the end of the game")
    await page.counts("[data-action]", 0)
    await page.picture("won")
    await page.button("Review game").click()
    await tab.getByTestId("tool-report").waitFor()
    await page.open("Play")
    // The AI now plays White.
    await page.button("Rematch").click()
    await page.plays(1)
    await page.hasHeadline(/^Your move$/)
})

scenario("as Black, the board is flipped and the AI moves first", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.getByRole("radio", { name: "Black" }).check()
    await page.hasHeadline(/^Press Start to begin$/)
    await page.button("Start").click()
    await page.plays(1)
    await page.hasHeadline(/^Your move$/)
    await tab.getByRole("region", { name: "Board, Black at the bottom" }).waitFor()
    const corner = (name) => page.square(name).boundingBox()
    await until(async () => (await corner("h8")).y > (await corner("a1")).y, "h8 is below a1")
    await until(async () => (await corner("h8")).x < (await corner("a1")).x, "h8 is left of a1")
    await page.press("e7", "e5")
    await page.has("e5", "bp")
})

scenario("taking back undoes the AI's and the user's moves", {}, async (page) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await page.hasHeadline(/^Your move$/)
    await page.button("Take back").click()
    await page.has("e2", "wp")
    await page.hasHeadline(/^Your move$/)
    await page.hasPlayed()
    await page.button("Start").waitFor({ state: "detached" })
})

scenario("resigning loses the game and offers a new one", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.hasHeadline(/^Your move$/)
    await page.plays(2)
    const resign = tab.locator("[data-action=resign]")
    // The second click of a double click must not answer the question.
    await resign.dblclick()
    const question = tab.getByRole("group", { name: "Resign?" })
    await question.getByRole("button", { name: "No" }).click()
    await until(
        () => resign.evaluate((button) => button === document.activeElement),
        "it has the focus",
    )
    await page.hasHeadline(/^Your move$/)
    await resign.click()
    await question.getByRole("button", { name: "Yes" }).click()
    await page.hasHeadline(/^You resigned$/)
    await tab.reload()
    await page.plays(2)
    await page.hasHeadline(/^You resigned$/)
    await page.button("New game").click()
    await page.hasHeadline(/^Your move$/)
    await page.button("Start").waitFor()
})

scenario("claims a draw by threefold repetition", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8")
    await tab.getByRole("button", { name: "Claim a draw by threefold repetition" }).click()
    await page.hasHeadline(/^Draw by threefold repetition$/)
})

scenario(
    "navigation shows earlier positions, and a move played there opens a variation",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "")
        await page.write("e4", "e5", "Nf3")
        await page.button("Previous move").click()
        await page.has("g1", "wn")
        await tab.keyboard.press("ArrowLeft")
        await page.has("e7", "bp")
        await tab.keyboard.press("Home")
        await page.has("e2", "wp")
        await tab.keyboard.press("End")
        await page.has("f3", "wn")
        await page.moves.getByRole("button", { name: "e4" }).click()
        await page.has("e4", "wp")
        await page.has("e5", null)
        await page.hasHeadline(/^Black to move$/)
        await page.press("c7", "c5")
        await page.has("c5", "bp")
        await page.hasPlayed("e4", "e5", "Nf3")
        await page.hasText(tab.getByTestId("variation"), /^1…\s*c5$/)
    },
)

scenario(
    "shows check and captured pieces",
    { path: "/#moves=e2e4 d7d5 e4d5 d8d5 b1c3 d5e5" },
    async (page, tab) => {
        await page.hasHeadline(/^White to move, in check$/)
        await page.counts(".mark-check", 1)
        await tab.getByTestId("player-white").getByLabel("Captured: black pawn").waitFor()
        await tab.getByTestId("player-black").getByLabel("Captured: white pawn").waitFor()
    },
)

scenario(
    "an AI's move arrives while the board shows an earlier position",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        const release = await page.holdAnswers()
        await page.press("e2", "e4")
        await page.hasHeadline(/is thinking$/)
        await tab.keyboard.press("ArrowLeft")
        await page.has("e2", "wp")
        await page.hasHeadline(/^Starting position$/)
        release()
        await page.plays(2)
        await page.has("e2", "wp")
        await page.hasHeadline(/^Starting position$/)
        await page.button("Back to the game").click()
        await page.has("e4", "wp")
        await page.hasHeadline(/^Your move$/)
    },
)

scenario("discards an answer if the game has changed", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const release = await page.holdAnswers()
    await page.press("e2", "e4")
    await page.hasHeadline(/is thinking$/)
    await page.button("Take back").click()
    await page.press("d2", "d4")
    await page.hasHeadline(/is thinking$/)
    release()
    await page.plays(2)
    await page.has("e4", null)
    await page.hasText(page.moves, /^1\.\s*d4/)
    await page.hasText(tab.getByTestId("variation"), /^1\.\s*e4$/)
})

scenario("nothing can be undone before the user's first move", {}, async (page) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("first", "")
    await page.plays(1)
    await page.hasHeadline(/^Your move$/)
    await page.disabled("Take back")
})

scenario("a reload restores the game and its players", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "first")
    await page.press("e2", "e4")
    await page.plays(2)
    await page.hasHeadline(/^Your move$/)
    const before = await page.played()
    await tab.reload()
    await page.hasPlayed(...before)
    await page.hasText(tab.getByTestId("player-black"), /\(first\)/)
    await page.press("d2", "d4")
    await page.plays(4)
})

for (const [text, san] of [
    ["nf3", "Nf3"],
    ["e2-e4", "e4"],
    ["E2E4", "e4"],
    ["Ng1f3", "Nf3"],
    ["Sf3", "Nf3"],
    ["♘f3", "Nf3"],
    ["♙e4", "e4"],
    ["Pe4", "e4"],
]) {
    scenario(`understands typed ${text}`, {}, async (page) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "")
        await page.write(text)
        await page.hasPlayed(san)
    })
}

/** The pawn on d2 is pinned. */
const pin = `/#fen=${encodeURIComponent("rnbqk1nr/pppp1ppp/4p3/8/1b6/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1")}`
const illegalMoves = [
    [
        "d3",
        /^The white pawn on d2 can’t go to d3: pinned by the black bishop on b4\. Legal pawn moves: a3, [^.]+\.$/,
    ],
    ["d2d4", /^The white pawn on d2 can’t go to d4: pinned by the black bishop on b4\.$/],
    ["Rc3", /^Rc3 isn’t legal here\. Legal rook moves: Rb1\.$/],
    ["e4e5", /^e4e5 isn’t legal here: there is no piece on e4\.$/],
    ["a4=Q", /^The white pawn on a2 can’t go to a4: this promotion is not possible\. /],
    [
        "0-0",
        /^The white king on e1 can’t go to g1: blocked by the white (knight|bishop) on [fg]1\.$/,
    ],
]

scenario(
    "explains an illegal typed move by its most likely meaning",
    { path: pin },
    async (page, tab) => {
        await page.has("b4", "bb")
        await page.players("", "")
        await page.acceptsMoves()
        for (const [text, words] of illegalMoves) {
            await tab.getByLabel("Your move").fill(text)
            await tab.keyboard.press("Enter")
            await page.hasText(tab.getByTestId("notice"), words)
        }
    },
)

scenario("reports text that is not a move", { path: pin, refusals: [400] }, async (page, tab) => {
    await page.acceptsMoves()
    await tab.getByLabel("Your move").fill("hello")
    await tab.keyboard.press("Enter")
    await page.hasText(tab.getByTestId("notice"), /^hello isn’t legal here\.$/)
})

scenario("explains a typed null move", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.acceptsMoves()
    await tab.getByLabel("Your move").fill("--")
    await tab.keyboard.press("Enter")
    await page.hasText(
        tab.getByTestId("notice"),
        /^-- passes the turn, which chess does not allow\. Play a move for each side\.$/,
    )
})

scenario(
    "typing a8 asks for the promotion piece, and any other action clears an error",
    { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" },
    async (page, tab) => {
        await page.has("a7", "wp")
        await page.acceptsMoves()
        await tab.getByLabel("Your move").fill("a6")
        await tab.keyboard.press("Enter")
        const notice = tab.getByTestId("notice")
        await notice
            .getByText(
                /^The white pawn on a7 can’t go to a6: it does not move like that\. Legal pawn moves: a8=/,
            )
            .waitFor()
        await page.button("Flip board").click()
        await page.hasText(notice, /^$/)
        await tab.getByLabel("Your move").fill("a8")
        await tab.keyboard.press("Enter")
        await page.button("Rook").click()
        await page.hasPlayed("a8=R+")
    },
)
