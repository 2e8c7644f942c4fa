// The progress and result of a search: depth, nodes, speed, time and lines.

import { aiName } from "./ais"
import type { Limit, Line } from "./api"
import type { Moves } from "./game"
import type { Thought } from "./play"
import { LineOfPlay } from "./preview"
import { countInWords, scoreInWords, timeInWords } from "./words"

/** Returns the used share of the search limit, 0 to 1; null if there is no limit or the search is finished. */
function used(thought: Thought, limit: Limit | null): number | null {
    if (!limit || thought.done) return null
    if ("depth" in limit) return thought.depth / limit.depth
    if ("nodes" in limit) return thought.nodes / limit.nodes
    return thought.timeMs / limit.movetime_ms
}

export function ThoughtView({ thought, limit }: { thought: Thought; limit: Limit | null }) {
    const share = used(thought, limit)
    return (
        <section class="thought" aria-label={`Analysis by ${aiName(thought.ai)}`} data-testid="thought">
            <header>
                <strong>{aiName(thought.ai)}</strong>
                <span class="muted">{thought.done ? "finished" : "searching"}</span>
                {!thought.done && <span class="pulse" aria-hidden="true" />}
            </header>
            {share !== null && <progress max={1} value={Math.min(1, share)} aria-label="Limit used" />}
            {thought.depth > 0 && <Figures {...thought} />}
            <Lines game={thought.game} lines={thought.lines} />
        </section>
    )
}

interface FiguresProps {
    depth: number
    nodes: number
    nps: number
    timeMs: number
}

export function Figures({ depth, nodes, nps, timeMs }: FiguresProps) {
    const figures = [
        ["depth", String(depth)],
        ["nodes", countInWords(nodes)],
        ["nodes/s", nps > 0 ? countInWords(nps) : "–"],
        ["time", timeInWords(timeMs)],
    ]
    return (
        <dl class="figures">
            {figures.map(([name, value]) => (
                <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                </div>
            ))}
        </dl>
    )
}

export function Lines({ game, lines }: { game: Moves; lines: Line[] }) {
    if (lines.length === 0) return null
    return (
        <ol class="lines">
            {lines.map((line, index) => (
                <li key={index}>
                    <span class="score">{scoreInWords(line.score)}</span>
                    <LineOfPlay game={game} pv={line.pv} san={line.san} />
                </li>
            ))}
        </ol>
    )
}
