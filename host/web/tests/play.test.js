// Playing by mouse, keyboard and text, against AIs and on both sides.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

scenario("a new game starts against the first AI", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.pieces(32)
    await until(async () => (await tab.getByLabel("Black", { exact: true }).inputValue()) === "basic1", "Basic1 has Black")
})

scenario("a clicked piece shows its legal moves, and the AI answers the move", {}, async (page, tab) => {
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
})

scenario("a piece is dragged to its square, and returns after an illegal move", {}, async (page, tab) => {
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

scenario("a click elsewhere does not interrupt the animation of a move", { reducedMotion: "no-preference" }, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.acceptsMoves()
    const { x, y, width } = await page.square("e2").boundingBox()
    // In one call, so that the animation is still running.
    await tab.evaluate(([x, y, width]) => {
        const press = (x, y) => {
            for (const type of ["mousedown", "mouseup"]) {
                document.elementFromPoint(x, y).dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0, clientX: x, clientY: y }))
            }
        }
        press(x + width / 2, y + width / 2)
        press(x + width / 2, y - 1.5 * width)
        press(2, 2)
    }, [x, y, width])
    await page.hasPlayed("e4")
    await page.has("e4", "wp")
    await page.has("e2", null)
    await page.press("e7", "e5")
    await page.hasPlayed("e4", "e5")
})

scenario("a move is played with the keyboard", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.locator("[data-testid=board] svg.cm-chessboard").focus()
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp", "Enter", "ArrowUp", "ArrowUp", "Enter"]) await tab.keyboard.press(key)
    await page.has("d4", "wp")
    await page.plays(2)
    await page.hasText(page.moves, /d4/)
})

scenario("moves are entered in SAN and UCI, and an illegal move is reported", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("e4", "e7e5", "Nf3")
    await page.hasHeadline(/^Black to move$/)
    await tab.getByLabel("Your move").fill("nc6")
    await tab.keyboard.press("Enter")
    await tab.getByText("nc6 is not a legal move.").waitFor()
    await page.write("Nc6", "Bc4", "Bc5", "0-0")
    await page.has("f1", "wr")
})

scenario("castling moves both pieces", { path: "/#fen=r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" }, async (page) => {
    await page.players("", "")
    await page.press("e1", "g1")
    await page.has("g1", "wk")
    await page.has("f1", "wr")
    await page.press("e8", "c8")
    await page.has("d8", "br")
    await page.hasPlayed("O-O", "O-O-O")
})

scenario("a pawn captured en passant is removed", { path: "/#fen=4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1" }, async (page) => {
    await page.players("", "")
    await page.press("a2", "a4")
    await page.has("a4", "wp")
    await page.press("b4", "a3")
    await page.has("a4", null)
    await page.has("a3", "bp")
})

scenario("a pawn is promoted to the selected piece", { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" }, async (page, tab) => {
    await page.players("", "")
    await page.press("a7", "a8")
    await tab.getByRole("button", { name: "Knight" }).waitFor()
    await page.picture("promotion")
    await tab.getByRole("button", { name: "Knight" }).click()
    await page.has("a8", "wn")
    await page.hasPlayed("a8=N")
})

scenario("a promotion is selected with the keyboard, or cancelled", { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" }, async (page, tab) => {
    await page.players("", "")
    await page.press("a7", "a8")
    await tab.getByRole("button", { name: "Queen" }).waitFor()
    await tab.keyboard.press("Escape")
    await page.has("a7", "wp")
    await page.press("a7", "a8")
    await tab.getByRole("button", { name: "Queen" }).waitFor()
    await tab.keyboard.press("ArrowDown")
    await tab.keyboard.press("Enter")
    await page.has("a8", "wr")
    await page.hasPlayed("a8=R+")
})

scenario("an open promotion dialog closes with its position", { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" }, async (page, tab) => {
    await page.press("a7", "a8")
    await tab.getByRole("button", { name: "Knight" }).waitFor()
    await page.button("New game").click()
    await page.pieces(32)
    await page.counts(".promotion-dialog-button", 0)
    await page.press("e2", "e4")
    await page.hasPlayed("e4")
})

scenario("a whole game is won against a weak AI, and the result is shown", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "first")
    const plan = ["e4", "Bc4", "Qh5", "Qxf7#"]
    const requests = []
    tab.on("request", (request) => request.url().endsWith("/v1/best-move") && requests.push(request))
    for (const [index, move] of plan.entries()) {
        await page.hasHeadline(/^Your move/)
        await tab.getByLabel("Your move").fill(move)
        await tab.keyboard.press("Enter")
        await until(async () => (await page.played()).length >= 2 * index + 1, `${move} is played`)
    }
    await page.hasHeadline(/^White wins by checkmate$/)
    await page.plays(7)
    await page.hasText(tab.getByTestId("bar"), /^1–0$/)
    await page.counts(".mark-check", 1)
    assert.equal(requests.length, plan.length - 1, "no request is sent after the end of the game")
    await page.disabled("Resign")
    await page.picture("won")
    await page.button("Game report").click()
    await page.button("Analyse the game").waitFor()
    await page.button("Play again").click()
    await page.hasPlayed()
    await page.hasHeadline(/^Your move$/)
})

scenario("with Black the AI moves first, and the board is flipped", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.button("Switch sides").click()
    await page.plays(1)
    await page.hasHeadline(/^Your move$/)
    await tab.getByRole("region", { name: "Board, Black at the bottom" }).waitFor()
    const corner = (name) => page.square(name).boundingBox()
    await until(async () => (await corner("h8")).y > (await corner("a1")).y, "h8 is below a1")
    await until(async () => (await corner("h8")).x < (await corner("a1")).x, "h8 is left of a1")
    await page.press("e7", "e5")
    await page.has("e5", "bp")
})

