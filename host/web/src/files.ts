// Games from files and text, and the download of the game. The host detects the format of the text.

import { signal } from "@preact/signals"
import type { GameForm, Issue } from "./api"
import { reading, readGames, stopReading } from "./big-file"
import { download } from "./download"
import { gameTags, gamePgn } from "./export"
import { bytesOf, decodeText, withoutUtf16 } from "./decoding"
import { turn } from "./game"
import { loadGame } from "./import"
import { indexOf } from "./pgn-index"
import type { IndexedGame } from "./pgn-index"
import type { SavedAs } from "./work"
import * as setup from "./setup"
import { adviceForLink, fenInLink } from "./spellings"
import { texts } from "./texts/board"

export interface FileGame {
    tags: Record<string, string>
    text: () => Promise<string>
}

/** The largest file that is read. */
const maxFileMb = 100
/** Files up to this size may have any format. Larger files must be PGNs. */
const maxTextBytes = 1 << 20

/** The games of the last file or text with several games. */
export const collection = signal<readonly FileGame[]>([])
/** The index of the game loaded last from the collection. */
export const loadedIndex = signal<number | null>(null)
export const issues = signal<Issue[]>([])
/** The format that the host detected in the loaded text. */
export const format = signal<string | null>(null)
/** Parts that were dropped from the loaded game. */
export const losses = signal<readonly string[]>([])

/** Returns the games in a PGN. */
export const gamesOf = (pgn: string): FileGame[] => {
    const blob = new Blob([pgn.replace(/^\uFEFF/, "")])
    return indexOf(new TextEncoder().encode(pgn.replace(/^\uFEFF/, ""))).map((game) =>
        gameIn(blob, game),
    )
}

const gameIn = (blob: Blob, { start, end, tags }: IndexedGame): FileGame => ({
    tags,
    text: async () => decodeText(await bytesOf(blob.slice(start, end))),
})

function clearReport(): void {
    issues.value = []
    losses.value = []
    format.value = null
}

const report = (code: string, message: string) => {
    issues.value = [{ code, message, pointer: "" }]
}

const reportUnreadable = () => report("unreadable_file", texts.positions.unreadableFile)

/** Loads text in any format, or lists its games. Returns whether a game was loaded. */
export async function loadText(text: string): Promise<boolean> {
    const games = gamesOf(text)
    clearReport()
    if (games.length > 1) {
        collection.value = games
        loadedIndex.value = null
        return true
    }
    const [fen, advice] = [fenInLink(text.trim()), adviceForLink(text.trim())]
    if (advice !== null && fen === null) report("link", advice)
    return issues.value.length === 0 && load({ any: fen ?? text.trim(), turn: turn.value })
}

async function load(form: GameForm, place: SavedAs | null = null): Promise<boolean> {
    const loaded = await loadGame(form, place)
    issues.value = loaded.issues
    losses.value = loaded.losses
    format.value = loaded.format
    if (loaded.issues.length === 0) {
        setup.edited.value = null
        return true
    }
    if ("any" in form && setup.isBoard(form.any)) setup.openEditor(form.any)
    return false
}

/** Loads a stored game from its PGN. */
export const loadStored = (pgn: string, place: SavedAs): Promise<boolean> => load({ pgn }, place)

/** Loads a game from the collection. */
export async function loadFromCollection(index: number): Promise<void> {
    const game = collection.value[index]
    if (!game) return
    try {
        if (await load({ pgn: await game.text() })) loadedIndex.value = index
    } catch (error) {
        if (!(error instanceof DOMException)) throw error
        report("unreadable_file", texts.positions.movedFile)
    }
}

/** The number of bytes that are checked to tell whether a file is text. */
const startBytes = 4096

/** Returns why a file that starts like this cannot contain games; null if it might. */
function obstacleIn(start: string): string | null {
    if (start.trim() === "") return texts.positions.emptyFile
    return start.slice(0, startBytes).includes("\0") ? texts.positions.notChess : null
}

/** Loads a file: text in any format, or a list of games. */
export async function loadFile(file: File): Promise<void> {
    clearReport()
    if (reading.value) {
        stopReading()
        // The list is incomplete, because reading its file was stopped.
        collection.value = []
    }
    if (file.size <= maxTextBytes) {
        const text = await bytesOf(file).then(decodeText, () => null)
        if (text === null) return reportUnreadable()
        const obstacle = obstacleIn(text)
        return obstacle === null ? void (await loadText(text)) : report("no_text", obstacle)
    }
    const megabytes = Math.ceil(file.size / 1e6)
    if (megabytes > maxFileMb)
        return report("large_file", texts.positions.largeFile(megabytes, maxFileMb))
    loadedIndex.value = null
    collection.value = []
    try {
        const obstacle = obstacleIn(decodeText(await bytesOf(file.slice(0, startBytes))))
        if (obstacle !== null) return report("no_text", obstacle)
        const utf8 = await withoutUtf16(file)
        await readGames(
            utf8,
            (games) =>
                (collection.value = [
                    ...collection.value,
                    ...games.map((game) => gameIn(utf8, game)),
                ]),
        )
    } catch {
        return reportUnreadable()
    }
    if (collection.value.length === 1) await loadFromCollection(0)
}

/** Downloads the game as a file. */
export function downloadPgn(): void {
    const { White, Black, Date: date } = gameTags()
    download(`${White}-${Black}-${date}`, gamePgn())
}
