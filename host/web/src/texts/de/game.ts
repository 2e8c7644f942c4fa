// The board, moves, players and clocks of a game.

import type { Color } from "../../api/types"
import type { game as english } from "../en/game"
import { common } from "./common"
import { count } from "../plural"

const { colors } = common

export const game = {
    you: "Du",

    board: "Schachbrett",
    boardRole: "Schachbrett",
    boardKeys:
        "Die Pfeiltasten wählen ein Feld, die Eingabetaste nimmt eine Figur auf oder setzt sie ab, i zeigt ihre legalen Züge.",
    boardBelow: (color: Color) => `Brett, ${colors[color]} unten`,
    pickedUp: (square: string) => `${square}, aufgenommen`,
    promoteTo: "Umwandeln in",
    promotions: { queen: "Dame", rook: "Turm", bishop: "Läufer", knight: "Springer" },
    captured: (pieces: string) => `Geschlagen: ${pieces}`,
    noCaptures: "Nichts geschlagen",
    notEvaluated: "Noch nicht bewertet",
    evaluation: (score: string, chance: string) => `${score}, Gewinnchance von Weiß ${chance} %`,
    showChance: (text: string, label: string) => `${text}: ${label}. Gewinnchance zeigen`,
    showPawns: (text: string, label: string) => `${text}: ${label}. Bauerneinheiten zeigen`,
    graph: "Gewinnchance von Weiß im Verlauf der Partie. Eine Stellung wählst du in der Zugliste.",
    graphLines: "Linien des Diagramms",
    graphEmpty: "Hier erscheint das Diagramm der Partie.",

    navigation: "Navigation in der Partie",
    toStart: "Zum Anfang",
    previous: "Vorheriger Zug",
    next: "Nächster Zug",
    toEnd: "Zum Ende",
    undo: "Zurücknehmen",
    redo: "Wiederherstellen",
    flip: "Brett drehen",
    resign: "Aufgeben",
    more: "Mehr zu dieser Partie",
    autoplay: "Partie abspielen",
    stopAutoplay: "Abspielen beenden",
    report: "Auswertung",
    searchTree: "Suchbaum",
    open: "Öffnen, einfügen oder teilen",
    setUp: "Stellung aufbauen",
    save: "PGN herunterladen",

    moves: "Züge",
    noMoves: "Noch keine Züge. Ziehe eine Figur.",
    openOrPaste: "Partie öffnen oder einfügen",
    ecoCode: "Schlüssel in der Enzyklopädie der Schacheröffnungen (ECO)",
    variation: (move: string) => `Variante ${move}`,
    ambiguous: (text: string, moves: readonly string[]) =>
        `${text} ist mehrdeutig: ${moves.join(" oder ")}.`,
    moveField: "Dein Zug, zum Beispiel Sf3 oder g1f3",
    moveExample: "Sf3",
    typeMove: "Zug eintippen",
    move: "Ziehen",
    editGame: "Partie bearbeiten",
    editMove: (move: string) => `${move} ändern`,
    glyph: "Zeichen",
    comment: "Kommentar",
    makeMainLine: "Zur Hauptvariante machen",
    deleteFrom: "Ab hier löschen",
    copyFrom: "PGN ab hier kopieren",
    editFacts: "Spieler und Turnier ändern",
    facts: {
        White: "Weiß",
        Black: "Schwarz",
        WhiteElo: "Elo von Weiß",
        BlackElo: "Elo von Schwarz",
        Event: "Turnier",
        Round: "Runde",
        Site: "Ort",
        Date: "Datum",
    },
    result: "Ergebnis",
    factsDone: "Fertig",
    round: (round: string) => `Runde ${round}`,

    clocks: "Uhren",
    noClocks: "Keine",
    minutesAndSeconds: (minutes: number, seconds: number) =>
        `${minutes} ${minutes === 1 ? "Minute" : "Minuten"}${seconds > 0 ? ` plus ${count(seconds, "Sekunde", "Sekunden")} pro Zug` : ""}`,
    ownTime: "Eigene",
    minutes: "Minuten pro Spieler",
    minutesUnit: "min +",
    seconds: "Sekunden pro Zug",
    secondsUnit: "s",
    resumeClocks: "Uhren fortsetzen",
    pauseClocks: "Uhren anhalten",

    level: (step: string) => `Stufe ${step}`,
    strongest: "Volle Stärke",
    start: "Starten",
    opponent: "Gegner",
    opponentOn: (scale: string) => `Gegner und ungefähre Elo (${scale})`,
    friend: "Zu zweit am Brett",
    otherAi: "Andere KI …",
    ai: "KI",
    yourSide: "Deine Farbe",
    random: "Zufall",
    startFrom: "Beginnen mit",
    starts: { standard: "Normal", position: "Diese Stellung", chess960: "Chess960" },

    actions: { hint: "Tipp", draw: "Remis anbieten", takeBack: "Zug zurück", resign: "Aufgeben" },
    hintIs: (move: string) => `Tipp: ${move}`,
    drawAnswers: {
        worse: (ai: string, score: string) => `${ai} nimmt an: Die KI steht schlechter (${score}).`,
        level: (ai: string, score: string) =>
            `${ai} nimmt an: Die Stellung ist ausgeglichen (${score}).`,
        early: (ai: string, _: string) =>
            `${ai} lehnt ab: In ausgeglichener Stellung nimmt die KI erst nach dem 20. Zug an.`,
        better: (ai: string, score: string) => `${ai} lehnt ab: Die KI steht besser (${score}).`,
        unknown: (ai: string, _: string) =>
            `${ai} lehnt ab: Die KI hat die Stellung noch nicht bewertet.`,
    },
    questions: { resign: "Aufgeben?", draw: "Auf Remis einigen?" },
    yes: "Ja",
    no: "Nein",

    newGame: "Neue Partie",
    claimDraw: (reason: string) => `Remis ${reason} reklamieren`,
    fallback: (ai: string, chosen: string) => `${ai} hat anstelle von ${chosen} geantwortet.`,
} satisfies typeof english
