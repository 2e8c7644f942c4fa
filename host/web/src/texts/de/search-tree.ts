// The search tree of an AI.

import type { searchTree as english } from "../en/search-tree"

export const searchTree = {
    show: "Suchbaum zeigen",
    isSearching: (ai: string) => `${ai} sucht`,
    empty: (ai: string) => `${ai} hat einen leeren Suchbaum geliefert.`,
    notSupported: (ai: string) => `${ai} kann keinen Suchbaum liefern.`,
    supportedBy: (ais: string) => `Einen liefern: ${ais}.`,
    about: "Zeigt die Stellungen, die eine KI durchsucht hat, mit ihren Bewertungen, den besten Zug zuerst. Schrittweise lässt sich die Suche verfolgen.",
    root: "Ausgangspunkt",
    bestLine: "beste Variante",
    stepThrough: "Durch die Suche gehen",
    back: "Schritt zurück",
    begin: "Schrittweise",
    step: "Schritt",
    autoplay: "Abspielen",
    stopAutoplay: "Abspielen beenden",
    showAll: "Alles zeigen",
    positions: (count: number, isTruncated: boolean) =>
        `${isTruncated ? "Die ersten " : ""}${count.toLocaleString("de")} Stellungen. Die Leertaste geht durch die Suche.`,
    stepOf: (step: number, steps: number) => `Schritt ${step} von ${steps}`,
    tree: "Suchbaum",
    node: (depth: number, window: string, kind: string) =>
        `Resttiefe ${depth}, Fenster ${window}, ${kind}.`,
    window: (alpha: string, beta: string) => `${alpha} bis ${beta}`,
    kinds: {
        complete: "ganz durchsucht",
        cutoff: "übersprungen: Eine Antwort widerlegt schon",
        static_eval: "statische Bewertung",
        tt_hit: "Treffer in der Hashtabelle",
        pruned: "abgeschnitten",
        checkmate: "Matt",
        stalemate: "Patt",
        repetition: "Stellungswiederholung",
        fifty_moves: "50-Züge-Regel",
        insufficient_material: "ungenügendes Material",
        stopped: "Suche abgebrochen",
        other: "anderes",
    },
    refuted: (move: string, reply: string | undefined) =>
        `${reply ? `Die Antwort ${reply}` : "Eine Antwort"} widerlegt ${move} bereits, deshalb hat die Suche alle anderen übersprungen.`,
} satisfies typeof english
