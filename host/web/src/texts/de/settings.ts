// Settings and keyboard shortcuts.

import type { settings as english } from "../en/settings"

export const settings = {
    title: "Einstellungen",
    pages: { general: "Allgemein", shortcuts: "Tastenkürzel" },
    language: "Sprache",
    boardColors: "Brettfarben",
    colors: { green: "Grün", brown: "Braun", blue: "Blau", grey: "Grau" },
    boardSize: "Brettgröße",
    sizes: { large: "groß", medium: "mittel", small: "klein" },
    control: "Kontrolle der Felder zeigen",
    controlHint: "Färbt jedes Feld nach der Seite mit mehr Angreifern",
    moreAttackers: "Mehr Angreifer:",
    contested: "gleich viele",
    sound: "Ton",
    keyActions: [
        ["← →", "zum vorigen oder nächsten Zug gehen"],
        ["↑ ↓", "zur vorigen oder nächsten Variante gehen"],
        ["Pos1 Ende", "zum Anfang oder Ende der Partie gehen"],
        ["f", "das Brett drehen"],
        ["Eingabe", "einen Zug eintippen, wenn nichts ausgewählt ist"],
        ["Strg Z", "eine neue oder geladene Partie oder eine Löschung rückgängig machen"],
        ["Strg V", "die kopierte Partie oder Stellung öffnen"],
        [
            "Esc",
            "eine Erklärung schließen oder die Stellung einer Variante oder eine Lektion verlassen",
        ],
        ["?", "diese Liste öffnen"],
        ["Tab, dann Pfeiltasten", "ein Feld des Bretts wählen"],
        ["Eingabe", "eine Figur aufnehmen oder absetzen"],
        ["i", "die legalen Züge des gewählten Felds zeigen, wie ein langer Druck"],
        ["rechte Maustaste", "Kreise und Pfeile zeichnen"],
        ["Leertaste, Rücktaste", "durch einen Suchbaum gehen"],
    ],
    close: "Schließen",
} satisfies typeof english
