// The judgements over the game; a click goes there.

import { computed, effect, signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { cursor, goTo, plies, scores } from "./game"
import { judgements } from "./report"
import { unit } from "./view"
import { winningChance } from "./words"
import type { Score } from "./api"

const heightPx = 96
const mostPawns = 8
const fewestPawns = 2

/** Changes when the colours do. */
export const colors = signal(0)

const value = (score: Score): number => {
    if (unit.value === "chance") return winningChance(score)
    const pawns = "mate" in score ? Math.sign(score.mate || 1) * mostPawns : score.cp / 100
    return Math.max(-mostPawns, Math.min(mostPawns, pawns))
}

const points = computed<uPlot.AlignedData>(() => {
    const counts = Array.from({ length: plies.value.length + 1 }, (_, count) => count)
    return [counts, counts.map((count) => (scores.value.has(count) ? value(scores.value.get(count) as Score) : null))]
})

export const hasGraph = computed(() => plies.value.length > 1 && scores.value.size > 1)

/** What the graph reaches to: all chances, or as many pawns as anybody has been ahead by. */
const range = computed(() => {
    if (unit.value === "chance") return { low: 0, high: 100, even: 50 }
    const ahead = Math.max(fewestPawns, ...(points.value[1] ?? []).map((pawns) => Math.abs(pawns ?? 0)))
    return { low: -Math.ceil(ahead), high: Math.ceil(ahead), even: 0 }
})

function draw(holder: HTMLElement): uPlot {
    const style = getComputedStyle(holder)
    const color = (name: string) => style.getPropertyValue(name).trim()
    const { even } = range.peek()
    const marks = (plot: uPlot) => {
        const { ctx, bbox } = plot
        const ratio = devicePixelRatio
        ctx.save()
        const y = plot.valToPos(even, "y", true)
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
        for (const judged of judgements.peek().values()) {
            if (!judged.judgement) continue
            ctx.fillStyle = color(`--${judged.judgement}`)
            ctx.beginPath()
            ctx.arc(plot.valToPos(judged.ply, "x", true), plot.valToPos(value(judged.score_after), "y", true), 3.5 * ratio, 0, 2 * Math.PI)
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
        scales: { x: { time: false }, y: { range: () => [range.peek().low, range.peek().high] } },
        axes: [{ show: false }, { show: false }],
        series: [
            {},
            {
                stroke: color("--graph-line"),
                fill: color("--graph-fill"),
                fillTo: () => range.peek().low,
                width: 1.75,
                spanGaps: true,
                points: { show: false },
            },
        ],
        hooks: { draw: [marks] },
    }
    return new uPlot(options, points.peek(), holder)
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
                void [unit.value, colors.value]
                redraw()
            }),
            effect(() => plot?.setData(points.value)),
            effect(() => {
                void [cursor.value, judgements.value]
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
            <div ref={holder} role="img" aria-label="The judgements over the game; the list of moves leads to the same positions" />
        </figure>
    )
}
