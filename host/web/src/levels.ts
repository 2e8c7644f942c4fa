// The opponents, weakest first: the server's levels, or an AI at several strengths if the server
// lists none.

import { batch, computed } from "@preact/signals"
import { ais, serverLevels } from "./ais"
import type { Ai, Color, Limit, ServerLevel } from "./api"
import type { Options } from "./options"
import { setPlayer, stopSearch } from "./play"
import { playersSettings, players, setSettings } from "./players"
import type { Settings } from "./players"
import { texts } from "./texts/board"
import { game as english } from "./texts/en/game"

/** The number of levels for an AI of unknown strength. */
const unknownLevels = 9

export interface Level {
    name: string
    /** The measured strength; null if it is unknown. */
    elo: number | null
    /** Half the width of its 95 % interval, if it is known. */
    elo_error?: number | null
    /** The scale of the strength, if it is known. */
    scale?: string | null
    ai: string
    /** The search limit; null means the AI's default. */
    limit: Limit | null
    options: Options
}

/** The strength of a newcomer's opponent. */
const newcomerElo = 1100

/** A newcomer's level if no strength is known. */
const newcomerName = () => texts.game.level("4")

/**
 * Returns the levels for an AI of unknown strength. They differ in skill if requests may set it,
 * otherwise in depth.
 */
function levelsOf({ id: ai, options }: Ai): Level[] {
    const names = Array.from({ length: unknownLevels }, (_, index) =>
        index + 1 < unknownLevels ? texts.game.level(String(index + 1)) : texts.game.strongest,
    )
    const skill = options.properties?.skill_level
    if (skill && !skill.readOnly && skill.minimum !== undefined && skill.maximum !== undefined) {
        const { minimum, maximum } = skill
        return names.map((name, index) => {
            const value = Math.round(minimum + ((maximum - minimum) * index) / (names.length - 1))
            return { name, elo: null, ai, limit: null, options: { skill_level: value } }
        })
    }
    const limits = names.map((_, index): Limit =>
        index + 1 < names.length ? { depth: index + 1 } : { movetime_ms: 3000 },
    )
    return names.map((name, index) => ({
        name,
        elo: null,
        ai,
        limit: limits[index] ?? null,
        options: {},
    }))
}

/** Whether the client may use the level's limit. */
function isAllowed({ ai: id, limit }: Level): boolean {
    const maxima = ais.value.find((ai) => ai.id === id)?.limit.properties ?? {}
    return Object.entries(limit ?? {}).every(
        ([kind, number]) => number <= (maxima[kind]?.maximum ?? Infinity),
    )
}

/** Returns the name of a server's level in the language of the page, if it is a common one. */
function nameOf({ name }: ServerLevel): string {
    if (name === english.strongest) return texts.game.strongest
    const [step] = /\d+$/.exec(name) ?? []
    return step !== undefined && name === english.level(step) ? texts.game.level(step) : name
}

export const levels = computed<Level[]>(() => {
    const [first] = ais.value
    if (serverLevels.value.length > 0 || !first)
        return serverLevels.value.map((level) => ({ ...level, name: nameOf(level) }))
    return levelsOf(first).filter(isAllowed)
})

/** A newcomer's level: the nearest one by Elo. */
export const defaultLevel = computed(() => {
    const distances = levels.value.map(({ elo }) =>
        elo === null ? Infinity : Math.abs(elo - newcomerElo),
    )
    const nearest = distances.indexOf(Math.min(...distances))
    if (levels.value[nearest]?.elo != null) return nearest
    const middle = levels.value.findIndex(({ name }) => name === newcomerName())
    return middle >= 0 ? middle : Math.floor(levels.value.length / 2)
})

/** Returns the strength of a level with its error, or "" if it is unknown. */
export const ratingOf = ({ elo, elo_error: error }: Level): string =>
    elo === null ? "" : error == null ? String(elo) : `${elo} ± ${error}`

/** Returns the index of a side's level; -1 if its settings match no level. */
export function levelOf(color: Color): number {
    const player = players.value[color]
    return player === "you" ? -1 : levelAt(player.ai, playersSettings.value[color])
}

/** Returns the index of the level with this AI and these settings; -1 if none matches. */
export function levelAt(ai: string, settings: Settings): number {
    const wanted = settingsText(settings)
    return levels.value.findIndex((level) => level.ai === ai && settingsText(level) === wanted)
}

const settingsText = ({ limit, options }: { limit: Limit | null; options: Options }) =>
    JSON.stringify([limit, Object.entries(options).sort()])

/** Gives a side to an AI at a level. */
export function setLevel(color: Color, index: number): void {
    const level = levels.value[index]
    if (!level) return
    batch(() => {
        // If only the strength changes, the AI must still restart its search.
        stopSearch()
        setPlayer(color, { ai: level.ai })
        setSettings(color, level)
    })
}

/** Gives a side to an AI chosen by its id. A level's limit applies only to the level's AI. */
export function setAi(color: Color, ai: string): void {
    batch(() => {
        const wasLevel = levelOf(color) >= 0
        setPlayer(color, { ai })
        if (wasLevel) setSettings(color, { limit: null, options: {} })
    })
}

/** Switches the players of both sides. */
export function switchSides(): void {
    const { white, black } = players.value
    const settings = playersSettings.value
    batch(() => {
        setPlayer("white", black)
        setPlayer("black", white)
        setSettings("white", settings.black)
        setSettings("black", settings.white)
    })
}
