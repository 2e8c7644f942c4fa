// The report of a game.

import type { report as english } from "../en/report"

export const report = {
    accuracy: "Genauigkeit",
    plurals: { inaccuracy: "Ungenauigkeiten", mistake: "Fehler", blunder: "grobe Fehler" },
    best: "am besten:",
    theory: (opening: string) => `Theorie: ${opening}`,
    positions: (positions: number) => `${positions} Stellungen; die Zeit hängt von der KI ab.`,
    duration: (time: string, positions: number) => `Etwa ${time} für ${positions} Stellungen.`,
    ofVariation: (move: string) => `Dies ist der Bericht zur Variante ${move}.`,
    ofGame: "Dies ist der Bericht zur Partie; die Variante auf dem Brett hat keinen.",
    noMoves:
        "Keine Züge zum Auswerten. Spiele eine Partie, oder öffne eine mit dem Menü ⋯ unter den Zügen.",
    stop: "Beenden",
    reviewVariation: "Diese Variante auswerten",
    progress: (done: number, all: number) => `Zug ${done} von ${all}`,
    none: "Keine Ungenauigkeiten, Fehler oder groben Fehler.",
    keyMoments: "Entscheidende Momente",
    others: "Weitere Ungenauigkeiten",
    thisMove: "Dieser Zug",
    classified: "Wie Züge bewertet werden",
    explained:
        "Eine Bewertung von cp Hundertstelbauern ist eine Gewinnchance von 50 + 50 · (2 / (1 + e^(−0,00368208 · cp)) − 1) Prozent. Ein Zug, der 5, 10 oder 20 Prozentpunkte der Gewinnchance verliert, ist eine Ungenauigkeit (?!), ein Fehler (?) oder ein grober Fehler (??). Die Genauigkeit eines Zugs ist 103,1668 · e^(−0,04354 · Verlust) − 3,1669 Prozent; die Genauigkeit einer Seite ist der Mittelwert ihrer Züge.",
} satisfies typeof english
