// The board, moves, players and clocks of a game.

import type { Color } from "../../api/types"
import { common } from "./common"
import { count } from "../plural"

const { colors } = common

export const game = {
    you: "You",

    board: "Chessboard",
    boardRole: "chessboard",
    boardKeys:
        "Arrow keys select a square, Enter picks up or drops a piece, i shows its legal moves.",
    boardBelow: (color: Color) => `Board, ${colors[color]} at the bottom`,
    pickedUp: (square: string) => `${square}, picked up`,
    promoteTo: "Promote to",
    promotions: { queen: "Queen", rook: "Rook", bishop: "Bishop", knight: "Knight" },
    captured: (pieces: string) => `Captured: ${pieces}`,
    noCaptures: "No captures",
    notEvaluated: "Not evaluated yet",
    evaluation: (score: string, chance: string) => `${score}, White’s winning chance ${chance}%`,
    showChance: (text: string, label: string) => `${text}: ${label}. Show winning chance`,
    showPawns: (text: string, label: string) => `${text}: ${label}. Show pawns`,
    graph: "White’s winning chance over the game. Use the move list to select a position.",
    graphLines: "Lines of the graph",
    graphEmpty: "The game graph will appear here.",

    navigation: "Game navigation",
    toStart: "Go to start",
    previous: "Previous move",
    next: "Next move",
    toEnd: "Go to end",
    undo: "Undo",
    redo: "Redo",
    flip: "Flip board",
    resign: "Resign",
    more: "More about this game",
    autoplay: "Play through the game",
    stopAutoplay: "Stop autoplay",
    report: "Review",
    searchTree: "Search tree",
    open: "Open, paste or share",
    setUp: "Set up a position",
    save: "Download PGN",

    moves: "Moves",
    noMoves: "No moves yet. Move a piece.",
    openOrPaste: "Open or paste a game",
    ecoCode: "Code in the Encyclopaedia of Chess Openings",
    variation: (move: string) => `Variation ${move}`,
    ambiguous: (text: string, moves: readonly string[]) =>
        `${text} is ambiguous: ${moves.join(" or ")}.`,
    moveField: "Your move, for example Nf3 or g1f3",
    moveExample: "Nf3",
    typeMove: "Type a move",
    move: "Move",
    editGame: "Edit the game",
    editMove: (move: string) => `Edit ${move}`,
    glyph: "Annotation symbol",
    comment: "Comment",
    makeMainLine: "Make main line",
    deleteFrom: "Delete from here",
    copyFrom: "Copy PGN from here",
    editFacts: "Edit players and event",
    facts: {
        White: "White",
        Black: "Black",
        WhiteElo: "Elo of White",
        BlackElo: "Elo of Black",
        Event: "Event",
        Round: "Round",
        Site: "Site",
        Date: "Date",
    },
    result: "Result",
    factsDone: "Done",
    round: (round: string) => `round ${round}`,

    clocks: "Clocks",
    noClocks: "None",
    minutesAndSeconds: (minutes: number, seconds: number) =>
        `${minutes} ${minutes === 1 ? "minute" : "minutes"}${seconds > 0 ? ` plus ${count(seconds, "second", "seconds")} per move` : ""}`,
    ownTime: "Custom",
    minutes: "Minutes per player",
    minutesUnit: "min +",
    seconds: "Seconds per move",
    secondsUnit: "s",
    resumeClocks: "Resume clocks",
    pauseClocks: "Pause clocks",

    level: (step: string) => `Level ${step}`,
    strongest: "Strongest",
    start: "Start",
    opponent: "Opponent",
    opponentOn: (scale: string) => `Opponent and approximate Elo (${scale})`,
    friend: "A friend here",
    otherAi: "Another AI…",
    ai: "AI",
    yourSide: "Your side",
    random: "Random",
    startFrom: "Start from",
    starts: { standard: "Standard", position: "This position", chess960: "Chess960" },

    actions: { hint: "Hint", draw: "Offer draw", takeBack: "Take back", resign: "Resign" },
    hintIs: (move: string) => `Hint: ${move}`,
    /** How an AI answers a draw offer, with its score for the position. */
    drawAnswers: {
        worse: (ai: string, score: string) => `${ai} accepts: its position is worse (${score}).`,
        level: (ai: string, score: string) => `${ai} accepts: the position is equal (${score}).`,
        early: (ai: string, _: string) =>
            `${ai} declines: it accepts a draw in an equal position only after move 20.`,
        better: (ai: string, score: string) => `${ai} declines: its position is better (${score}).`,
        unknown: (ai: string, _: string) =>
            `${ai} declines: it has not evaluated the position yet.`,
    },
    questions: { resign: "Resign?", draw: "Agree to a draw?" },
    yes: "Yes",
    no: "No",

    newGame: "New game",
    claimDraw: (reason: string) => `Claim a draw ${reason}`,
    fallback: (ai: string, chosen: string) => `${ai} answered in place of ${chosen}.`,
}
