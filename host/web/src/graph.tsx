// The graph of the game. It loads uPlot when it is first shown.

import { lazy } from "./lazy"
import { texts } from "./texts/board"

function EmptyGraph() {
    return (
        <figure class="graph">
            <div role="img" aria-label={texts.game.graph} />
        </figure>
    )
}

export const Graph = lazy(async () => (await import("./graph-plot")).GraphPlot, EmptyGraph)
