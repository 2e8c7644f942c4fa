// Ratings with error bars on one scale.

import type { Rating } from "../api/types"

/** A range of ratings, with ticks at round numbers. */
export interface Scale {
    low: number
    high: number
    ticks: number[]
}

const steps = [10, 25, 50, 100, 200, 250, 500, 1000]
const maxSteps = 6

/** Returns a scale that covers all ratings with their errors; null if no rating is known. */
export function scaleOf(ratings: readonly Rating[]): Scale | null {
    const ends = ratings.flatMap(({ elo, error }) =>
        elo === null ? [] : [elo - (error ?? 0), elo + (error ?? 0)],
    )
    if (ends.length === 0) return null
    const [least, most] = [Math.min(...ends), Math.max(...ends)]
    const margin = Math.max(10, (most - least) * 0.08)
    const [low, high] = [least - margin, most + margin]
    const step =
        steps.find((step) => (high - low) / step <= maxSteps) ??
        Math.ceil((high - low) / maxSteps / 1000) * 1000
    const first = Math.ceil(low / step)
    const ticks = Array.from(
        { length: Math.floor(high / step) - first + 1 },
        (_, index) => (first + index) * step,
    )
    return { low, high, ticks }
}

/** Returns the position of a rating on a scale, from 0 to 1. */
export const placeOf = ({ low, high }: Scale, elo: number): number => (elo - low) / (high - low)

const at = (scale: Scale, elo: number) => `${(placeOf(scale, elo) * 100).toFixed(2)}%`

/** The round numbers above the bars. */
export const ScaleTicks = ({ scale }: { scale: Scale }) => (
    <svg class="rating-bar ticks" aria-hidden="true">
        {scale.ticks.map((tick) => (
            <text key={tick} x={at(scale, tick)} y="75%" text-anchor="middle">
                {tick}
            </text>
        ))}
    </svg>
)

/** A rating as a point with an error bar. The number next to it says the same. */
export function RatingBar({
    scale,
    rating: { elo, error },
    isAnchor,
}: {
    scale: Scale
    rating: Rating
    isAnchor: boolean
}) {
    const [low, high] = [(elo ?? 0) - (error ?? 0), (elo ?? 0) + (error ?? 0)]
    return (
        <svg class={`rating-bar${isAnchor ? " anchor" : ""}`} aria-hidden="true">
            {scale.ticks.map((tick) => (
                <line
                    key={tick}
                    class="tick"
                    x1={at(scale, tick)}
                    x2={at(scale, tick)}
                    y1="0"
                    y2="100%"
                />
            ))}
            {elo !== null && (
                <>
                    <line
                        class="error"
                        x1={at(scale, low)}
                        x2={at(scale, high)}
                        y1="50%"
                        y2="50%"
                    />
                    {[low, high].map((end, index) => (
                        <line
                            key={index}
                            class="end"
                            x1={at(scale, end)}
                            x2={at(scale, end)}
                            y1="30%"
                            y2="70%"
                        />
                    ))}
                    <circle cx={at(scale, elo)} cy="50%" r="4.5" />
                </>
            )}
        </svg>
    )
}
