// Import and export of positions, the board editor, and the inspection of squares.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"

withServer()

const fools = '[Event "?"]\n[Result "0-1"]\n\n1. f3 {weak} e5 2. g4 Qh4# 0-1'

scenario("loads a pasted FEN", {}, async (page, tab) => {
    await page.paste("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    await page.has("h1", "wr")
    await page.has("a8", null)
    await page.pieces(4)
})

scenario("reports a malformed FEN", { refusals: [422] }, async (page, tab) => {
    await page.paste("rnbqkbnr/pppppppp/9/8 w KQkq - 0 1")
    await tab.getByTestId("issues").waitFor()
    await page.hasText(tab.getByTestId("issues"), /.{20}/)
    await page.has("e2", "wp")
})

scenario("reports text in no known format", { refusals: [400] }, async (page, tab) => {
    await page.paste("What is this?")
    await page.hasText(
        tab.getByTestId("issues"),
        /^This is not a chess game or position that the page can read$/,
    )
})

scenario("marks a position's issues on their squares", { refusals: [422] }, async (page, tab) => {
    await page.paste("P3k3/8/8/8/8/8/8/4K2p w - - 0 1")
    await page.has("a8", "wp")
    await page.counts(".mark-issue", 2)
    await page.hasText(tab.getByTestId("issues"), /a8[^]*h1|h1[^]*a8/)
    await page.picture("issues")
    await page.button("Cancel").click()
    await page.has("e2", "wp")
})

const analysis = { path: "/#place=analyse" }

scenario(
    "a position in a tablebase shows its result and the best moves",
    analysis,
    async (page, tab) => {
        const line = tab.getByTestId("tablebase")
        await page.paste("8/8/8/8/8/8/k1K1p3/8 b - - 0 1")
        await page.hasText(line, /^Black wins DTZ 1 · best e1=/)
        await page.paste("8/8/8/8/4k3/8/P7/7K w - - 0 1")
        await page.hasText(line, /^Draw best K/)
        await page.picture("tablebase")
        await page.paste("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
        await page.counts("[data-testid=tablebase]", 0)
    },
)

scenario(
    "probes tablebases only for positions with few enough pieces",
    analysis,
    async (page, tab) => {
        const asked = []
        tab.on("request", (request) => {
            const { pathname } = new URL(request.url())
            if (pathname.startsWith("/v1/tablebase")) asked.push(pathname)
        })
        for (const [fen, pieces] of [
            ["4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1", 6],
            ["4k3/p7/8/8/8/8/PP6/4K3 w - - 0 1", 5],
        ]) {
            await page.paste(fen)
            await page.pieces(pieces)
            await page.hasHeadline(/^White to move$/)
        }
        await page.paste("4k3/8/8/8/8/8/P7/4K3 w - - 0 1")
        await tab.getByTestId("tablebase").waitFor()
        assert.deepEqual(asked, ["/v1/tablebases", "/v1/tablebase"])
    },
)

scenario("loads a pasted PGN with its moves", {}, async (page) => {
    await page.paste(fools)
    await page.hasHeadline(/^Black wins by checkmate$/)
    await page.hasPlayed("f3", "e5", "g4", "Qh4#")
    await page.button("Go to start").click()
    await page.has("d8", "bq")
})

scenario("loads a board from an HTML table", {}, async (page, tab) => {
    const pieces = { "0,4": "♚", "7,4": "♔", "7,0": "♖" }
    const square = (_, index) => [Math.floor(index / 8), index % 8]
    const cells = Array.from({ length: 64 }, square).map(
        ([row, col]) =>
            `<td data-row="${row}" data-col="${col}">${pieces[`${row},${col}`] ?? ""}</td>`,
    )
    await page.paste(`<table>${cells.join("")}</table>`)
    await page.has("a1", "wr")
    await page.pieces(3)
})

scenario(
    "loads a BlogChess board as its author wrote it",
    { refusals: [422] },
    async (page, tab) => {
        const pieces = { a8: "♜", e8: "♚", c3: "♘", a1: "♖", e1: "♔" }
        const cell = (col, row) =>
            `<td data-col="${col}" data-row="${row}">${pieces[col + row] ?? ""}</td>`
        // Each row starts with a cell for its number, and no row has an end tag.
        const rows = [8, 7, 6, 5, 4, 3, 2, 1].map(
            (row) =>
                `<tr><td>${row}</td>${[..."abcdefgh"].map((col) => cell(col, row)).join("")}<tr>`,
        )
        await page.paste(`<table>${rows.join("")}</table>`)
        for (const [square, piece] of [
            ["a8", "br"],
            ["e8", "bk"],
            ["c3", "wn"],
            ["a1", "wr"],
            ["e1", "wk"],
            ["a7", null],
        ])
            await page.has(square, piece)
        await page.pieces(5)
        // If cells mix two kinds of coordinates, the error names the first cell that differs.
        await page.paste(
            `<table>${rows.join("").replace('data-col="c" data-row="3"', 'data-col="2" data-row="5"')}</table>`,
        )
        await page.hasText(tab.getByTestId("issues"), /data-row 5, data-col 2 /)
    },
)

scenario(
    "sets up a position in the board editor and plays it",
    { refusals: [422] },
    async (page, tab) => {
        await page.open("Position")
        await page.button("Board editor").click()
        await page.button("Clear board").click()
        await tab.getByTestId("issues").waitFor()
        await page.disabled("Play from here")
        for (const [name, square] of [
            ["white king", "e1"],
            ["black king", "e8"],
            ["white queen", "d1"],
        ]) {
            await page.button(name).click()
            await page.square(square).click()
        }
        await page.counts("[data-testid=issues]", 0)
        await page.picture("set-up")
        await page.button("Play from here").click()
        await page.open("Play")
        await page.players("", "")
        await page.press("d1", "d7")
        await page.hasHeadline(/^Black to move, in check$/)
    },
)

scenario("sets up an unreachable position, with a note", { refusals: [422] }, async (page, tab) => {
    await page.open("Position")
    await page.button("Board editor").click()
    await page.button("Clear board").click()
    for (const [name, square] of [
        ["white king", "f1"],
        ["black king", "e8"],
        ["white knight", "d6"],
        ["white knight", "f6"],
    ]) {
        await page.button(name).click()
        await page.square(square).click()
    }
    await tab.getByLabel("Side to move").selectOption("black")
    await page.hasText(tab.getByTestId("setup-note"), /^No legal move leads to this check\./)
    await page.counts("[data-testid=issues]", 0)
    await page.button("Play from here").click()
    await page.pieces(4)
})

const forms = [
    ["an EPD", "epd", '4k3/8/8/8/8/8/8/R3K2R w KQ - bm O-O; id "castle";'],
    ["moves in SAN without numbers", "san", "e4 e5 Nf3"],
    ["moves in UCI", "uci", "e2e4 e7e5 g1f3"],
    [
        "a diagram",
        "text",
        "r.bqkb.r\npppp.ppp\n..n..n..\n....p..Q\n..B.P...\n........\nPPPP.PPP\nRNB.K.NR",
    ],
    [
        "a board in C#",
        "csharp",
        `new int[,] { {-6, 0, 0, 0, 0, 0, 0, 0},\n${"{0, 0, 0, 0, 0, 0, 0, 0}, // empty\n".repeat(6)}{6, 0, 0, 0, 0, 4, 0, 0} };`,
    ],
]
for (const [form, format, text] of forms) {
    scenario(`pasting ${form} loads it`, analysis, async (page, tab) => {
        await page.paste(text)
        await (text.startsWith("e") ? page.hasPlayed("e4", "e5", "Nf3") : page.has("b8", null))
        await page.hasHeadline(/ to move$/)
        if (["san", "uci"].includes(format)) await page.counts("[data-testid=format]", 0)
        else await page.hasText(tab.getByTestId("format"), new RegExp(`^Read as ${format}$`))
    })
}

for (const [spelling, text] of [
    ["German letters", "1. e4 e5 2. Sf3 {Der Sf3 droht} Sc6 3. Lb5 (3. Lc4 Lc5) 3... a6"],
    ["figurines", "1. e4 e5 2. ♘f3 {Der Sf3 droht} ♞c6 3. ♗b5 (3. ♗c4 ♝c5) 3... a6"],
]) {
    scenario(`accepts pasted moves in ${spelling}`, { refusals: [422] }, async (page, tab) => {
        await page.paste(text)
        await page.hasPlayed("e4", "e5", "Nf3", "Nc6", "Bb5", "a6")
        await page.hasText(page.moves, /Der Sf3 droht/)
        await page.hasText(tab.getByTestId("variation"), /Bc4\s*Bc5/)
    })
}

scenario("explains a null move in a game", { refusals: [422] }, async (page, tab) => {
    await page.paste("1. e4 -- 2. d4")
    await page.hasText(
        tab.getByTestId("issues"),
        /^Move 1… -- is a null move, which is not legal; remove it/,
    )
})

scenario(
    "reads a link to a Lichess board, and gives advice for a link to a game",
    {},
    async (page, tab) => {
        await page.paste(
            "https://lichess.org/analysis/standard/4k3/8/8/8/8/8/8/R3K3_w_-_-_0_1?color=white",
        )
        await page.pieces(3)
        await page.paste("https://lichess.org/abcdefgh/black")
        await page.hasText(
            tab.getByTestId("issues"),
            /^The page cannot open links to lichess\.org; copy the game’s PGN there and paste it here$/,
        )
        await page.pieces(3)
    },
)

scenario(
    "reports a damaged link to a Lichess board",
    { refusals: [400, 422] },
    async (page, tab) => {
        await page.paste("https://lichess.org/analysis/4k3/8/8/8/8/8/8/R3K3_w%zz")
        await page.hasText(tab.getByTestId("issues"), /w%zz/)
        await page.button("Cancel").click()
        await page.paste("https://lichess.org/analysis/4k3/8/8/8/8/8/8/R3K3%20w_-_-_0_1")
        await page.pieces(3)
    },
)

scenario(
    "byte-order marks after a tag do not block the page",
    { refusals: [400, 422] },
    async (page, tab) => {
        await page.paste(`[A "b"]${"\uFEFF".repeat(40)}x`)
        await page.hasText(tab.getByTestId("issues"), /.{20}/)
    },
)

scenario(
    "an exported game can be pasted again",
    { path: "/#moves=e2e4 e7e5 g1f3" },
    async (page, tab) => {
        for (const name of ["PGN", "HTML"]) {
            await page.hasPlayed("e4", "e5", "Nf3")
            await page.open("Position")
            await page.button(name).click()
            const text = await tab.getByRole("textbox", { name, exact: true }).inputValue()
            await page.paste("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
            await page.hasPlayed()
            await page.paste(text)
        }
        await page.hasPlayed("e4", "e5", "Nf3")
    },
)

scenario(
    "copies a position as FEN, PGN, HTML and a link that opens it",
    { path: "/#moves=e2e4 e7e5" },
    async (page, tab) => {
        await page.has("e5", "bp")
        await page.open("Position")
        const copied = async (name) => {
            await page.button(name).click()
            await tab.getByRole("textbox", { name, exact: true }).waitFor()
            return tab.evaluate(() => navigator.clipboard.readText())
        }
        assert.equal(
            await copied("FEN"),
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        )
        assert.match(await copied("PGN"), /1\. e4 e5/)
        assert.match(await copied("HTML"), /data-col/)
        const link = await copied("Link")
        await tab.goto("about:blank")
        await tab.goto(link)
        await page.has("e5", "bp")
        await page.hasPlayed("e4", "e5")
    },
)

scenario("sets up a position with the keyboard", { refusals: [422] }, async (page, tab) => {
    await page.open("Position")
    for (const name of ["Board editor", "Clear board", "white king"]) {
        await page.button(name).focus()
        await tab.keyboard.press("Enter")
    }
    await tab.locator("[data-testid=board] svg.chessboard").focus()
    await tab.keyboard.press("Enter")
    await page.has("a1", "wk")
    await page.button("black king").focus()
    await tab.keyboard.press("Enter")
    await tab.locator("[data-testid=board] svg.chessboard").focus()
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await tab.keyboard.press(key)
    await page.has("c1", "bk")
    await page.counts("[data-testid=issues]", 0)
})

scenario("a key shows the legal moves of a piece", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    await tab.locator("[data-testid=board] svg.chessboard").focus()
    await tab.keyboard.press("ArrowRight")
    await tab.keyboard.press("i")
    await tab.getByTestId("inspection").getByText("Legal moves: a3, c3.").waitFor()
    await page.hasText(tab.getByTestId("inspection"), /d2: blocked by its own piece/)
})

scenario(
    "a link to an illegal game reports the reason",
    { path: "/#moves=e2e4 e2e4", refusals: [422] },
    async (page, tab) => {
        await tab
            .getByTestId("issues")
            .getByText(/e2e4 is illegal/)
            .waitFor()
        await page.has("e2", "wp")
    },
)

scenario(
    "a long press shows a piece's legal moves, and why others are illegal",
    { path: "/#fen=4k3/8/8/8/8/2b5/8/R3K2N w Q - 0 1" },
    async (page, tab) => {
        await page.has("h1", "wn")
        const { x, y, width } = await page.square("h1").boundingBox()
        await tab.mouse.move(x + width / 2, y + width / 2)
        await tab.mouse.down()
        await tab.getByTestId("inspection").getByText("No legal moves.").waitFor()
        await tab.mouse.up()
        await page.hasText(
            tab.getByTestId("inspection"),
            /f2: its king would be in check from the black bishop on c3/,
        )
        await page.counts(".mark-illegal", 2)
        await page.picture("why")
        await tab.keyboard.press("Escape")
        await page.counts("[data-testid=inspection]", 0)
    },
)

scenario("AIs do not move in a pasted game", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const requests = []
    tab.on(
        "request",
        (request) => request.url().endsWith("/v1/best-move") && requests.push(request),
    )
    await page.paste(
        '[Event "A {strange} one"]\n\n1. e4 {best by test [%clk 0:03:00]} e5 (1... c5 2. Nf3 (2. c3 d5) 2... d6) 2. Nf3 $1 ; a comment\n*',
    )
    await page.hasPlayed("e4", "e5", "Nf3!")
    await page.hasHeadline(/^Black to move$/)
    assert.equal(requests.length, 0)
})

for (const [number, back] of [
    ["518", "rnbqkbnr"],
    ["0", "bbqnnrkr"],
    ["959", "rkrnnqbb"],
]) {
    scenario(`sets up Chess960 position ${number}`, { refusals: [422] }, async (page, tab) => {
        await page.open("Position")
        await page.button("Board editor").click()
        await page.button("Clear board").click()
        await tab.getByLabel("Chess960 position, 0 to 959").fill(number)
        await tab.keyboard.press("Enter")
        for (const [file, piece] of [...back].entries())
            await page.has(`${"abcdefgh"[file]}8`, `b${piece}`)
        await page.counts("[data-testid=issues]", 0)
        await page.button("Play from here").click()
        await page.press("e2", "e4")
        await page.plays(2)
    })
}

scenario(
    "drags pieces from the palette to the board",
    { path: "/#place=analyse", refusals: [422] },
    async (page, tab) => {
        await page.open("Position")
        await page.button("Board editor").click()
        await page.button("Clear board").click()
        for (const [name, square, code] of [
            ["white king", "e1", "wk"],
            ["black king", "e8", "bk"],
            ["white rook", "a1", "wr"],
        ]) {
            await page.button(name).dragTo(page.square(square))
            await page.has(square, code)
        }
        // A piece dropped outside the board is not placed.
        await page.button("white queen").dragTo(tab.locator(".top"))
        await page.pieces(3)
        await page.button("Analyse from here").click()
        await page.hasHeadline(/^White to move$/)
    },
)

scenario(
    "edits a FEN live, with en passant square, castling rights and counters",
    { refusals: [422] },
    async (page, tab) => {
        await page.open("Position")
        await page.button("Board editor").click()
        const fen = tab.getByLabel("FEN", { exact: true })
        await fen.fill("4k3/8/8")
        await tab.getByText("This is not a FEN.").waitFor()
        await fen.fill("4k3/8/8/3pP3/8/8/8/4K2R w K d6 3 40")
        await tab.getByText("This is not a FEN.").waitFor({ state: "detached" })
        await page.has("h1", "wr")
        await page.counts("[data-testid=issues]", 0)
        const enPassant = tab.getByLabel("En passant")
        assert.equal(await enPassant.inputValue(), "d6")
        assert.equal(await tab.getByLabel("Move number").inputValue(), "40")
        await enPassant.selectOption("None")
        await tab.getByLabel("White O-O", { exact: true }).uncheck()
        await tab.getByLabel("Half-moves since a capture or pawn move").fill("7")
        await tab.getByLabel("Move number").fill("12")
        await tab.keyboard.press("Tab")
        assert.equal(await fen.inputValue(), "4k3/8/8/3pP3/8/8/8/4K2R w - - 7 12")
        // An incomplete FEN changes nothing.
        await fen.fill("4k3/8")
        await page.pieces(5)
        await fen.blur()
        assert.equal(await fen.inputValue(), "4k3/8/8/3pP3/8/8/8/4K2R w - - 7 12")
    },
)

scenario("loading a FEN keeps the opponent in Play", {}, async (page, tab) => {
    await page.hasHeadline(/^Your move$/)
    const opponent = await tab.getByTestId("player-black").locator("strong").innerText()
    await page.paste("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1")
    await page.has("e1", "wk")
    await page.press("a2", "a4")
    await page.plays(2)
    assert.equal(await tab.getByTestId("player-black").locator("strong").innerText(), opponent)
})

scenario("explains the shades of squares", {}, async (page, tab) => {
    await page.counts("[data-testid=control-legend]", 0)
    await tab.getByLabel("Settings").first().click()
    await tab.getByLabel("Show control of squares").check()
    await tab.keyboard.press("Escape")
    await page.hasText(
        tab.getByTestId("control-legend"),
        /^More attackers:\s*White\s*Black\s*equal$/,
    )
})

for (const [piece, fen, square, words] of [
    [
        "a pinned piece",
        "4k3/8/8/8/1b6/2N5/8/4K3 w - - 0 1",
        "c3",
        /^The white knight on c3 can’t move: pinned by the black bishop on b4\.$/,
    ],
    [
        "a piece that does not help a king in check",
        "4k3/8/8/8/7b/8/3P4/R3K3 w - - 0 1",
        "a1",
        /^The white rook on a1 can’t move: its king would be in check from the black bishop on h4\.$/,
    ],
    [
        "a piece of the other side",
        "4k3/8/8/8/1b6/2N5/8/4K3 w - - 0 1",
        "b4",
        /^The black bishop on b4 can’t move: it is the other side’s turn\.$/,
    ],
]) {
    scenario(
        `clicking ${piece} explains why it cannot move`,
        { path: `/#fen=${fen}` },
        async (page, tab) => {
            await page.acceptsMoves()
            await page.square(square).click()
            await page.hasText(tab.getByTestId("notice"), words)
            await page.square("e1").click()
            await page.counts(".mark-from", 1)
            await page.hasText(tab.getByTestId("notice"), /^$/)
        },
    )
}

scenario(
    "shows why the server rejects a move",
    { path: "/#place=analyse", refusals: [422] },
    async (page, tab) => {
        await page.open("Position")
        await page.button("Board editor").click()
        await tab.getByLabel("FEN", { exact: true }).fill("4k2r/8/8/8/8/8/8/R3K1R1 w GAh - 0 1")
        await page.button("Analyse from here").click()
        await page.press("a1", "a2")
        await page.hasText(tab.getByTestId("notice"), /double Fischer Random/)
        await page.has("a1", "wr")
    },
)
