// Analyses, opening books and tablebases.

import type { Color } from "../../api/types"
import type { analysis as english } from "../en/analysis"
import { common } from "./common"
import { count } from "../plural"

const { colors } = common

export const analysis = {
    depth: "Tiefe",
    atDepth: (depth: string) => `Tiefe ${depth}`,
    positions: "Stellungen",
    speed: "Stellungen/s",
    time: "Zeit",
    of: (ai: string) => `Analyse von ${ai}`,
    finished: "fertig",
    searching: "sucht",
    limitUsed: "Verbrauchtes Limit",
    addMove: (move: string | undefined) => `${move} in die Partie übernehmen`,
    addLine: "Diese Variante in die Partie übernehmen",
    boardAfter: (move: string) => `Brett nach ${move}`,

    stop: "Beenden",
    engine: "Engine",
    ais: (ais: number) => count(ais, "KI", "KIs"),
    review: (done: number, all: number) => `Auswertung: ${done} von ${count(all, "Zug", "Zügen")}`,
    comparison: (done: number, all: number) =>
        `Vergleich: ${done} von ${count(all, "Zug", "Zügen")}`,
    settings: "Einstellungen der Analyse",
    developers: "Für Entwickler",
    gameIsOver: "In dieser Stellung ist die Partie beendet.",
    select: "Wähle eine KI, um ihre besten Varianten zu sehen, oder mehrere zum Vergleich.",
    agree(most: number, all: number, move: string | undefined): string {
        if (most < all)
            return `${most} von ${count(all, "KI", "KIs")} ${most === 1 ? "wählt" : "wählen"} ${move}.`
        return all === 2
            ? `Beide KIs wählen ${move}.`
            : `Alle ${count(all, "KI", "KIs")} wählen ${move}.`
    },
    disagree: "Jede KI wählt einen anderen Zug.",
    options: "Optionen der KIs",
    compareGame: "Ganze Partie vergleichen",
    selectAi: "Wähle eine KI",
    analyseWith: "Diese Stellung analysieren mit",
    optionsIgnored: "Ein Vergleich nutzt statt dieser Optionen die Vorgaben des Servers.",
    lines: "Varianten",
    lineCount: (lines: number) => count(lines, "Variante", "Varianten"),
    fewerLines: "Weniger Varianten",
    moreLines: "Mehr Varianten",

    book: "Buch",
    bookMoves: "Buchzüge",
    bookName: (book: string) => `Das Eröffnungsbuch ${book}`,
    notInBook: "Nicht im Eröffnungsbuch",
    weight: (weight: number) => `Gewicht ${weight}`,
    tablebase: "Endspieldatenbank",
    tablebaseMoves: "Züge der Endspieldatenbank",
    fromTablebase:
        "Aus der Endspieldatenbank: Halbzüge bis zum nächsten Schlagzug, Bauernzug oder Matt",
    wdl: {
        win: "Gewinn",
        cursed_win: "Gewinn, aber remis nach 50 Zügen",
        draw: "Remis",
        blessed_loss: "Verlust, aber remis nach 50 Zügen",
        loss: "Verlust",
    },
    wins: (color: Color) => `${colors[color]} gewinnt`,
    draw: "Remis",
    savedByRule: (color: Color) => `Remis: Die 50-Züge-Regel rettet ${colors[color]}`,
    best: (moves: string) => `am besten ${moves}`,
} satisfies typeof english
