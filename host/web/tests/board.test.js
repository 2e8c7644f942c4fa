// The board: pointer, keyboard, promotion, premoves, drawings, and its size.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

scenario(
    "a click elsewhere does not interrupt a move's animation",
    { reducedMotion: "no-preference" },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "")
        await page.acceptsMoves()
        const { x, y, width } = await page.square("e2").boundingBox()
        // Clicks in one call, while the animation is still running.
        await tab.evaluate(
            ([x, y, width]) => {
                const press = (x, y) => {
                    for (const kind of ["down", "up"]) {
                        const init = {
                            bubbles: true,
                            button: 0,
                            clientX: x,
                            clientY: y,
                            isPrimary: true,
                        }
                        const target = document.elementFromPoint(x, y)
                        target.dispatchEvent(new PointerEvent(`pointer${kind}`, init))
                        target.dispatchEvent(new MouseEvent(`mouse${kind}`, init))
                    }
                }
                press(x + width / 2, y + width / 2)
                press(x + width / 2, y - 1.5 * width)
                press(2, 2)
            },
            [x, y, width],
        )
        await page.hasPlayed("e4")
        await page.has("e4", "wp")
        await page.has("e2", null)
        await page.press("e7", "e5")
        await page.hasPlayed("e4", "e5")
    },
)

scenario("plays a move with the keyboard", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.locator("[data-testid=board] svg.chessboard").focus()
    for (const key of [
        "ArrowRight",
        "ArrowRight",
        "ArrowRight",
        "ArrowUp",
        "Enter",
        "ArrowUp",
        "ArrowUp",
        "Enter",
    ])
        await tab.keyboard.press(key)
    await page.has("d4", "wp")
    await page.plays(2)
    await page.hasText(page.moves, /d4/)
})

scenario("dropping a piece with the keyboard hides its legal moves", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.locator("[data-testid=board] svg.chessboard").focus()
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
        for (let press = 0; press < 3; press += 1)
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "f", bubbles: true }))
    })
    await tab.getByRole("region", { name: "Board, Black at the bottom" }).waitFor()
    await until(
        async () =>
            (await page.square("h8").boundingBox()).y > (await page.square("a1").boundingBox()).y,
        "Black is below",
    )
})

scenario("plays a whole game with the keyboard", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "first")
    await page.button("Start").focus()
    const board = tab.locator("[data-testid=board] svg.chessboard")
    await until(async () => {
        await tab.keyboard.press("Tab")
        return board.evaluate((board) => board === document.activeElement)
    }, "the Tab key focuses the board")
    let [file, rank] = [0, 0]
    const goTo = async (square) => {
        const [to, up] = ["abcdefgh".indexOf(square[0]), Number(square[1]) - 1]
        for (; file !== to; file += Math.sign(to - file))
            await tab.keyboard.press(to > file ? "ArrowRight" : "ArrowLeft")
        for (; rank !== up; rank += Math.sign(up - rank))
            await tab.keyboard.press(up > rank ? "ArrowUp" : "ArrowDown")
        await tab.keyboard.press("Enter")
    }
    const plan = [
        ["e2", "e4"],
        ["f1", "c4"],
        ["d1", "h5"],
        ["h5", "f7"],
    ]
    for (const [index, [from, to]] of plan.entries()) {
        await page.acceptsMoves()
        await goTo(from)
        await page.counts(".mark-from", 1)
        await goTo(to)
        await until(
            async () => (await page.played()).length > 2 * index,
            `${from} to ${to} is played`,
        )
    }
    await page.hasHeadline(/^You won by checkmate$/)
})

scenario("a key flips the board", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.keyboard.press("f")
    await tab.getByRole("region", { name: "Board, Black at the bottom" }).waitFor()
    await page.button("Flip board").click()
    await tab.getByRole("region", { name: "Board, White at the bottom" }).waitFor()
})

