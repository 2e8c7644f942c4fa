// The sides of lessons, and their name.

import type { Color } from "./api"
import { isAiMatch, userColor, userPlaysBoth } from "./players"
import { texts } from "./texts/board"

/** Whether a side is the user's, against an AI. */
export const isOwn = (color: Color): boolean =>
    !userPlaysBoth.value && !isAiMatch.value && userColor.value === color

export const learnLabel = (color: Color): string => texts.lesson.learn(color, isOwn(color))
