// Games from files and texts: the games of a file, and the download of the game. The host guesses what a text is.

import { signal } from "@preact/signals"
import type { GameForm, Issue } from "./api"
import { gameTags, gamePgn } from "./export"
import { turn } from "./game"
import { loadGame } from "./import"
import { splitGames, tagsOf } from "./pgn"
import { setUserForBoth } from "./play"
import * as setup from "./setup"
import { adviceForLink, fenInLink } from "./spellings"

export interface FileGame {
    text: string
    tags: Record<string, string>
}

/** The games of the last file or text with several. */
export const collection = signal<readonly FileGame[]>([])
/** The game of the collection that was loaded last. */
export const loadedIndex = signal<number | null>(null)
export const issues = signal<Issue[]>([])
/** The format that the host found in the loaded text. */
export const format = signal<string | null>(null)
/** What was left out of the loaded game. */
export const losses = signal<readonly string[]>([])

/** Returns the games of a PGN. */
export const gamesOf = (pgn: string): FileGame[] => splitGames(pgn).map((text) => ({ text, tags: tagsOf(text) }))

/** Loads a text in any form, or lists its games. Returns whether a game was loaded. */
export async function loadText(text: string): Promise<boolean> {
    const games = gamesOf(text)
    issues.value = []
    losses.value = []
    format.value = null
    if (games.length > 1) {
        collection.value = games
        loadedIndex.value = null
        return true
    }
    const [fen, advice] = [fenInLink(text.trim()), adviceForLink(text.trim())]
    if (advice !== null && fen === null) issues.value = [{ code: "link", message: advice, pointer: "" }]
    return issues.value.length === 0 && load({ any: fen ?? text.trim(), turn: turn.value })
}

async function load(form: GameForm): Promise<boolean> {
    const loaded = await loadGame(form)
    issues.value = loaded.issues
    losses.value = loaded.losses
    format.value = loaded.format
    if (loaded.issues.length === 0) {
        // No AI moves in a loaded game until the user selects one.
        setUserForBoth()
        setup.edited.value = null
        return true
    }
    if ("any" in form && setup.isBoard(form.any)) setup.openEditor(form.any)
    return false
}

/** Loads a game of the collection. */
export async function loadFromCollection(index: number): Promise<void> {
    const game = collection.value[index]
    if (game && (await load({ pgn: game.text }))) loadedIndex.value = index
}

export const loadFile = async (file: File): Promise<boolean> => loadText(await file.text())

/** Offers the game as a file. */
export function downloadPgn(): void {
    const { White, Black, Date: date } = gameTags()
    download(`${White}-${Black}-${date}`, gamePgn())
}

export function download(name: string, pgn: string): void {
    const url = URL.createObjectURL(new Blob([pgn], { type: "application/x-chess-pgn" }))
    Object.assign(document.createElement("a"), { href: url, download: `${name.replace(/[^\w.-]+/g, "_")}.pgn` }).click()
    URL.revokeObjectURL(url)
}
