// The report of a game.

export const report = {
    accuracy: "accuracy",
    plurals: { inaccuracy: "inaccuracies", mistake: "mistakes", blunder: "blunders" },
    best: "best:",
    theory: (opening: string) => `theory: ${opening}`,
    positions: (positions: number) => `${positions} positions; the time depends on the AI.`,
    duration: (time: string, positions: number) => `About ${time} for ${positions} positions.`,
    ofVariation: (move: string) => `This is the report of the variation ${move}.`,
    ofGame: "This is the report of the game; the variation on the board has none.",
    noMoves: "No moves to analyse. Play a game, or open one with the menu ⋯ below the moves.",
    stop: "Stop",
    reviewVariation: "Review this variation",
    progress: (done: number, all: number) => `Move ${done} of ${all}`,
    none: "No inaccuracies, mistakes or blunders.",
    keyMoments: "Key moments",
    others: "Other inaccuracies",
    thisMove: "This move",
    classified: "How moves are classified",
    explained:
        "A score of cp centipawns is a winning chance of 50 + 50 · (2 / (1 + e^(−0.00368208 · cp)) − 1) percent. A move that loses 5, 10 or 20 percentage points of winning chance is an inaccuracy (?!), a mistake (?) or a blunder (??). The accuracy of a move is 103.1668 · e^(−0.04354 · loss) − 3.1669 percent; the accuracy of a side is the mean over its moves.",
}