scenario("undo takes back the moves of the AI and of the user", {}, async (page) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await page.hasHeadline(/^Your move$/)
    await page.button("Undo").click()
    await page.has("e2", "wp")
    await page.hasHeadline(/^Your move$/)
    await page.hasPlayed()
})

scenario("resigning loses the game, and a new game can be started", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.hasHeadline(/^Your move$/)
    await page.plays(2)
    await page.button("Resign").click()
    await page.hasHeadline(/^Black wins by resignation$/)
    await tab.reload()
    await page.plays(2)
    await page.hasHeadline(/^Black wins by resignation$/)
    await page.button("New game").click()
    await page.hasHeadline(/^Your move$/)
    await page.hasPlayed()
})

scenario("a draw is claimed by threefold repetition", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "")
    await page.write("Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8")
    await tab.getByRole("button", { name: "Claim a draw by threefold repetition" }).click()
    await page.hasHeadline(/^Draw by threefold repetition$/)
})

scenario("navigation shows earlier positions, and a move played there drops the later moves", {}, async (page, tab) => {
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
    await page.hasPlayed("e4", "c5")
})

scenario("check and captured pieces are shown", { path: "/#moves=e2e4 d7d5 e4d5 d8d5 b1c3 d5e5" }, async (page, tab) => {
    await page.hasHeadline(/^White to move, in check$/)
    await page.counts(".mark-check", 1)
    await tab.getByTestId("player-white").getByLabel("Captured: black pawn").waitFor()
    await tab.getByTestId("player-black").getByLabel("Captured: white pawn").waitFor()
})

scenario("the board is flipped by a key", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.keyboard.press("f")
    await tab.getByRole("region", { name: "Board, Black at the bottom" }).waitFor()
    await page.button("Flip board").click()
    await tab.getByRole("region", { name: "Board, White at the bottom" }).waitFor()
})

scenario("the move of an AI is added at the end while an earlier position is shown", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const release = await page.holdAnswers()
    await page.press("e2", "e4")
    await page.hasHeadline(/is thinking$/)
    await tab.keyboard.press("ArrowLeft")
    await page.has("e2", "wp")
    release()
    await page.plays(2)
    await page.hasText(page.moves, /e4/)
    await page.has("e4", "wp")
    await page.hasHeadline(/^Your move$/)
})

scenario("an answer to a changed game is discarded", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const release = await page.holdAnswers()
    await page.press("e2", "e4")
    await page.hasHeadline(/is thinking$/)
    await page.button("Undo").click()
    await page.press("d2", "d4")
    await page.hasHeadline(/is thinking$/)
    release()
    await page.plays(2)
    await page.has("e4", null)
    await page.hasText(page.moves, /^1\.\s*d4/)
})

scenario("undo is disabled before the first move of the user", {}, async (page) => {
    await page.hasHeadline(/^Your move$/)
    await page.disabled("Undo")
    await page.players("first", "")
    await page.plays(1)
    await page.hasHeadline(/^Your move$/)
    await page.disabled("Undo")
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
    await until(async () => (await tab.getByLabel("Black", { exact: true }).inputValue()) === "first", "the opponent is the same")
    await page.press("d2", "d4")
    await page.plays(4)
})

scenario("a piece dropped with the keyboard hides its legal moves", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.locator("[data-testid=board] svg.cm-chessboard").focus()
    await tab.keyboard.press("ArrowRight")
    for (const key of ["Enter", "Escape"]) {
        await tab.keyboard.press("Enter")
        await page.counts(".mark-target", 2)
        await tab.keyboard.press(key)
        await page.counts(".mark-target, .mark-from", 0)
    }
})

scenario("the board handles several quick flips", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.evaluate(() => {
        for (let press = 0; press < 3; press += 1) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "f", bubbles: true }))
    })
    await tab.getByRole("region", { name: "Board, Black at the bottom" }).waitFor()
    await until(async () => (await page.square("h8").boundingBox()).y > (await page.square("a1").boundingBox()).y, "Black is below")
})

scenario("a whole game is played with the keyboard", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "first")
    await page.button("New game").focus()
    const board = tab.locator("[data-testid=board] svg.cm-chessboard")
    await until(async () => {
        await tab.keyboard.press("Tab")
        return board.evaluate((board) => board === document.activeElement)
    }, "the Tab key focuses the board")
    let [file, rank] = [0, 0]
    const goTo = async (square) => {
        const [to, up] = ["abcdefgh".indexOf(square[0]), Number(square[1]) - 1]
        for (; file !== to; file += Math.sign(to - file)) await tab.keyboard.press(to > file ? "ArrowRight" : "ArrowLeft")
        for (; rank !== up; rank += Math.sign(up - rank)) await tab.keyboard.press(up > rank ? "ArrowUp" : "ArrowDown")
        await tab.keyboard.press("Enter")
    }
    const plan = [["e2", "e4"], ["f1", "c4"], ["d1", "h5"], ["h5", "f7"]]
    for (const [index, [from, to]] of plan.entries()) {
        await page.acceptsMoves()
        await goTo(from)
        await page.counts(".mark-from", 1)
        await goTo(to)
        await until(async () => (await page.played()).length > 2 * index, `${from} to ${to} is played`)
    }
    await page.hasHeadline(/^White wins by checkmate$/)
})
