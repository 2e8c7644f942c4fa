// The tools, the headline and the notices of the page.

import type { page as english } from "../en/page"

const inCheck = (isCheck: boolean) => (isCheck ? ", im Schach" : "")

export const page = {
    tools: {
        report: "Auswertung",
        tree: "Suchbaum",
        position: "Öffnen, einfügen oder teilen",
        ais: "KIs",
    },
    close: "Schließen",
    closeTool: (title: string) => `${title} schließen`,
    analysis: "Analyse",
    game: "Partie",

    unchanged: "Die Partie ist unverändert. Versuche es noch einmal oder wähle, wie es weitergeht.",
    retry: "Noch einmal",
    continueWith: (ai: string) => `Weiter mit ${ai}`,
    moveYourself: "Ich ziehe",

    editor: "Stellungseditor",
    imagined: "Stellung einer Variante",
    start: "Ausgangsstellung",
    positionAfter: (move: string) => `Stellung nach ${move}`,
    gameOf: (number: number, games: number | undefined) => `Partie ${number} von ${games}`,
    thinking: (ai: string, isCheck: boolean) => `${ai} denkt nach${inCheck(isCheck)}`,
    toMove: (player: string, isCheck: boolean) => `${player} ist am Zug${inCheck(isCheck)}`,
    pressStart: "Mit „Starten“ geht es los",
    yourMove: (isCheck: boolean) => `Du bist am Zug${inCheck(isCheck)}`,
    resigned: (ai: string) => `${ai} hat aufgegeben`,
    youResigned: "Du hast aufgegeben",
    youWon: (reason: string) => `Du gewinnst ${reason}`.trim(),
    youLost: (reason: string) => `Du verlierst ${reason}`.trim(),
    addToGame: "In die Partie übernehmen",
    backToGame: "Zurück zur Partie",
    followMatch: "Dem Wettkampf folgen",
    gameOver: "Partie beendet",
    rematch: "Revanche",
    rematchHint: "Derselbe Gegner, mit der anderen Farbe",
    review: "Partie auswerten",

    undo: "Rückgängig",
    undoKey: "Strg Z",
    undoOf: (what: string) => `Rückgängig: ${what}`,
    closeNotice: "Hinweis schließen",
    newGame: "Neue Partie",
    gameLoaded: "Partie geladen",
    gameOpened: "Partie geöffnet",
    editorClosed: "Stellungseditor geschlossen",
    drawingsRemoved: "Zeichnungen entfernt",
    deleted: (what: string | number) => `${what} gelöscht`,
    storage: {
        forbidden:
            "Dieser Browser lässt die Seite nichts speichern. Lade deine Partie als PGN herunter, bevor du den Tab schließt.",
        full: "Der Speicher dieses Browsers ist voll. Änderungen werden erst wieder gespeichert, wenn du Partien unter „Zuletzt“ löschst.",
        blocked:
            "Eine ältere Version dieser Seite ist in einem anderen Tab offen. Schließe ihn, sonst wird nichts gespeichert.",
        failed: "Dieser Browser hat die letzte Änderung nicht gespeichert. Lade deine Partie als PGN herunter und lade dann die Seite neu.",
    },
} satisfies typeof english
