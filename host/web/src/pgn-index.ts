// The index of a PGN: the range of each game, and its tags. The indexer reads bytes in chunks,
// because a file might not fit into memory.

import { decodeText } from "./decoding"
import { tagsOf } from "./pgn"

/** A game in a file: its byte range, and the tags that a list shows. */
export interface IndexedGame {
    start: number
    end: number
    tags: Record<string, string>
}

const [newline, bracket, percent, semicolon, open, close, space] = [10, 91, 37, 59, 123, 125, 32]
const byteOrderMark = [0xef, 0xbb, 0xbf]
const listedTags = ["White", "Black", "Result", "Event", "Date"]
export class PgnIndexer {
    /** The bytes of an unfinished line. */
    private rest = new Uint8Array()
    /** Where the next line begins. */
    private offset = 0
    private start = 0
    private tags: Record<string, string> = {}
    /** The names of all tags of the current game. */
    private names = new Set<string>()
    private followsBlankLine = false
    private hasMoves = false
    private hasText = false
    private isComment = false

    /** Reads the next part. Returns the games that end in it. */
    push(part: Uint8Array): IndexedGame[] {
        const bytes = this.rest.length === 0 ? part : joined(this.rest, part)
        const games: IndexedGame[] = []
        let from = 0
        for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
            this.readLine(bytes.subarray(from, to + 1), games)
            from = to + 1
        }
        this.rest = bytes.slice(from)
        return games
    }

    /** Returns the last game. */
    finish(): IndexedGame[] {
        const games: IndexedGame[] = []
        if (this.rest.length > 0) this.readLine(this.rest, games)
        this.rest = new Uint8Array()
        if (this.hasText) games.push(this.game())
        return games
    }

    private game = (): IndexedGame => ({ start: this.start, end: this.offset, tags: this.tags })

    /**
     * A game begins with the first tag after the previous game's moves, or with a repeated tag
     * after a blank line.
     */
    private readLine(line: Uint8Array, games: IndexedGame[]): void {
        let first = 0
        while (
            first < line.length &&
            ((line[first] ?? 0) <= space || byteOrderMark.includes(line[first] ?? 0))
        )
            first += 1
        const tag = !this.isComment && line[first] === bracket ? this.tagIn(line) : null
        const isRepeated =
            tag !== null &&
            this.followsBlankLine &&
            Object.keys(tag).some((name) => this.names.has(name))
        if (tag && (this.hasMoves || isRepeated)) {
            games.push(this.game())
            ;[this.start, this.tags, this.names, this.hasMoves] = [
                this.offset,
                {},
                new Set(),
                false,
            ]
        }
        this.offset += line.length
        if (first < line.length) this.hasText = true
        this.followsBlankLine = first === line.length && !this.isComment
        if (tag) {
            for (const name of Object.keys(tag)) this.names.add(name)
            for (const name of listedTags) if (tag[name] !== undefined) this.tags[name] = tag[name]
        } else if (first < line.length && line[0] !== percent) this.readMoves(line)
    }

    private tagIn(line: Uint8Array): Record<string, string> | null {
        const tags = tagsOf(decodeText(line))
        return Object.keys(tags).length > 0 ? tags : null
    }

    private readMoves(line: Uint8Array): void {
        if (!this.isComment) this.hasMoves = true
        for (let index = 0; index < line.length; index += 1) {
            const byte = line[index]
            if (byte === semicolon && !this.isComment) return
            if (byte === open) this.isComment = true
            else if (byte === close) this.isComment = false
        }
    }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
    const both = new Uint8Array(a.length + b.length)
    both.set(a)
    both.set(b, a.length)
    return both
}

/** Returns the games in a complete PGN. */
export function indexOf(bytes: Uint8Array): IndexedGame[] {
    const indexer = new PgnIndexer()
    return [...indexer.push(bytes), ...indexer.finish()]
}
