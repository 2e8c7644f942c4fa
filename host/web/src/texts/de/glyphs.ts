// Names of annotation symbols.

import type { glyphs as english } from "../en/glyphs"

export const glyphs = {
    names: {
        1: "Guter Zug",
        2: "Fehler",
        3: "Glänzender Zug",
        4: "Grober Fehler",
        5: "Interessanter Zug",
        6: "Zweifelhafter Zug",
        7: "Einziger Zug",
        10: "Ausgeglichen",
        13: "Unklar",
        14: "Weiß steht etwas besser",
        15: "Schwarz steht etwas besser",
        16: "Weiß steht besser",
        17: "Schwarz steht besser",
        18: "Weiß steht auf Gewinn",
        19: "Schwarz steht auf Gewinn",
        22: "Zugzwang",
        32: "Entwicklungsvorsprung",
        36: "Initiative",
        40: "Angriff",
        132: "Gegenspiel",
        44: "Kompensation",
        138: "Zeitnot",
        140: "Mit der Idee",
        146: "Neuerung",
    },
} satisfies typeof english
