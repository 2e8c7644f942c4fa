// Names, events and other words from outside, which may be written from right to left. They are
// shown so that they turn nothing around them; a PGN keeps them as they are.

/** Removes the characters that turn the text around them. */
export const undirected = (text: string): string =>
    text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")

const fromRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/

/** Keeps words of another script from turning the sentence that they are in. */
export function isolated(text: string): string {
    const plain = undirected(text)
    return fromRightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain
}
