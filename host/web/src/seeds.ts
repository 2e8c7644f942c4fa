// Game seeds. If requests may set an AI's `seed` or `book_seed`, it plays each game differently.

import { signal } from "@preact/signals"
import { ais } from "./ais"
import type { Color } from "./api"
import { gameNumber } from "./game"
import type { Options } from "./options"

const names = ["seed", "book_seed"]

function newSeeds(): Record<Color, number> {
    const [white = 0, black = 0] = crypto.getRandomValues(new Uint32Array(2))
    return { white, black }
}

/** A random number for each side's AI, new in each game. */
export const seeds = signal(newSeeds())

gameNumber.subscribe(() => (seeds.value = newSeeds()))

/** Returns the seeds of a side's AI that requests may set. */
export function seedsOf(color: Color, id: string): Options {
    const properties = ais.value.find((ai) => ai.id === id)?.options.properties ?? {}
    return Object.fromEntries(
        names.flatMap((name) => {
            const schema = properties[name]
            if (schema?.type !== "integer" || schema.readOnly) return []
            const { minimum = 0, maximum = 2 ** 32 - 1 } = schema
            return [[name, minimum + (seeds.value[color] % (maximum - minimum + 1))]]
        }),
    )
}
