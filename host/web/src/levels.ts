// Strength as one ladder from beginner to strongest, over the AIs that the server offers.

import { batch, computed } from "@preact/signals"
import { ais } from "./ais"
import type { Ai, Color, Limit } from "./api"
import { optionsOf, setOption } from "./options"
import type { Options } from "./options"
import { setPlayer, stopSearch } from "./play"
import { limits, players, setLimit } from "./players"

export interface Level {
    name: string
    ai: string
    /** The search limit; null is the AI's default. */
    limit: Limit | null
    options?: Options
}

/**
 * The first AI of a row that is offered gives the level; a row without one is left out. In 20 games each row up to depth 5 won
 * 75 % or more against the row above.
 */
const ladder: { name: string; choices: Omit<Level, "name">[] }[] = [
    { name: "Beginner", choices: [{ ai: "basic1", limit: { nodes: 20 } }] },
    { name: "Novice", choices: [{ ai: "huo1", limit: { depth: 1 } }] },
    { name: "Learner", choices: [{ ai: "huo1", limit: { depth: 2 } }] },
    { name: "Casual player", choices: [{ ai: "basic1", limit: { depth: 1 } }] },
    { name: "Improver", choices: [{ ai: "basic1", limit: { depth: 2 } }] },
    { name: "Club player", choices: [{ ai: "basic1", limit: { depth: 3 } }] },
    { name: "Strong club player", choices: [{ ai: "basic1", limit: { depth: 5 } }] },
    { name: "Expert", choices: [{ ai: "nnue1", limit: { nodes: 20_000 } }, { ai: "basic1", limit: { movetime_ms: 500 } }] },
    { name: "Strongest", choices: [{ ai: "nnue1", limit: { movetime_ms: 3000 } }, { ai: "basic1", limit: { movetime_ms: 3000 } }] },
]
const defaultName = "Casual player"

/** The levels of an AI that the ladder does not know: by its skill, if a request may set that, otherwise by depth. */
function levelsOf(ai: Ai): Level[] {
    const skill = ai.options.properties?.skill_level
    if (skill && !skill.readOnly && skill.minimum !== undefined && skill.maximum !== undefined) {
        const { minimum, maximum } = skill
        return ladder.map(({ name }, index) => {
            const value = Math.round(minimum + ((maximum - minimum) * index) / (ladder.length - 1))
            return { name, ai: ai.id, limit: null, options: { skill_level: value } }
        })
    }
    const depths = [1, 2, 3, 4, 5, 6, 7, 8]
    const byDepth = depths.map((depth, index) => ({ name: ladder[index]?.name ?? "", ai: ai.id, limit: { depth } }))
    return [...byDepth, { name: "Strongest", ai: ai.id, limit: { movetime_ms: 3000 } }]
}

/** Whether the client may search that far. */
function isAllowed({ ai: id, limit }: Level): boolean {
    const maxima = ais.value.find((ai) => ai.id === id)?.limit.properties ?? {}
    return Object.entries(limit ?? {}).every(([kind, number]) => number <= (maxima[kind]?.maximum ?? Infinity))
}

export const levels = computed<Level[]>(() => {
    const isOffered = ({ ai: id }: { ai: string }) => ais.value.some((ai) => ai.id === id)
    const known = ladder.flatMap(({ name, choices }) => {
        const choice = choices.find(isOffered)
        return choice ? [{ name, ...choice }] : []
    })
    const [first] = ais.value
    const all = known.length > 0 || !first ? known : levelsOf(first)
    return all.filter(isAllowed)
})

export const defaultLevel = computed(() => {
    const middle = levels.value.findIndex(({ name }) => name === defaultName)
    return middle >= 0 ? middle : Math.floor(levels.value.length / 2)
})

/** Returns the index of the level that a side plays at; -1 if its settings are those of none. */
export function levelOf(color: Color): number {
    const player = players.value[color]
    if (player === "you") return -1
    const limit = JSON.stringify(limits.value[color])
    const options = optionsOf(player.ai)
    return levels.value.findIndex(
        (level) =>
            level.ai === player.ai &&
            JSON.stringify(level.limit) === limit &&
            Object.entries(level.options ?? {}).every(([name, value]) => options[name] === value),
    )
}

/** Gives a side to an AI at a level. */
export function setLevel(color: Color, index: number): void {
    const level = levels.value[index]
    if (!level) return
    batch(() => {
        // The same AI at another strength starts its search again.
        stopSearch()
        setLimit(color, level.limit)
        for (const [name, value] of Object.entries(level.options ?? {})) setOption(level.ai, name, value)
        setPlayer(color, { ai: level.ai })
    })
}

/** Gives a side to an AI chosen by its id. The limit of a level belongs to that level's AI. */
export function setAi(color: Color, ai: string): void {
    batch(() => {
        if (levelOf(color) >= 0) setLimit(color, null)
        setPlayer(color, { ai })
    })
}
