// Other spellings of moves and games: figurines, German piece letters, and links to other sites.

import { language } from "./language"
import { texts } from "./texts/board"

const pieces = "KQRBN"
/**
 * Figurines become letters, in the order of their code points. A pawn has no letter. Figurines in a
 * diagram stay, because no square follows them.
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

/** Changes the moves of a PGN, but not its tags and comments. */
const inMoves = (pgn: string, change: (text: string) => string) =>
    pgn
        .split(/(\{[^}]*\}?|;[^\n]*|^[^\S\n\r\u2028\u2029]*\[[^\n]*)/m)
        .map((part, index) => (index % 2 === 0 ? change(part) : part))
        .join("")

/**
 * Returns variants of the text with English piece letters. The second variant reads the letters as
 * German.
 */
export const spellingsOf = (text: string): string[] => {
    const plain = inMoves(text, withoutFigurines)
    return [...new Set([plain, inMoves(plain, withoutGerman)])]
}

/** German has a letter for the pawn, and users may type it in lower case. */
const withoutPawn = (text: string) => text.replace(/^B(?=[a-h][1-8])/, "")
const withCapital = (text: string) =>
    text.replace(/^[sltd](?=[a-h]?[1-8]?[x:-]?[a-h][1-8])/, (letter) => letter.toUpperCase())

/** Returns the readings of a typed move in English letters, starting with the page's language. */
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

/** Returns the FEN in a link to a Lichess board; null if the text is not such a link. */
export function fenInLink(text: string): string | null {
    const found =
        /^https?:\/\/lichess\.org\/(?:analysis|editor)\/(?:\w+\/)?((?:[pnbrqk1-8]+\/){7}[pnbrqk1-8]+[^?#]*)/i.exec(
            text,
        )
    return found?.[1]?.replace(/_|%20/g, " ") ?? null
}

/** Returns advice about a link to a chess site; null for any other text. */
export function adviceForLink(text: string): string | null {
    const [, site] = /^https?:\/\/(?:www\.)?(lichess\.org|chess\.com)\/\S*$/.exec(text) ?? []
    return site ? texts.positions.foreignLink(site) : null
}

export const isNullMove = (text: string): boolean => /^(?:--|Z0|@@@@|0000)$/.test(text)
