// The review of a game.

import { count } from "../plural"

export const report = {
    accuracy: "accuracy",
    plurals: { inaccuracy: "inaccuracies", mistake: "mistakes", blunder: "blunders" },
    best: "best:",
    insert: "Add to the game",
    inserted: "In the game",
    theory: (opening: string) => `theory: ${opening}`,
    theoryTo: (move: string, opening: string) => `Theory up to ${move}: ${opening}`,
    positions: (positions: number) =>
        `${count(positions, "position", "positions")}. The time depends on the AI.`,
    duration: (time: string, positions: number) =>
        `About ${time} for ${count(positions, "position", "positions")}.`,
    ofVariation: (move: string) => `This is the review of variation ${move}.`,
    ofGame: "This is the review of the game. The variation on the board has no review.",
    noMoves: "No moves to review. Play a game, or open one with the ⋯ menu below the moves.",
    stop: (done: number, all: number) => `Stop (move ${done} of ${all})`,
    progress: (done: number, all: number) => `Move ${done} of ${all}`,
    by: (ai: string) => `Reviewed by ${ai}`,
    settings: "Review settings",
    again: "Review again",
    reviewVariation: "Review this variation",
    looking: "Bad moves will appear here.",
    none: "No inaccuracies, mistakes or blunders.",
    strip: "Where the game turned",
    moments: "Bad moves",
    reasons: "Why",
    thisMove: "This move",
    classified: "How moves are judged",
    explained:
        "A score of cp centipawns is a winning chance of 50 + 50 · (2 / (1 + e^(−0.00368208 · cp)) − 1) percent. A move that loses 5, 10 or 20 percentage points of winning chance is an inaccuracy (?!), a mistake (?) or a blunder (??). The accuracy of a move is 103.1668 · e^(−0.04354 · loss) − 2.1669 percent, at most 100. The accuracy of a side is the average of two means over its moves: the harmonic mean, and a mean that gives more weight to moves in turbulent phases.",
}
