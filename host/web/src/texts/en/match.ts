// Games between AIs: their players, their start, and the result of a match.

import { count } from "../plural"

export const match = {
    title: "Watch two AIs play",
    match: "AI match",
    choosePlayer: "Choose",
    levels: "Levels",
    settings: "Settings",
    switchSides: "Switch sides",
    games: "Games",
    more: "More",
    openings: "Openings",
    openingKinds: {
        varied: "Varied, each played twice",
        board: "The position on the board",
        file: "The opened games",
    },
    test: "Stop as soon as the result is clear (SPRT)",
    lower: "From Elo",
    upper: "To Elo",

    start: "Start",
    startGames: (games: number) => `Start ${count(games, "game", "games")}`,
    pause: "Pause",
    resume: "Resume",
    stop: "Stop match",
    playAgain: "Play again",
    playOne: "Play one move",
    newGame: "New game",
    newMatch: "New match",
    pace: "Time per move, at least",

    won: (count: number) => `${count} won`,
    drawn: (count: number) => `${count} drawn`,
    lost: (count: number) => `${count} lost`,
    scoreAfter: (played: number, games: number) =>
        `after ${played} of ${count(games, "game", "games")}`,
    eloUnknown: "Elo unknown while one side has all points",
    eloDifference: (elo: string, error: string | null) =>
        `Elo ${elo}${error === null ? "" : ` ± ${error}`}`,
    superiority: (name: string, percent: string) => `${name} is stronger: ${percent} % likely`,
    superiorityHint: "Likelihood of superiority (LOS)",
    sprt: (lower: number, upper: number) => `SPRT ${lower} to ${upper} Elo: `,
    sprtOpen: (ratio: string, limit: string) => `LLR ${ratio} of ± ${limit}`,
    sprtPassed: (name: string, elo: number) => `${name} is stronger by ${elo} Elo or more`,
    sprtFailed: (name: string, elo: number) => `${name} is stronger by ${elo} Elo or less`,
    states: {
        waiting: "It waits for another match.",
        paused: "It waits for another match.",
        running: "",
        finished: "",
        stopped: "It was stopped.",
        failed: "",
    },
    failed: (reason: string) => `It failed: ${reason}.`,
    over: "The match is over",
    list: "Games of the match",
    game: (white: string, black: string) => `${white} – ${black}`,
    savePgn: (games: number) =>
        games === 1 ? "Save the game as PGN" : `Save ${count(games, "game", "games")} as PGN`,

    limitObstacle: (ai: string, kind: string) =>
        `A match cannot limit ${ai} by “${kind}”; choose another search limit.`,
    optionObstacle: (name: string, ai: string) =>
        `A match cannot set “${name}” of ${ai}, because its value has a comma or a space at an end; change it.`,
}
