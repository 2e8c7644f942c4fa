// Starts a person's game: as chosen, as a rematch, or from a position.

import { batch, computed, signal } from "@preact/signals"
import { chess960Fen, maxStart } from "./chess960"
import { positionInfo, standardStart, startFen, startGame } from "./game"
import { switchSides } from "./levels"
import { aiColor, applyChoice, rememberChoice, side } from "./opponent"
import { enterPlace } from "./places"
import { hasStarted, markStarted } from "./started"
import { newGame } from "./steps"
import { switches } from "./switches"
import { overlay } from "./view"

/** Whether the user is choosing the next game. */
export const isChoosing = computed(
    () =>
        switches.place.value === "play" &&
        switches.tool.value === null &&
        !hasStarted.value &&
        !overlay.value?.isEdited,
)

export type Start = "standard" | "chess960" | "position"

/** Castling rights that name rook files mean Chess960. */
const isChess960 = (fen: string) => /[a-h]/i.test(fen.split(" ")[2] ?? "")

/** The last position that was offered as a starting position. */
const givenFen = signal<string | null>(null)
startFen.subscribe((fen) => {
    if (fen !== standardStart && !isChess960(fen)) givenFen.value = fen
})

export const start = computed<Start>(() => {
    if (startFen.value === standardStart) return "standard"
    return isChess960(startFen.value) ? "chess960" : "position"
})
export const starts = computed<Start[]>(() => [
    "standard",
    ...(givenFen.value === null ? [] : (["position"] as const)),
    "chess960",
])

export function chooseStart(next: Start): void {
    if (next === "standard") return startGame()
    const number = Math.floor(Math.random() * (maxStart + 1))
    startGame(next === "chess960" ? chess960Fen(number) : (givenFen.peek() ?? undefined))
}

/** Starts the chosen game. */
export function startChosen(): void {
    batch(() => {
        if (side.peek() === "random" && aiColor() && Math.random() < 0.5) switchSides()
        markStarted(true)
    })
    rememberChoice()
}

/** Lets the user choose the next game, with the last choice preselected. */
export function chooseNewGame(): void {
    newGame()
    applyChoice()
}

/** Plays the same opponent again from the same start, with sides switched. */
export function rematch(): void {
    newGame(startFen.peek())
    batch(() => {
        switchSides()
        markStarted(true)
    })
}

/** Begins a game from the position on the board. */
export function playFromHere(): void {
    const fen = positionInfo.peek()?.game.fen
    if (!fen) return
    enterPlace("play")
    newGame(fen)
}
