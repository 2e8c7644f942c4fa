// An AI's search tree.

import type { searchTree as english } from "../en/search-tree"

export const searchTree = {
    show: "Suchbaum zeigen",
    isSearching: (ai: string) => `${ai} sucht`,
    empty: (ai: string) => `${ai} hat einen leeren Suchbaum geliefert.`,
    notSupported: (ai: string) => `${ai} kann keinen Suchbaum liefern.`,
    supportedBy: (ais: string) => `Unterstützt von: ${ais}.`,
    about: "Zeigt, welche Stellungen eine KI durchsucht und wie sie sie bewertet, den besten Zug zuerst. Schritt für Schritt lässt sich die Suche verfolgen.",
    root: "Durchsuchte Stellung",
    bestLine: "beste Variante",
    stepThrough: "Durch die Suche gehen",
    back: "Schritt zurück",
    begin: "Schrittweise",
    step: "Schritt",
    autoplay: "Abspielen",
    stopAutoplay: "Abspielen beenden",
    showAll: "Alles zeigen",
    positions: (count: number, isTruncated: boolean) =>
        `${isTruncated ? "Die ersten " : ""}${count.toLocaleString("de")} Stellungen. Mit der Leertaste gehst du durch die Suche.`,
    stepOf: (step: number, steps: number) => `Schritt ${step} von ${steps}`,
    tree: "Suchbaum",
    node: (depth: number, window: string, kind: string) =>
        `Resttiefe ${depth}, Fenster ${window}, ${kind}.`,
    window: (alpha: string, beta: string) => `${alpha} bis ${beta}`,
    kinds: {
        complete: "vollständig durchsucht",
        cutoff: "übersprungen: Eine Antwort widerlegt den Zug",
        static_eval: "statische Bewertung",
        tt_hit: "Treffer in der Hashtabelle",
        pruned: "abgeschnitten",
        checkmate: "Matt",
        stalemate: "Patt",
        repetition: "Stellungswiederholung",
        fifty_moves: "50-Züge-Regel",
        insufficient_material: "ungenügendes Material",
        stopped: "Suche abgebrochen",
        other: "sonstiges",
    },
    refuted: (move: string, reply: string | undefined) =>
        `${reply ? `Die Antwort ${reply}` : "Eine Antwort"} widerlegt ${move}, deshalb hat die Suche alle anderen übersprungen.`,
} satisfies typeof english
