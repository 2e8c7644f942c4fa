// A sequential test (SPRT) on pairs of games, which ends a match as soon as the result is clear.

import type { Match } from "./api"

/**
 * Elo differences of the two hypotheses: the first player is stronger by at most `lower`, or by at
 * least `upper`.
 */
export interface Bounds {
    lower: number
    upper: number
}

export interface Sprt {
    bounds: Bounds
    /** The log-likelihood ratio. */
    ratio: number
}

/** The ratio that decides the test, at error rates of 5 %. */
export const limit = Math.log(0.95 / 0.05)

export const isDecided = ({ ratio }: Sprt): boolean => Math.abs(ratio) >= limit

const expected = (elo: number) => 1 / (1 + 10 ** (-elo / 400))

/**
 * The prior count of each possible result of a pair, because a few identical pairs prove little.
 */
const prior = 0.5

/** Returns the state of the test. */
export function sprtOf({ tally: { pairs } }: Match, bounds: Bounds): Sprt {
    const total = pairs.reduce((sum, count) => sum + count, 0)
    const shares = pairs.map((count) => (count + prior) / (total + prior * pairs.length))
    // The index runs from two lost games to two won games.
    const points = (index: number) => index / (pairs.length - 1)
    const mean = shares.reduce((sum, share, index) => sum + share * points(index), 0)
    const variance = shares.reduce(
        (sum, share, index) => sum + share * (points(index) - mean) ** 2,
        0,
    )
    const [low, high] = [expected(bounds.lower), expected(bounds.upper)]
    const ratio = (total * (high - low) * (2 * mean - low - high)) / (2 * variance)
    return { bounds, ratio }
}
