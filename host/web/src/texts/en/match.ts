// Games between AIs: players, start, and the result of a match.

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
        file: "Games from the open file",
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
    pace: "Minimum time per move",

    won: (count: number) => `${count} won`,
    drawn: (count: number) => `${count} drawn`,
    lost: (count: number) => `${count} lost`,
    scoreAfter: (played: number, games: number) =>
        `after ${played} of ${count(games, "game", "games")}`,
    eloUnknown: "Elo unknown: one side has every point",
    eloDifference: (elo: string, error: string | null) =>
        `Elo ${elo}${error === null ? "" : ` ± ${error}`}`,
    superiority: (name: string, percent: string) => `${percent}% likely that ${name} is stronger`,
    superiorityHint: "Likelihood of superiority (LOS)",
    sprt: (lower: number, upper: number) => `SPRT ${lower} to ${upper} Elo: `,
    sprtOpen: (ratio: string, limit: string) => `LLR ${ratio} of ± ${limit}`,
    sprtPassed: (name: string, elo: number) => `${name} is at least ${elo} Elo stronger`,
    sprtFailed: (name: string, elo: number) => `${name} is at most ${elo} Elo stronger`,
    states: {
        waiting: "Waiting for another match.",
        paused: "Waiting for another match.",
        running: "",
        finished: "",
        stopped: "Stopped.",
        failed: "",
    },
    failed: (reason: string) => `Failed: ${reason}.`,
    /** Why a match failed, by code. The server's words are the fallback. */
    failures: {} as Readonly<Record<string, (what: string) => string>>,
    over: "The match is over",
    list: "Match games",
    game: (white: string, black: string) => `${white} – ${black}`,
    savePgn: (games: number) =>
        games === 1 ? "Download the game" : `Download ${count(games, "game", "games")}`,

    limitObstacle: (ai: string, kind: string) =>
        `A match cannot limit ${ai} by “${kind}”. Choose another search limit.`,
    optionObstacle: (name: string, ai: string) =>
        `In a match, “${name}” of ${ai} cannot contain a comma, or start or end with a space. Change its value.`,
}
