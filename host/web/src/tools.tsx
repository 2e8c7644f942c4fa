// The tools: report, search tree, positions and games, and the AIs. They open where they are wanted, below the moves.

import type { ComponentType } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { AisPanel } from "./panels/ais"
import { PositionPanel } from "./panels/position"
import { ReportPanel } from "./panels/report"
import { TreePanel } from "./panels/tree"
import { openTool } from "./places"
import type { Tool } from "./switches"

const tools: Record<Exclude<Tool, "learn">, { title: string; Panel: ComponentType }> = {
    report: { title: "Report", Panel: ReportPanel },
    tree: { title: "Search tree", Panel: TreePanel },
    position: { title: "Positions and games", Panel: PositionPanel },
    ais: { title: "AIs", Panel: AisPanel },
}

/** The open tool. */
export function ToolPanel({ id }: { id: keyof typeof tools }) {
    const section = useRef<HTMLElement>(null)
    const { title, Panel } = tools[id]
    useEffect(() => section.current?.scrollIntoView({ block: "nearest" }), [id])
    return (
        <section class="panel tool" ref={section} aria-label={title} data-testid={`tool-${id}`}>
            <header>
                <h2>{title}</h2>
                <button type="button" class="icon close" aria-label={`Close ${title}`} onClick={() => openTool(null)}>
                    ×
                </button>
            </header>
            <Panel />
        </section>
    )
}
