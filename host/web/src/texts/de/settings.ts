// The settings and keys.

import type { settings as english } from "../en/settings"

export const settings = {
    title: "Einstellungen und Tasten",
    titleWithKey: "Einstellungen und Tasten (?)",
    language: "Sprache",
    boardColors: "Brettfarben",
    colors: { green: "grün", brown: "braun", blue: "blau", grey: "grau" },
    boardSize: "Brettgröße",
    sizes: { large: "groß", medium: "mittel", small: "klein" },
    control: "Kontrolle der Felder zeigen",
    controlHint: "Färbt jedes Feld nach der Seite mit mehr Angreifern",
    sound: "Ton",
    keys: "Tasten",
    keyActions: [
        ["← →", "vorheriger und nächster Zug"],
        ["↑ ↓", "vorherige und nächste Variante"],
        ["Pos1 Ende", "Anfang und Ende der Partie"],
        ["f", "Brett drehen"],
        [
            "Strg Z",
            "rückgängig machen, was ein Hinweis nennt: eine neue oder geladene Partie, eine Löschung",
        ],
        ["Esc", "die Erklärung schließen oder eine gedachte Stellung oder Lektion verlassen"],
        ["?", "dieses Fenster"],
        ["Tab, dann Pfeiltasten", "ein Feld des Bretts wählen"],
        ["Eingabe", "eine Figur aufnehmen oder absetzen"],
        ["i", "legale Züge des gewählten Felds; ein langer Druck bewirkt dasselbe"],
        ["rechte Maustaste", "Kreise und Pfeile"],
        ["Leertaste, Rücktaste", "durch einen Suchbaum gehen"],
    ],
    close: "Schließen",
} satisfies typeof english
