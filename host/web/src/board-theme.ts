// The colours and the size of the board.

import { effect, signal } from "@preact/signals"
import { local } from "./storage"

export const boardThemes = ["green", "brown", "blue", "grey"] as const

/** The size `large` uses all available room. */
export const boardSizes = ["large", "medium", "small"] as const

const storageKey = "board"
const stored = boardThemes.find((known) => known === local.get(storageKey))

export const boardTheme = signal<(typeof boardThemes)[number]>(stored ?? "green")

effect(() => {
    document.documentElement.dataset.board = boardTheme.value
    local.set(storageKey, boardTheme.value)
})

const sizeKey = "board-size"

export const boardSize = signal<(typeof boardSizes)[number]>(
    boardSizes.find((known) => known === local.get(sizeKey)) ?? "large",
)

effect(() => {
    document.documentElement.dataset.boardSize = boardSize.value
    local.set(sizeKey, boardSize.value)
})
