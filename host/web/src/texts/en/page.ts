// The tools, the headline and the notices of the page.

export const page = {
    tools: { report: "Review", tree: "Search tree", position: "Open, paste or share", ais: "AIs" },
    close: "Close",
    closeTool: (title: string) => `Close ${title}`,
    analysis: "Analysis",
    game: "Game",

    unchanged: "The game is unchanged. Retry, or choose how to continue.",
    retry: "Retry",
    continueWith: (ai: string) => `Continue with ${ai}`,
    moveYourself: "I’ll move",

    editor: "Board editor",
    imagined: "Position in a line",
    start: "Starting position",
    positionAfter: (move: string) => `Position after ${move}`,
    gameOf: (number: number, games: number | undefined) => `Game ${number} of ${games}`,
    thinking: (ai: string, isCheck: boolean) => `${ai} is thinking${isCheck ? ", in check" : ""}`,
    toMove: (player: string, isCheck: boolean) => `${player} to move${isCheck ? ", in check" : ""}`,
    pressStart: "Press Start to begin",
    yourMove: (isCheck: boolean) => `Your move${isCheck ? ", in check" : ""}`,
    resigned: (ai: string) => `${ai} resigned`,
    youResigned: "You resigned",
    youWon: (reason: string) => `You won ${reason}`.trim(),
    youLost: (reason: string) => `You lost ${reason}`.trim(),
    addToGame: "Add to the game",
    backToGame: "Back to the game",
    followMatch: "Follow the match",
    gameOver: "Game over",
    rematch: "Rematch",
    rematchHint: "Same opponent, colours switched",
    review: "Review game",

    undo: "Undo",
    undoKey: "Ctrl Z",
    undoOf: (what: string) => `Undo: ${what}`,
    closeNotice: "Close notice",
    newGame: "New game",
    gameLoaded: "Game loaded",
    gameOpened: "Game opened",
    editorClosed: "Board editor closed",
    drawingsRemoved: "Drawings removed",
    deleted: (what: string | number) => `${what} deleted`,
    storage: {
        forbidden:
            "This browser does not let the page store anything. Download your game as PGN before you close the tab.",
        full: "This browser’s storage is full, so changes are no longer saved. Delete games under Recent.",
        blocked:
            "An older version of this page is open in another tab. Close that tab, or nothing is saved.",
        failed: "This browser did not save the last change. Download your game as PGN, then reload this page.",
    },
}
