// The ratings of a player's versions as a curve with error bars. The table below lists the numbers.

import { placeOf, scaleOf } from "./scale"
import { texts } from "../texts/arena"
import type { Version } from "../api/types"
import { ratingText } from "./words"

const [width, height] = [420, 180]
const [left, right, top, bottom] = [44, 12, 8, 22]

export function VersionCurve({ versions }: { versions: readonly Version[] }) {
    const rated = versions.filter(
        (version): version is Version & { elo: number } => version.elo !== null,
    )
    const scale = scaleOf(rated)
    if (!scale || rated.length < 2) return null
    const y = (elo: number) => top + (1 - placeOf(scale, elo)) * (height - top - bottom)
    const x = (index: number) => left + ((index + 0.5) / rated.length) * (width - left - right)
    const label = rated
        .map((version) => texts.versionRating(version.version, ratingText(version)))
        .join(", ")
    return (
        <svg
            class="version-curve"
            viewBox={`0 0 ${width} ${height}`}
            role="img"
            aria-label={texts.eloByVersion(label)}
        >
            {scale.ticks.map((tick) => (
                <g key={tick}>
                    <line class="tick" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
                    <text x={left - 6} y={y(tick) + 4} text-anchor="end">
                        {tick}
                    </text>
                </g>
            ))}
            <polyline
                class="curve"
                points={rated.map(({ elo }, index) => `${x(index)},${y(elo)}`).join(" ")}
            />
            {rated.map(({ id, version, elo, error }, index) => (
                <g key={id}>
                    <line
                        class="error"
                        x1={x(index)}
                        x2={x(index)}
                        y1={y(elo - (error ?? 0))}
                        y2={y(elo + (error ?? 0))}
                    />
                    <circle cx={x(index)} cy={y(elo)} r="4.5" />
                    <text x={x(index)} y={height - 6} text-anchor="middle">
                        {version}
                    </text>
                </g>
            ))}
        </svg>
    )
}
