// Analyses, opening books and tablebases.

import type { Color } from "../../api/types"
import { common } from "./common"
import { count } from "../plural"

const { colors } = common

export const analysis = {
    depth: "depth",
    atDepth: (depth: string) => `depth ${depth}`,
    positions: "positions",
    speed: "positions/s",
    time: "time",
    of: (ai: string) => `${ai}’s analysis`,
    finished: "finished",
    searching: "searching",
    limitUsed: "Limit used",
    addMove: (move: string | undefined) => `Add ${move} to the game`,
    addLine: "Add this line to the game",
    boardAfter: (move: string) => `Board after ${move}`,

    stop: "Stop",
    engine: "Engine",
    ais: (ais: number) => count(ais, "AI", "AIs"),
    review: (done: number, all: number) => `Review: ${done} of ${count(all, "move", "moves")}`,
    comparison: (done: number, all: number) =>
        `Comparison: ${done} of ${count(all, "move", "moves")}`,
    settings: "Analysis settings",
    developers: "For developers",
    gameIsOver: "The game is over in this position.",
    select: "Select one AI to see its best lines, or several to compare them.",
    agree(most: number, all: number, move: string | undefined): string {
        const ais = most < all ? `${most} of ${all}` : all === 2 ? "Both" : `All ${all}`
        return `${ais} AIs ${most === 1 ? "chooses" : "choose"} ${move}.`
    },
    disagree: "Each AI chooses a different move.",
    options: "AI options",
    compareGame: "Compare whole game",
    selectAi: "Select an AI",
    analyseWith: "Analyse this position with",
    optionsIgnored: "A comparison ignores these options and uses the server’s defaults.",
    lines: "Lines",
    lineCount: (lines: number) => count(lines, "line", "lines"),
    fewerLines: "Fewer lines",
    moreLines: "More lines",

    book: "Book",
    bookMoves: "Book moves",
    bookName: (book: string) => `The opening book ${book}`,
    notInBook: "Not in the opening book",
    weight: (weight: number) => `Weight ${weight}`,
    tablebase: "Tablebase",
    tablebaseMoves: "Tablebase moves",
    fromTablebase: "From the tablebase: half-moves to the next capture, pawn move or mate",
    wdl: {
        win: "win",
        cursed_win: "cursed win",
        draw: "draw",
        blessed_loss: "blessed loss",
        loss: "loss",
    },
    wins: (color: Color) => `${colors[color]} wins`,
    draw: "Draw",
    savedByRule: (color: Color) => `Draw: the 50-move rule saves ${colors[color]}`,
    best: (moves: string) => `best ${moves}`,
}
