// The places of the page, its menu, its headline and its notices.

export const page = {
    tools: { report: "Review", tree: "Search tree", position: "Positions and games", ais: "AIs" },
    close: "Close",
    closeTool: (title: string) => `Close ${title}`,
    analysis: "Analysis",
    game: "Game",


    unchanged: "The game is unchanged. Retry, or choose how to continue.",
    retry: "Retry",
    continueWith: (ai: string) => `Continue with ${ai}`,
    moveYourself: "I’ll move",

    editor: "Board editor",
    imagined: "Imagined position",
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
    rematchHint: "The same opponent, with the other color",
    review: "Review game",

    undo: "Undo",
    undoKey: "Ctrl Z",
    undoOf: (what: string) => `Undo: ${what}`,
    closeNotice: "Close the notice",
    newGame: "New game",
    gameLoaded: "Game loaded",
    gameOpened: "Game opened",
    editorClosed: "Board editor closed",
    drawingsRemoved: "Drawings removed",
    deleted: (what: string | number) => `${what} deleted`,
    storage: {
        forbidden:
            "This browser does not allow the page to store anything: a game is lost when its tab is closed. Export it as PGN to keep it.",
        full: "The storage of this browser is full: changes are no longer saved. Delete games under Recent, or export them as PGN.",
        blocked:
            "An older version of this page is open in another tab: nothing is saved until that tab is closed.",
        failed: "This browser did not save the last change. Export the game as PGN to keep it, and load this page again.",
    },
}
