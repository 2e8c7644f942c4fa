// The graph of winning chances over the game, with a line for each AI. A click selects the
// position. Unlike centipawns, winning chances have a fixed range that includes mates.

import { computed, effect, signal, untracked } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import { aiName } from "./ais"
import { cursor, goTo, plies, turnAfter } from "./game"
import { moveNumber } from "./preview"
import { moveReports } from "./report"
import { judge, scores, scoresByAi } from "./scores"
import { colors } from "./theme"
import { formatScore, sanText, winningChance } from "./format"
import type { Score } from "./api"
import { texts } from "./texts/board"

/** The height of the legend above the lines. */
const legendPx = 14

/** The colour and dashes of each AI's line. Lines never differ in colour alone. */
const lineStyles = [
    { color: "--graph-line", dash: [] },
    { color: "--graph-second", dash: [6, 3] },
    { color: "--graph-third", dash: [1.5, 3] },
    { color: "--graph-fourth", dash: [9, 3, 1.5, 3] },
]

/**
 * The lines of the graph: one for each AI, and one for the scores from a PGN. The line of the
 * report's AI comes first.
 */
const lines = computed(() => {
    const rank = (ai: string) => (ai === judge.value ? 0 : 1)
    const several = [...scoresByAi.value]
        .sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
        .slice(0, lineStyles.length)
    const [only] = several
    return several.length > 1
        ? several.map(([ai, scores]) => ({ ai, scores }))
        : [{ ai: null, scores: only?.[1] ?? new Map<number, Score>() }]
})

const points = computed<uPlot.AlignedData>(() => {
    const counts = Array.from({ length: plies.value.length + 1 }, (_, count) => count)
    const chanceAfter = (count: number, score: Score | undefined) =>
        score ? winningChance(score, turnAfter(count)) : null
    return [
        counts,
        ...lines.value.map(({ scores }) =>
            counts.map((count) => chanceAfter(count, scores.get(count))),
        ),
    ]
})

const lineNames = computed(() => lines.value.map(({ ai }) => ai).join())

/** The ply under the mouse. */
const hovered = signal<number | null>(null)

/** Returns the isolated points, which a line would not show. */
const alone: uPlot.Series.Points.Filter = (plot, series) => {
    const values = plot.data[series] ?? []
    const isKnown = (index: number) => typeof values[index] === "number"
    return [...values.keys()].filter(
        (index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1),
    )
}

function draw(holder: HTMLElement): uPlot {
    const style = getComputedStyle(holder)
    const color = (name: string) => style.getPropertyValue(name).trim()
    const marks = (plot: uPlot) => {
        const { ctx, bbox } = plot
        const ratio = devicePixelRatio
        ctx.save()
        // Drawing an AI's line leaves its dashes set.
        ctx.setLineDash([])
        const y = plot.valToPos(50, "y", true)
        ctx.strokeStyle = color("--graph-even")
        ctx.beginPath()
        ctx.moveTo(bbox.left, y)
        ctx.lineTo(bbox.left + bbox.width, y)
        ctx.stroke()
        const x = plot.valToPos(cursor.peek(), "x", true)
        ctx.strokeStyle = color("--graph-here")
        ctx.lineWidth = 2 * ratio
        ctx.beginPath()
        ctx.moveTo(x, bbox.top)
        ctx.lineTo(x, bbox.top + bbox.height)
        ctx.stroke()
        for (const entry of moveReports.peek().values()) {
            const { after } = entry.winning_chances
            if (!entry.judgement || after === null) continue
            ctx.fillStyle = color(`--${entry.judgement}`)
            ctx.beginPath()
            ctx.arc(
                plot.valToPos(entry.ply, "x", true),
                plot.valToPos(after, "y", true),
                3 * ratio,
                0,
                2 * Math.PI,
            )
            ctx.fill()
        }
        ctx.restore()
    }
    const options: uPlot.Options = {
        width: holder.clientWidth,
        height: holder.clientHeight,
        padding: [lines.peek().length > 1 ? legendPx : 2, 4, 2, 4],
        legend: { show: false },
        cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
        scales: { x: { time: false }, y: { range: [0, 100] } },
        axes: [{ show: false }, { show: false }],
        series: [
            {},
            ...lines.peek().map(({ ai }, index) => ({
                stroke: color(lineStyles[index]?.color ?? "--graph-line"),
                dash: lineStyles[index]?.dash ?? [],
                ...(ai === null ? { fill: color("--graph-fill"), fillTo: 0 } : {}),
                width: 1.75,
                points: { size: 4, filter: alone },
            })),
        ],
        hooks: { draw: [marks], setCursor: [({ cursor }) => (hovered.value = cursor.idx ?? null)] },
    }
    return new uPlot(options, points.peek(), holder)
}

/** The move under the mouse with its score. */
function Hovered() {
    const count = hovered.value
    const ply = count ? plies.value[count - 1] : undefined
    if (!count || !ply) return null
    const glyph = moveReports.value.get(count)?.glyph ?? ""
    const score = scores.value.get(count)
    return (
        <figcaption class="hovered" aria-hidden="true">
            {moveNumber(count - 1, true)} {sanText(ply.san)}
            {glyph} <b>{formatScore(score)}</b>
        </figcaption>
    )
}

/** Names the lines of several AIs, with their scores in the current position. */
function Legend() {
    if (lines.value.length < 2) return null
    return (
        <ul class="legend" aria-label={texts.game.graphLines} data-testid="legend">
            {lines.value.map(({ ai, scores }, index) => (
                <li key={ai}>
                    <svg viewBox="0 0 26 8" aria-hidden="true">
                        <path
                            d="M1 4h24"
                            style={{ stroke: `var(${lineStyles[index]?.color})` }}
                            stroke-dasharray={lineStyles[index]?.dash.join(" ")}
                        />
                    </svg>
                    {ai ? aiName(ai) : "PGN"}{" "}
                    <b>{scores.has(cursor.value) ? formatScore(scores.get(cursor.value)) : ""}</b>
                </li>
            ))}
        </ul>
    )
}

export function GraphPlot() {
    const holder = useRef<HTMLDivElement>(null)
    useEffect(() => {
        const box = holder.current
        if (!box) return undefined
        let plot: uPlot | undefined
        const go = () => {
            const left = plot?.cursor.left ?? -1
            if (plot && left >= 0) goTo(Math.round(plot.posToVal(left, "x")))
        }
        const redraw = () => {
            plot?.destroy()
            plot = draw(box)
            plot.over.addEventListener("click", go)
        }
        const stops = [
            effect(() => {
                void [colors.value, lineNames.value]
                untracked(redraw)
            }),
            effect(() => plot?.setData(points.value)),
            effect(() => {
                void [cursor.value, moveReports.value]
                plot?.redraw(false)
            }),
        ]
        const resized = new ResizeObserver(() => {
            if (plot && box.clientWidth !== plot.width)
                plot.setSize({ width: box.clientWidth, height: box.clientHeight })
        })
        resized.observe(box)
        return () => {
            for (const stop of stops) stop()
            resized.disconnect()
            plot?.destroy()
        }
    }, [])
    return (
        <figure class="graph" data-testid="graph">
            <div ref={holder} role="img" aria-label={texts.game.graph} />
            <Legend />
            <Hovered />
        </figure>
    )
}
