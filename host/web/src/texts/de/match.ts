// Games between AIs: players, start, and the result of a match.

import type { match as english } from "../en/match"
import { count } from "../plural"

export const match = {
    title: "Zwei KIs beim Spielen zusehen",
    match: "KI-Wettkampf",
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
        file: "Partien der geöffneten Datei",
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
    pace: "Mindestzeit pro Zug",

    won: (count: number) => `${count} gewonnen`,
    drawn: (count: number) => `${count} remis`,
    lost: (count: number) => `${count} verloren`,
    scoreAfter: (played: number, games: number) =>
        `nach ${played} von ${count(games, "Partie", "Partien")}`,
    eloUnknown: "Elo unbekannt: Eine Seite hat alle Punkte",
    eloDifference: (elo: string, error: string | null) =>
        `Elo ${elo}${error === null ? "" : ` ± ${error}`}`,
    superiority: (name: string, percent: string) =>
        `${name} ist mit ${percent} % Wahrscheinlichkeit stärker`,
    superiorityHint: "Wahrscheinlichkeit der Überlegenheit (LOS)",
    sprt: (lower: number, upper: number) => `SPRT ${lower} bis ${upper} Elo: `,
    sprtOpen: (ratio: string, limit: string) => `LLR ${ratio} von ± ${limit}`,
    sprtPassed: (name: string, elo: number) => `${name} ist mindestens ${elo} Elo stärker`,
    sprtFailed: (name: string, elo: number) => `${name} ist höchstens ${elo} Elo stärker`,
    states: {
        waiting: "Wartet auf einen anderen Wettkampf.",
        paused: "Wartet auf einen anderen Wettkampf.",
        running: "",
        finished: "",
        stopped: "Vorzeitig beendet.",
        failed: "",
    },
    failed: (reason: string) => `Fehlgeschlagen: ${reason}.`,
    failures: {
        player: (player: string) =>
            `${player} startet nicht; das Protokoll des Servers nennt den Grund`,
        files: (player: string) =>
            `Die Dateien von ${player} haben sich geändert; starte einen neuen Wettkampf`,
        store: () =>
            "Die Datei der Arena ist nicht beschreibbar; das Protokoll des Servers nennt den Grund",
        room: () =>
            "Neben anderen Wettkämpfen ist kein Platz für weitere Partien; wähle weniger Partien",
        time: (hours: string) =>
            `Ein Wettkampf darf höchstens ${hours} Stunden dauern; wähle weniger oder kürzere Partien`,
        openings: () =>
            "Diese Version des Servers kennt die Eröffnungen nicht; starte einen neuen Wettkampf",
        result: () => "Eine Partie hat kein Ergebnis; das Protokoll des Servers nennt den Grund",
        client: () =>
            "Die Konfiguration des Servers erlaubt dir diesen Wettkampf nicht mehr; frage den Betreiber",
    },
    over: "Der Wettkampf ist beendet",
    list: "Partien des Wettkampfs",
    game: (white: string, black: string) => `${white} – ${black}`,
    savePgn: (games: number) =>
        games === 1 ? "Partie herunterladen" : `${count(games, "Partie", "Partien")} herunterladen`,

    limitObstacle: (ai: string, kind: string) =>
        `Ein Wettkampf kann ${ai} nicht durch „${kind}“ begrenzen. Wähle ein anderes Suchlimit.`,
    optionObstacle: (name: string, ai: string) =>
        `In einem Wettkampf darf „${name}“ von ${ai} kein Komma enthalten und nicht mit einem Leerzeichen beginnen oder enden. Ändere den Wert.`,
} satisfies typeof english
