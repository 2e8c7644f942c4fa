// PGN text: tags, moves, comments, glyphs and variations. The host decides whether a move is legal.

export interface PgnMove {
    san: string
    nags: number[]
    comment: string
    /** The comment before the move, at the start of a line. */
    commentBefore: string
    /** Lines that replace this move. */
    variations: PgnMove[][]
}

export interface PgnGame {
    tags: Record<string, string>
    /** The comment before the first move. */
    comment: string
    moves: PgnMove[]
    /** `1-0`, `0-1`, `1/2-1/2` or `*`. */
    result: string
}

/**
 * Returns the tags of a game and the end of its header. Comments may contain lines that look like
 * tags.
 */
function header(text: string): { tags: Record<string, string>; end: number } {
    const tag = /(?:[\s\uFEFF\x1a]|%.*\n)*\[\s*(\w+)\s*"((?:[^"\\\n]|\\.)*|[^\n]*)"[^\S\n]*\]/y
    const tags: Record<string, string> = {}
    for (let end = 0; ; end = tag.lastIndex) {
        const found = tag.exec(text)
        if (!found) return { tags, end }
        const [, name = "", value = ""] = found
        tags[name] ??= value.replace(/\\(["\\])/g, "$1")
    }
}

export const tagsOf = (text: string): Record<string, string> => header(text).tags

const token =
    /\{([^}]*)\}?|;([^\n]*)|(\()|(\))|\$(\d+)|(1-0|0-1|1\/2-1\/2|\*)(?=\s|$|\))|(?<!\d)\d+\.+|\.+|([!?]{1,2})|([A-Za-z0-][\w=+#:-]*)/g
export const glyphNags: Record<string, number> = {
    "!": 1,
    "?": 2,
    "!!": 3,
    "??": 4,
    "!?": 5,
    "?!": 6,
}

const joined = (before: string, text: string) =>
    [before, text.replace(/\s+/g, " ").trim()].filter(Boolean).join(" ")

/** Reads one game. */
export function parsePgn(text: string): PgnGame {
    const { tags, end } = header(text)
    const body = text.slice(end).replace(/^%.*$/gm, "")
    const game: PgnGame = { tags, comment: "", moves: [], result: tags.Result ?? "*" }
    const open: PgnMove[][] = []
    let line = game.moves
    let comment = ""
    for (const [word, braces, rest, opens, closes, nag, result, glyph, san] of body.matchAll(
        token,
    )) {
        const last = line[line.length - 1]
        const remark = braces ?? rest
        if (remark !== undefined) {
            if (last) last.comment = joined(last.comment, remark)
            else if (open.length === 0) game.comment = joined(game.comment, remark)
            else comment = joined(comment, remark)
        } else if (opens) {
            const variation: PgnMove[] = []
            last?.variations.push(variation)
            open.push(line)
            line = variation
        } else if (closes) line = open.pop() ?? line
        else if (nag !== undefined) last?.nags.push(Number(nag))
        else if (glyph !== undefined) last?.nags.push(glyphNags[glyph] ?? 0)
        else if (result !== undefined && open.length === 0) game.result = result
        else if (san !== undefined && word !== "e.p.") {
            line.push({ san, nags: [], comment: "", commentBefore: comment, variations: [] })
            comment = ""
        }
    }
    return game
}

/** A move to write, with everything around it. */
export interface WrittenMove {
    /** The number before the move; empty if it needs none. */
    number: string
    /** The number before the move after an interruption: `12...`. */
    fullNumber: string
    san: string
    nags: readonly number[]
    commentBefore: string
    comment: string
    variations: WrittenMove[][]
}

const escaped = (text: string) => text.replace(/[\\"]/g, "\\$&")
const remark = (text: string) => (text ? [`{${text.replace(/}/g, ")")}}`] : [])
const maxWidth = 80

function movetext(moves: readonly WrittenMove[]): string[] {
    let isInterrupted = true
    return moves.flatMap(
        ({ number, fullNumber, san, nags, commentBefore, comment, variations }) => {
            const shown = isInterrupted || commentBefore ? fullNumber : number
            isInterrupted = comment !== "" || variations.length > 0
            const inside = variations.map((line) => {
                const words = movetext(line)
                return [
                    `(${words[0] ?? ""}`,
                    ...words.slice(1, -1),
                    ...(words.length > 1 ? [`${words[words.length - 1]})`] : [")"]),
                ]
            })
            return [
                ...remark(commentBefore),
                ...(shown ? [shown] : []),
                san,
                ...nags.map((nag) => `$${nag}`),
                ...remark(comment),
                ...inside.flat(),
            ]
        },
    )
}

/** Writes a game in export format, with lines of at most 80 characters. */
export function writePgn(
    tags: Readonly<Record<string, string>>,
    comment: string,
    moves: readonly WrittenMove[],
    result: string,
): string {
    const words = [...remark(comment), ...movetext(moves), result].flatMap((word) =>
        word.split(" "),
    )
    const lines = [""]
    for (const word of words) {
        const last = lines[lines.length - 1] ?? ""
        if (last === "") lines[lines.length - 1] = word
        else if (last.length + 1 + word.length <= maxWidth)
            lines[lines.length - 1] = `${last} ${word}`
        else lines.push(word)
    }
    const header = Object.entries(tags).map(([name, value]) => `[${name} "${escaped(value)}"]`)
    return `${header.join("\n")}\n\n${lines.join("\n")}\n`
}