scenario(
    "castling moves both pieces",
    { path: "/#fen=r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" },
    async (page) => {
        await page.players("", "")
        await page.press("e1", "g1")
        await page.has("g1", "wk")
        await page.has("f1", "wr")
        await page.press("e8", "c8")
        await page.has("d8", "br")
        await page.hasPlayed("O-O", "O-O-O")
    },
)

scenario(
    "an en passant capture removes the pawn",
    { path: "/#fen=4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1" },
    async (page) => {
        await page.players("", "")
        await page.press("a2", "a4")
        await page.has("a4", "wp")
        await page.press("b4", "a3")
        await page.has("a4", null)
        await page.has("a3", "bp")
    },
)

scenario(
    "promotes a pawn to the selected piece",
    { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" },
    async (page, tab) => {
        await page.players("", "")
        await page.press("a7", "a8")
        await tab.getByRole("button", { name: "Knight" }).waitFor()
        await page.picture("promotion")
        await tab.getByRole("button", { name: "Knight" }).click()
        await page.has("a8", "wn")
        await page.hasPlayed("a8=N")
    },
)

scenario(
    "selects or cancels a promotion with the keyboard",
    { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" },
    async (page, tab) => {
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
    },
)

scenario(
    "the promotion dialog closes when its position changes",
    { path: "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1" },
    async (page, tab) => {
        await page.press("a7", "a8")
        await tab.getByRole("button", { name: "Knight" }).waitFor()
        await page.open("Play")
        await page.pieces(32)
        await page.counts(".promotion-dialog-button", 0)
        await page.press("e2", "e4")
        await page.plays(2)
    },
)

/** Returns the centre of a square. */
async function middleOf(page, square) {
    const { x, y, width } = await page.square(square).boundingBox()
    return { x: x + width / 2, y: y + width / 2 }
}

async function dragByMouse(page, tab, from, to, button = "left") {
    const [start, end] = [await middleOf(page, from), await middleOf(page, to)]
    await tab.mouse.move(start.x, start.y)
    await tab.mouse.down({ button })
    await tab.mouse.move(end.x, end.y, { steps: 3 })
    await tab.mouse.up({ button })
}

scenario(
    "no click is lost while the reply glides",
    { reducedMotion: "no-preference" },
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.players("", "quick")
        await page.press("e2", "e4")
        await page.plays(2)
        // At each of these delays after the reply, a click must pick up the knight.
        const lost = await tab.evaluate(async () => {
            const square = (name) =>
                document.querySelector(`[data-testid=board] rect.square[data-square=${name}]`)
            const click = (name) => {
                const { left, top, width } = square(name).getBoundingClientRect()
                const init = {
                    bubbles: true,
                    button: 0,
                    isPrimary: true,
                    clientX: left + width / 2,
                    clientY: top + width / 2,
                }
                const target = document.elementFromPoint(init.clientX, init.clientY)
                for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
                    target.dispatchEvent(
                        new (type.startsWith("pointer") ? PointerEvent : MouseEvent)(type, init),
                    )
                }
            }
            const frame = () => new Promise(requestAnimationFrame)
            const button = (name) =>
                [...document.querySelectorAll("button")].find(
                    (button) => button.textContent === name || button.ariaLabel === name,
                )
            let lost = 0
            for (let round = 0; round < 20; round += 1) {
                button("Previous move").click()
                await frame()
                button("Next move").click()
                while (!document.querySelector("[data-testid=board] .input-enabled")) await frame()
                for (let wait = 0; wait < round; wait += 1) await frame()
                click("g1")
                await frame()
                await frame()
                if (document.querySelectorAll("[data-testid=board] .mark-from").length !== 1)
                    lost += 1
                click("g1")
                await frame()
            }
            return lost
        })
        assert.equal(lost, 0)
    },
)

