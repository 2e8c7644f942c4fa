// Lessons from the mistakes of a game.

import type { Color } from "../../api/types"
import { common } from "./common"

const { colors } = common
const kinds = { inaccuracy: "an inaccuracy", mistake: "a mistake", blunder: "a blunder" }
export type Judgement = keyof typeof kinds

export const lesson = {
    learn: (color: Color) => `Learn from ${colors[color]}’s mistakes`,
    step: (at: number, of: number) => `Position ${at} of ${of}`,
    question: (move: string, judgement: Judgement | null) =>
        `${move} was ${kinds[judgement ?? "mistake"]}. Find a better move.`,
    checking: "Checking your move.",
    played: (move: string) => `${move} was played in the game. Try again.`,
    wrong: (move: string, judgement: Judgement | null) =>
        judgement
            ? `${move} is ${kinds[judgement]}. Try again.`
            : `The AI has no score for ${move}. Try another move.`,
    best: (move: string) => `Right: ${move} is the best move.`,
    good: (move: string, best: string) => `Right: ${move} is good. The best move is ${best}.`,
    solution: (move: string) => `The best move is ${move}.`,
    elsewhere: "The board shows another position.",
    summary: (found: number, of: number) => `You found ${found} of ${of}.`,
    none: (color: Color) =>
        `The review found no inaccuracies, mistakes or blunders by ${colors[color]}.`,
    goBack: "Back to the position",
    show: "Show the solution",
    next: "Next",
    finish: "Finish",
    again: "Start again",
    end: "End",
}
