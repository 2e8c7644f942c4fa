// The user's opponent, side and clocks. The browser remembers the last choice.

import { batch, signal } from "@preact/signals"
import { ais } from "./ais"
import type { Color } from "./api"
import { setTimeControl, timeControl } from "./clocks"
import type { TimeControl } from "./clocks"
import { opposite } from "./game"
import { defaultLevel, levelOf, levels, setAi } from "./levels"
import { setPlayer, stopSearch } from "./play"
import { aiOf, isAiMatch, playersSettings, setLimit, setSettings, userColor } from "./players"
import type { Settings } from "./players"
import type { Limit } from "./api"
import { local } from "./storage"
import { switches } from "./switches"

export type Side = Color | "random"
/** The user's side. A random side is drawn at the start. */
export const side = signal<Side>("white")

/** The side of the user's AI opponent; null if the opponent is not an AI. */
export const aiColor = (): Color | null =>
    isAiMatch.value || aiOf(opposite(userColor.value)) === null ? null : opposite(userColor.value)

interface Choice {
    /** The name of the level; null for an AI with custom settings, or a person. */
    level: string | null
    /** The AI's id; null for a person at the same board. */
    ai: string | null
    settings: Settings
    side: Side
    control: TimeControl | null
}

const storageKey = "opponent"

/** Stores the current choice. */
export function rememberChoice(): void {
    const color = aiColor()
    const choice: Choice = {
        level:
            color && !switches.choosesAi.value
                ? (levels.value[levelOf(color)]?.name ?? null)
                : null,
        ai: color && aiOf(color),
        settings: playersSettings.value[color ?? "black"],
        side: side.value,
        control: timeControl.value,
    }
    local.set(storageKey, JSON.stringify(choice))
}

/** Gives one side to the user, and the other to an AI or a person. */
function seat(ai: string | null, settings?: Settings): void {
    const user = side.peek() === "black" ? "black" : "white"
    const other = opposite(user)
    batch(() => {
        // If only the strength changes, the AI must still restart its search.
        stopSearch()
        setPlayer(user, "you")
        setPlayer(other, ai === null ? "you" : { ai })
        if (settings) setSettings(other, settings)
    })
}

const change = (act: () => void) => () => {
    batch(act)
    rememberChoice()
}

export const chooseLevel = (index: number) =>
    change(() => {
        const level = levels.peek()[index]
        switches.choosesAi.value = false
        if (level) seat(level.ai, level)
    })

export const chooseFriend = change(() => {
    switches.choosesAi.value = false
    seat(null)
})

/** Chooses an AI by its id, or the AI of the chosen level. */
export const chooseAi = (id?: string) =>
    change(() => {
        switches.choosesAi.value = true
        const color = aiColor()
        const ai = id ?? ((color && aiOf(color)) || ais.peek()[0]?.id)
        if (!ai) return
        if (color) setAi(color, ai)
        else seat(ai)
    })

export const chooseLimit = (limit: Limit | null) =>
    change(() => {
        const color = aiColor()
        if (color) setLimit(color, limit)
    })

export const chooseSide = (next: Side) =>
    change(() => {
        const color = aiColor()
        const [ai, settings] = [color && aiOf(color), playersSettings.peek()[color ?? "black"]]
        side.value = next
        seat(ai, settings)
    })

export const chooseControl = (control: TimeControl | null) =>
    change(() => setTimeControl(control))()

function storedChoice(): Choice | null {
    try {
        return JSON.parse(local.get(storageKey) ?? "null") as Choice | null
    } catch {
        return null
    }
}

/**
 * Restores the last choice. If the server no longer offers it, chooses the opponent that a new user
 * would get.
 */
export function applyChoice(): void {
    const choice = storedChoice()
    batch(() => {
        side.value = choice?.side ?? "white"
        if (choice) setTimeControl(choice.control)
        const level = levels.peek().find(({ name }) => name === choice?.level)
        const isKnown = ais.peek().some(({ id }) => id === choice?.ai)
        const hasOwnSettings = choice !== null && choice.level === null && isKnown
        switches.choosesAi.value = hasOwnSettings
        if (choice?.ai === null) return seat(null)
        if (hasOwnSettings) return seat(choice.ai, choice.settings)
        const chosen = level ?? levels.peek()[defaultLevel.peek()]
        if (chosen) seat(chosen.ai, chosen)
    })
}