scenario("plays a premove after the reply, and drops an illegal one", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    for (const [from, to, plies] of [
        ["d2", "d4", 4],
        ["d2", "d5", 2],
    ]) {
        if (to === "d5") await page.button("New game").click()
        await page.button("Start").click()
        await page.hasPlayed()
        const release = await page.holdAnswers()
        await page.press("e2", "e4")
        await page.hasHeadline(/is thinking$/)
        await page.square(from).click()
        await page.square(to).click()
        await page.counts(".mark-premove", 2)
        release()
        await page.plays(plies)
        await page.hasHeadline(/^Your move$/)
        await page.counts(".mark-premove", 0)
        await tab.unroute("**/v1/best-move")
    }
})

for (const [what, path, from, to, played] of [
    ["a move", "/", "g1", "f3", ["Nf3"]],
    ["a promotion", "/#fen=7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7", "a8", ["a8=R+"]],
]) {
    scenario(`plays ${what} entered before the legal moves arrive`, { path }, async (page, tab) => {
        await page.has(from, from === "g1" ? "wn" : "wp")
        await page.players("", "")
        await page.acceptsMoves()
        let release
        const held = new Promise((resolve) => (release = resolve))
        await tab.route("**/v1/legal-moves", async (route) => {
            await held
            await route.continue()
        })
        await tab.reload()
        await page.has(from, from === "g1" ? "wn" : "wp")
        await page.square(from).click()
        await page.counts(".mark-from", 1)
        await page.square(to).click()
        await page.counts(".mark-premove", 2)
        release()
        if (what === "a promotion") await page.button("Rook").click()
        await page.hasPlayed(...played)
    })
}

scenario(
    "an illegal drop shows its reason next to the board",
    { path: "/#fen=4k3/8/8/8/8/5r2/8/4K2R w K - 0 1" },
    async (page, tab) => {
        await page.has("f3", "br")
        await page.players("", "")
        await page.acceptsMoves()
        await dragByMouse(page, tab, "e1", "g1")
        const notice = tab.getByTestId("notice")
        await notice
            .getByText(
                /^The white king on e1 can’t go to g1: the king would pass through f1, attacked by the black rook on f3\. Legal king moves: /,
            )
            .waitFor()
        await page.has("e1", "wk")
        await page.press("e1", "d2")
        await page.hasText(notice, /^$/)
    },
)

scenario(
    "the right button draws arrows and circles, and a click clears them",
    {},
    async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await dragByMouse(page, tab, "g1", "f3", "right")
        await page.square("e4").click({ button: "right" })
        await page.counts(".arrow-drawn", 1)
        await page.counts(".mark-circle", 1)
        await dragByMouse(page, tab, "g1", "f3", "right")
        await page.counts(".arrow-drawn", 0)
        await page.square("h5").click()
        await page.counts(".mark-circle", 0)
    },
)

scenario(
    "drags editor pieces onto, across and off the board",
    { refusals: [422] },
    async (page, tab) => {
        await page.open("Position")
        await page.button("Board editor").click()
        await page.button("white pawn").click()
        await dragByMouse(page, tab, "g1", "d7")
        await page.has("d7", "wn")
        await page.has("g1", null)
        await dragByMouse(page, tab, "b1", "d2")
        await page.has("d2", "wn")
        const { x, y } = await middleOf(page, "a1")
        await tab.mouse.move(x, y)
        await tab.mouse.down()
        await tab.mouse.move(5, 5, { steps: 3 })
        await tab.mouse.up()
        await page.has("a1", null)
        await page.open("Play")
        await page.has("g1", "wn")
        await page.open("Position")
        await page.has("d7", "wn")
    },
)

for (const [width, height] of [
    [640, 430],
    [844, 390],
    [390, 844],
    [1280, 860],
]) {
    scenario(
        `the whole board is visible at ${width}×${height}`,
        { viewport: { width, height } },
        async (page, tab) => {
            await page.hasHeadline(/^Your move$/)
            const { top, bottom, right, side, overflow } = await tab.evaluate(() => {
                const { top, bottom, right, width } = document
                    .querySelector("[data-testid=board] svg")
                    .getBoundingClientRect()
                return {
                    top,
                    bottom,
                    right,
                    side: width,
                    overflow: document.documentElement.scrollWidth,
                }
            })
            assert.ok(
                top >= 0 && bottom <= height && right <= width,
                `the board reaches from ${top} to ${bottom} and to ${right}`,
            )
            assert.ok(side >= 0.6 * Math.min(width, height), `the board is ${side} px wide`)
            assert.ok(overflow <= width, `the page is ${overflow} px wide`)
            await page.picture(`size-${width}x${height}`)
        },
    )
}

