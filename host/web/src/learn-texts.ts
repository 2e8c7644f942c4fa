// The words of lessons.

import type { Color, MoveReport } from "./api"
import { colorName } from "./format"
import { isAiMatch, userColor, userPlaysBoth } from "./players"

type Judgement = NonNullable<MoveReport["judgement"]>

const kinds: Record<Judgement, string> = { inaccuracy: "an inaccuracy", mistake: "a mistake", blunder: "a blunder" }

/** Whether a side is the user's, against an AI. */
const isOwn = (color: Color) => !userPlaysBoth.value && !isAiMatch.value && userColor.value === color

export const learnLabel = (color: Color) => `Learn from ${isOwn(color) ? "your" : `${colorName(color)}’s`} mistakes`

export const learnTexts = {
    step: (at: number, of: number) => `Position ${at} of ${of}`,
    reviewing: "The game is being reviewed.",
    question: (label: string, judgement: Judgement | null) => `${label} was ${kinds[judgement ?? "mistake"]}. Find a better move.`,
    checking: "Checking your move.",
    played: (san: string) => `${san} is the move of the game. Try again.`,
    wrong: (san: string, judgement: Judgement | null) => (judgement ? `${san} is ${kinds[judgement]}. Try again.` : `The AI has no score for ${san}. Try another move.`),
    best: (san: string) => `Right: ${san} is the best move.`,
    good: (san: string) => `Right: ${san} is good too.`,
    solution: (san: string) => `The best move is ${san}.`,
    elsewhere: "The board shows another position.",
    summary: (found: number, of: number) => `You found ${found} of ${of}.`,
    none: (color: Color) => `The report finds no inaccuracies, mistakes or blunders ${isOwn(color) ? "of yours" : `by ${colorName(color)}`}.`,
    goBack: "Back to the position",
    show: "Show the solution",
    next: "Next",
    finish: "Finish",
    again: "Start again",
    end: "End",
}
