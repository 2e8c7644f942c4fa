// The graph of winning chances over the game; a click selects the position. Winning chances, unlike centipawns, have a
// fixed range that includes mates.

import { computed, effect, signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { cursor, goTo, plies, scores } from "./game"
import { moveNumber } from "./preview"
import { moveReports } from "./report"
import { formatScore, winningChance } from "./format"
import type { Score } from "./api"

const heightPx = 96

/** Increases when the theme changes, to redraw the graph. */
export const colors = signal(0)

const points = computed<uPlot.AlignedData>(() => {
    const counts = Array.from({ length: plies.value.length + 1 }, (_, count) => count)
    return [counts, counts.map((count) => (scores.value.has(count) ? winningChance(scores.value.get(count) as Score) : null))]
})

export const hasGraph = computed(() => plies.value.length > 1 && scores.value.size > 1)

/** The ply under the mouse. */
const hovered = signal<number | null>(null)

function draw(holder: HTMLElement): uPlot {
    const style = getComputedStyle(holder)
    const color = (name: string) => style.getPropertyValue(name).trim()
    const marks = (plot: uPlot) => {
        const { ctx, bbox } = plot
        const ratio = devicePixelRatio
        ctx.save()
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
            if (!entry.judgement) continue
            ctx.fillStyle = color(`--${entry.judgement}`)
            ctx.beginPath()
            ctx.arc(plot.valToPos(entry.ply, "x", true), plot.valToPos(entry.winning_chances.after, "y", true), 3.5 * ratio, 0, 2 * Math.PI)
            ctx.fill()
        }
        ctx.restore()
    }
    const options: uPlot.Options = {
        width: holder.clientWidth,
        height: heightPx,
        padding: [4, 4, 4, 4],
        legend: { show: false },
        cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
        scales: { x: { time: false }, y: { range: [0, 100] } },
        axes: [{ show: false }, { show: false }],
        series: [
            {},
            {
                stroke: color("--graph-line"),
                fill: color("--graph-fill"),
                fillTo: 0,
                width: 1.75,
                spanGaps: true,
                points: { show: false },
            },
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
            {moveNumber(count - 1, true)} {ply.san}
            {glyph} <b>{formatScore(score)}</b>
        </figcaption>
    )
}

export function Graph() {
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
                void colors.value
                redraw()
            }),
            effect(() => plot?.setData(points.value)),
            effect(() => {
                void [cursor.value, moveReports.value]
                plot?.redraw(false)
            }),
        ]
        const resized = new ResizeObserver(() => {
            if (plot && box.clientWidth !== plot.width) plot.setSize({ width: box.clientWidth, height: heightPx })
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
            <div ref={holder} role="img" aria-label="White’s winning chance over the game. Use the move list to select a position." />
            <Hovered />
        </figure>
    )
}
