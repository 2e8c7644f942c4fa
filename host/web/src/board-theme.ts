// The colours of the board.

import { effect, signal } from "@preact/signals"
import { local } from "./storage"

export const boardThemes = ["green", "brown", "blue", "grey"] as const

const storageKey = "board"
const stored = boardThemes.find((known) => known === local.get(storageKey))

export const boardTheme = signal<(typeof boardThemes)[number]>(stored ?? "green")

effect(() => {
    document.documentElement.dataset.board = boardTheme.value
    local.set(storageKey, boardTheme.value)
})
