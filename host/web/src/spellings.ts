// Other spellings of moves and games: figurines, the piece letters of German, and links to other
// sites.

import { language } from "./language"
import { texts } from "./texts/board"

const pieces = "KQRBN"
/**
 * Figurines are letters in the order of their code points; a pawn has none. Those of a diagram are
 * followed by no square.
 */
const withoutFigurines = (text: string) =>
    text.replace(
        /([♔-♟])\uFE0E?(?=[a-h]?[1-8]?[x:-]?[a-h][1-8])|(?<==)([♔-♟])/gu,
        (figurine) => pieces[((figurine.codePointAt(0) ?? 0) - 0x2654) % 6] ?? "",
    )

const german: Record<string, string> = { S: "N", L: "B", T: "R", D: "Q" }
const withoutGerman = (text: string) =>
    text.replace(
        /\b[SLTD](?=[a-h]?[1-8]?[x:-]?[a-h][1-8])|(?<==)[SLTD]\b/g,
        (letter) => german[letter] ?? letter,
    )

/** Changes the moves of a PGN, and leaves its tags and comments as they are. */
const inMoves = (pgn: string, change: (text: string) => string) =>
    pgn
        .split(/(\{[^}]*\}?|;[^\n]*|^[^\S\n\r\u2028\u2029]*\[[^\n]*)/m)
        .map((part, index) => (index % 2 === 0 ? change(part) : part))
        .join("")

/** Returns a text in English letters; the second one reads its letters as German. */
export const spellingsOf = (text: string): string[] => {
    const plain = inMoves(text, withoutFigurines)
    return [...new Set([plain, inMoves(plain, withoutGerman)])]
}

/** German has a letter for the pawn, and a typed letter may be small. */
const withoutPawn = (text: string) => text.replace(/^B(?=[a-h][1-8])/, "")
const withCapital = (text: string) =>
    text.replace(/^[sltd](?=[a-h]?[1-8]?[x:-]?[a-h][1-8])/, (letter) => letter.toUpperCase())

/**
 * Returns a typed move in English letters, the likeliest reading first: that of the language of the
 * page.
 */
export function typedSpellingsOf(text: string): string[] {
    const spellings = spellingsOf(text)
    if (language.value !== "de") return spellings
    return [
        ...new Set([
            withoutGerman(withoutPawn(text)),
            ...spellings,
            withoutGerman(withCapital(text)),
        ]),
    ]
}

/** Returns the FEN in a link to a board of Lichess; null without one. */
export function fenInLink(text: string): string | null {
    const found =
        /^https?:\/\/lichess\.org\/(?:analysis|editor)\/(?:\w+\/)?((?:[pnbrqk1-8]+\/){7}[pnbrqk1-8]+[^?#]*)/i.exec(
            text,
        )
    return found?.[1]?.replace(/_|%20/g, " ") ?? null
}

/** Returns what to do with a link to a site of games; null for any other text. */
export function adviceForLink(text: string): string | null {
    const [, site] = /^https?:\/\/(?:www\.)?(lichess\.org|chess\.com)\/\S*$/.exec(text) ?? []
    return site ? texts.positions.foreignLink(site) : null
}

export const isNullMove = (text: string): boolean => /^(?:--|Z0|@@@@|0000)$/.test(text)
