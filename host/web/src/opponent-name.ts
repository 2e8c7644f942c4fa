// Player names. An AI at a level has the level's name.

import { aiName } from "./ais"
import type { Color } from "./api"
import { levelOf, levels } from "./levels"
import type { Level } from "./levels"
import { aiOf } from "./players"

export const levelFor = (color: Color): Level | undefined => levels.value[levelOf(color)]

/** Returns the name of a side's AI. */
export const opponentName = (color: Color): string =>
    levelFor(color)?.name ?? aiName(aiOf(color) ?? "")
