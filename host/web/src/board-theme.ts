// The colours of the board.

import { effect, signal } from "@preact/signals"

export const boardThemes = ["green", "brown", "blue", "grey"] as const

const storageKey = "board"
const stored = boardThemes.find((known) => known === localStorage.getItem(storageKey))

export const boardTheme = signal<(typeof boardThemes)[number]>(stored ?? "green")

effect(() => {
    document.documentElement.dataset.board = boardTheme.value
    localStorage.setItem(storageKey, boardTheme.value)
})
