// What can be undone besides moves: a new or loaded game, and deletions.

import { computed, signal } from "@preact/signals"
import { plies, startGame } from "./game"
import { canUndo as canTakeBack, undo as takeBack } from "./play"
import { texts } from "./texts/board"
import { isEmpty, savedAs, setWork, work } from "./work"
import type { SavedAs } from "./work"

interface Step {
    /** The name of the step, such as “New game”. */
    what: string
    revert: () => void
    /**
     * The work that the step led to, with its number of plies; null if the step is not about the
     * game.
     */
    of: { work: SavedAs; plies: number } | null
}

const maxSteps = 30
const steps = signal<readonly Step[]>([])
/** The step whose notice the user closed. */
const closed = signal<Step | null>(null)

/**
 * The last step that can be undone. A step in another game can be undone only while that game is
 * open.
 */
export const lastStep = computed(
    () => steps.value.findLast(({ of }) => of === null || of.work === savedAs.value) ?? null,
)

/** Whether no move was played after a step. */
const isLatest = ({ of }: Step) => of === null || plies.value.length <= of.plies

/** The step in the notice. */
export const noticedStep = computed(() =>
    lastStep.value && lastStep.value !== closed.value && isLatest(lastStep.value)
        ? lastStep.value
        : null,
)
export const closeNotice = () => {
    closed.value = lastStep.value
}

export function addStep(what: string, revert: () => void, isOfGame = true): void {
    const of = isOfGame ? { work: savedAs.peek(), plies: plies.peek().length } : null
    steps.value = [...steps.peek().slice(1 - maxSteps), { what, revert, of }]
}

export function undoStep(): void {
    const step = lastStep.peek()
    steps.value = steps.peek().filter((other) => other !== step)
    step?.revert()
}

/** Replaces the game. Undo restores the previous game with all its data. */
export function replaceGame(what: string, replace: () => void): void {
    const before = work()
    replace()
    if (!isEmpty(before)) addStep(what, () => setWork(before))
}

export const newGame = (fen?: string) => replaceGame(texts.page.newGame, () => startGame(fen))

/** The last step, if it concerns the game. It is undone before any moves. */
const gameStep = computed(() => {
    const step = lastStep.value
    if (!step?.of) return null
    return isLatest(step) || !canTakeBack.value ? step : null
})

export const canUndo = computed(() => gameStep.value !== null || canTakeBack.value)

/** Undoes the last step or the last moves. */
export const undo = () => (gameStep.peek() ? undoStep() : takeBack())
