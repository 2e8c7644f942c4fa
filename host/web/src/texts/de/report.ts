// The review of a game.

import type { report as english } from "../en/report"
import { count } from "../plural"

export const report = {
    accuracy: "Genauigkeit",
    plurals: { inaccuracy: "Ungenauigkeiten", mistake: "Fehler", blunder: "grobe Fehler" },
    best: "am besten:",
    insert: "In die Partie übernehmen",
    inserted: "In der Partie",
    theory: (opening: string) => `Theorie: ${opening}`,
    theoryTo: (move: string, opening: string) => `Theorie bis ${move}: ${opening}`,
    positions: (positions: number) =>
        `${count(positions, "Stellung", "Stellungen")}. Die Dauer hängt von der KI ab.`,
    duration: (time: string, positions: number) =>
        `Etwa ${time} für ${count(positions, "Stellung", "Stellungen")}.`,
    ofVariation: (move: string) => `Dies ist die Auswertung der Variante ${move}.`,
    ofGame: "Dies ist die Auswertung der Partie. Für die Variante auf dem Brett gibt es keine.",
    noMoves:
        "Keine Züge zum Auswerten. Spiele eine Partie oder öffne eine mit dem Menü ⋯ unter den Zügen.",
    stop: (done: number, all: number) => `Beenden (Zug ${done} von ${all})`,
    progress: (done: number, all: number) => `Zug ${done} von ${all}`,
    by: (ai: string) => `Ausgewertet von ${ai}`,
    settings: "Einstellungen der Auswertung",
    again: "Noch einmal auswerten",
    reviewVariation: "Diese Variante auswerten",
    looking: "Schlechte Züge erscheinen hier.",
    none: "Keine Ungenauigkeiten, Fehler oder groben Fehler.",
    strip: "Wo die Partie kippte",
    moments: "Schlechte Züge",
    reasons: "Gründe",
    thisMove: "Dieser Zug",
    classified: "Wie Züge beurteilt werden",
    explained:
        "Eine Bewertung von cp Hundertstelbauern entspricht einer Gewinnchance von 50 + 50 · (2 / (1 + e^(−0,00368208 · cp)) − 1) Prozent. Ein Zug, der 5, 10 oder 20 Prozentpunkte der Gewinnchance verliert, ist eine Ungenauigkeit (?!), ein Fehler (?) oder ein grober Fehler (??). Die Genauigkeit eines Zugs ist 103,1668 · e^(−0,04354 · Verlust) − 2,1669 Prozent, höchstens 100. Die Genauigkeit einer Seite ist der Durchschnitt zweier Mittel über ihre Züge: des harmonischen Mittels und eines Mittels, in dem Züge in bewegten Phasen mehr zählen.",
} satisfies typeof english