scenario(
    "shades squares by the controlling side",
    { path: "/#fen=4k3/8/8/8/4n3/3B4/8/4K3 w - - 0 1" },
    async (page, tab) => {
        await page.pieces(4)
        await page.counts("[class*=mark-control], .mark-contested", 0)
        const show = async (isShown) => {
            await page.button("Settings").click()
            await tab.getByLabel("Show control of squares").setChecked(isShown)
            await page.button("Close").click()
        }
        await show(true)
        // The knight and the king attack d2 and f2 once each.
        await page.counts(".mark-contested", 2)
        await page.counts(".mark-control-white", 9)
        await page.counts(".mark-control-black", 11)
        await page.picture("control")
        await show(false)
        await page.counts("[class*=mark-control], .mark-contested", 0)
    },
)

scenario("no piece stays picked up after the game ends", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.press("e2", "e4")
    await page.plays(2)
    await page.acceptsMoves()
    await page.square("d2").click()
    await page.counts(".mark-from", 1)
    await tab.locator("[data-action=resign]").click()
    await tab.getByRole("group", { name: "Resign?" }).getByRole("button").first().click()
    await page.hasHeadline(/^You resigned$/)
    await page.counts(".mark-from", 0)
    await page.counts(".mark-target", 0)
})

for (const [what, cancel] of [
    ["the right button", async (tab) => tab.mouse.down({ button: "right" })],
    ["Escape", async (tab) => tab.keyboard.press("Escape")],
]) {
    scenario(`${what} puts back a dragged piece`, {}, async (page, tab) => {
        await page.hasHeadline(/^Your move$/)
        await page.acceptsMoves()
        const [from, to] = await Promise.all(
            ["e2", "e4"].map((name) => page.square(name).boundingBox()),
        )
        await tab.mouse.move(from.x + 20, from.y + 20)
        await tab.mouse.down()
        await tab.mouse.move(to.x + 20, to.y + 20, { steps: 3 })
        await page.counts(".mark-from", 1)
        await cancel(tab)
        await page.counts(".mark-from", 0)
        await tab.mouse.move(to.x + 25, to.y + 25, { steps: 3 })
        await tab.mouse.up()
        await tab.mouse.up({ button: "right" })
        await page.has("e2", "wp")
        await page.hasPlayed()
        await page.counts(".arrow-drawn", 0)
        await page.press("d2", "d4")
        await page.plays(2)
    })
}

scenario("Escape cancels a premove", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.players("", "quick")
    const release = await page.holdAnswers()
    await page.press("e2", "e4")
    await page.hasHeadline(/is thinking$/)
    await page.square("d2").click()
    await page.square("d4").click()
    await page.counts(".mark-premove", 2)
    await tab.keyboard.press("Escape")
    await page.counts(".mark-premove", 0)
    release()
    await page.plays(2)
    await page.hasHeadline(/^Your move$/)
    await page.has("d2", "wp")
    await page.plays(2)
})

scenario("announces a piece picked up with Enter", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await page.acceptsMoves()
    await tab.getByRole("application").focus()
    const said = tab.locator("[data-testid=board] [aria-live=polite]")
    await page.hasText(said, /^a1, white rook$/)
    await tab.keyboard.press("ArrowRight")
    await tab.keyboard.press("Enter")
    await page.hasText(said, /^b1, white knight, picked up$/)
    await tab.keyboard.press("Escape")
    await page.hasText(said, /^b1, white knight$/)
})
