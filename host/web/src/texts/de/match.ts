// Games between AIs: their players, their start, and the result of a match.

import type { match as english } from "../en/match"
import { count } from "../plural"

export const match = {
    title: "Zwei KIs zusehen",
    match: "Wettkampf der KIs",
    choosePlayer: "Auswählen",
    levels: "Stufen",
    settings: "Einstellungen",
    switchSides: "Seiten tauschen",
    games: "Partien",
    more: "Mehr",
    openings: "Eröffnungen",
    openingKinds: {
        varied: "Verschiedene, jede zweimal",
        board: "Die Stellung auf dem Brett",
        file: "Die geöffneten Partien",
    },
    test: "Beenden, sobald das Ergebnis klar ist (SPRT)",
    lower: "Von Elo",
    upper: "Bis Elo",

    start: "Starten",
    startGames: (games: number) => `${count(games, "Partie", "Partien")} starten`,
    pause: "Anhalten",
    resume: "Fortsetzen",
    stop: "Wettkampf beenden",
    playAgain: "Noch einmal",
    playOne: "Einen Zug spielen",
    newGame: "Neue Partie",
    newMatch: "Neuer Wettkampf",
    pace: "Zeit pro Zug, mindestens",

    won: (count: number) => `${count} gewonnen`,
    drawn: (count: number) => `${count} remis`,
    lost: (count: number) => `${count} verloren`,
    scoreAfter: (played: number, games: number) =>
        `nach ${played} von ${count(games, "Partie", "Partien")}`,
    eloUnknown: "Elo unbekannt, solange eine Seite alle Punkte hat",
    eloDifference: (elo: string, error: string | null) =>
        `Elo ${elo}${error === null ? "" : ` ± ${error}`}`,
    superiority: (name: string, percent: string) =>
        `${name} ist mit ${percent} % Wahrscheinlichkeit stärker`,
    superiorityHint: "Wahrscheinlichkeit der Überlegenheit (LOS)",
    sprt: (lower: number, upper: number) => `SPRT ${lower} bis ${upper} Elo: `,
    sprtOpen: (ratio: string, limit: string) => `LLR ${ratio} von ± ${limit}`,
    sprtPassed: (name: string, elo: number) => `${name} ist um ${elo} Elo oder mehr stärker`,
    sprtFailed: (name: string, elo: number) => `${name} ist um ${elo} Elo oder weniger stärker`,
    states: {
        waiting: "Er wartet auf einen anderen Wettkampf.",
        paused: "Er wartet auf einen anderen Wettkampf.",
        running: "",
        finished: "",
        stopped: "Er wurde beendet.",
        failed: "",
    },
    failed: (reason: string) => `Er ist fehlgeschlagen: ${reason}.`,
    over: "Der Wettkampf ist beendet",
    list: "Partien des Wettkampfs",
    game: (white: string, black: string) => `${white} – ${black}`,
    savePgn: (games: number) =>
        games === 1
            ? "Partie als PGN speichern"
            : `${count(games, "Partie", "Partien")} als PGN speichern`,

    limitObstacle: (ai: string, kind: string) =>
        `Ein Wettkampf kann ${ai} nicht durch „${kind}“ begrenzen; wähle ein anderes Suchlimit.`,
    optionObstacle: (name: string, ai: string) =>
        `Ein Wettkampf kann „${name}“ von ${ai} nicht setzen, weil der Wert ein Komma oder am Rand ein Leerzeichen hat; ändere ihn.`,
} satisfies typeof english
