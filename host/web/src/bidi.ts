// Names and other external words may contain right-to-left text or direction marks. They are shown
// without reordering their surroundings. A PGN keeps them unchanged.

/** Removes characters that change the text direction around them. */
export const undirected = (text: string): string =>
    text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")

const fromRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/

/** Isolates right-to-left words, which would otherwise reorder the sentence around them. */
export function isolated(text: string): string {
    const plain = undirected(text)
    return fromRightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain
}
