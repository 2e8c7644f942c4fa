// Games from files and texts: what a text is, the games of a file, and the download of the game.

import { signal } from "@preact/signals"
import type { GameForm, Issue } from "./api"
import { gameTags, gamePgn } from "./export"
import { standardStart, turn } from "./game"
import { loadGame } from "./import"
import { splitGames, tagsOf } from "./pgn"
import { setUserForBoth } from "./play"
import * as setup from "./setup"

export interface FileGame {
    text: string
    tags: Record<string, string>
}

/** The games of the last file or text with several. */
export const collection = signal<readonly FileGame[]>([])
/** The game of the collection that was loaded last. */
export const loadedIndex = signal<number | null>(null)
export const issues = signal<Issue[]>([])
/** What was left out of the loaded game. */
export const losses = signal<readonly string[]>([])

function formOf(text: string): GameForm {
    if (text.startsWith("<svg")) return { svg: text }
    if (text.startsWith("<")) return { html: text, turn: turn.value }
    if (setup.isBoard(text) && text.includes(";")) return { epd: text }
    const tokens = text.split(/\s+/)
    if (tokens.every((token) => /^([a-h][1-8]){2}[qrbn]?$/.test(token))) return { fen: standardStart, moves: tokens }
    return setup.isBoard(text) || /^[^\s[]+\/[^\s]*(\s|$)/.test(text) ? { fen: text } : { pgn: text }
}

/** Loads a text in any form, or lists its games. Returns whether a game was loaded. */
export async function loadText(text: string): Promise<boolean> {
    const form = formOf(text.trim())
    const games = "pgn" in form ? splitGames(text) : []
    issues.value = []
    losses.value = []
    if (games.length > 1) {
        collection.value = games.map((game) => ({ text: game, tags: tagsOf(game) }))
        loadedIndex.value = null
        return true
    }
    return load(form)
}

async function load(form: GameForm): Promise<boolean> {
    const loaded = await loadGame(form)
    issues.value = loaded.issues
    losses.value = loaded.losses
    if (loaded.issues.length === 0) {
        // No AI moves in a loaded game until the user selects one.
        setUserForBoth()
        setup.edited.value = null
        return true
    }
    if ("fen" in form && setup.isBoard(form.fen)) setup.openEditor(form.fen)
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
