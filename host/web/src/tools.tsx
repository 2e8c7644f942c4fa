// The tools: report, search tree, positions and games, and the AIs. They open where they are
// wanted, below the moves.

import type { ComponentType } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { AisPanel } from "./panels/ais"
import { PositionPanel } from "./panels/position"
import { ReportPanel } from "./panels/report"
import { TreePanel } from "./panels/tree"
import { openTool } from "./places"
import type { Tool } from "./switches"
import { texts } from "./texts/board"

const panels: Record<Exclude<Tool, "learn">, ComponentType> = {
    report: ReportPanel,
    tree: TreePanel,
    position: PositionPanel,
    ais: AisPanel,
}

/** The open tool. */
export function ToolPanel({ id }: { id: keyof typeof panels }) {
    const section = useRef<HTMLElement>(null)
    const [title, Panel] = [texts.page.tools[id], panels[id]]
    useEffect(() => section.current?.scrollIntoView({ block: "nearest" }), [id])
    return (
        <section class="panel tool" ref={section} aria-label={title} data-testid={`tool-${id}`}>
            <header>
                <h2>{title}</h2>
                <button
                    type="button"
                    class="icon close"
                    aria-label={texts.page.closeTool(title)}
                    onClick={() => openTool(null)}
                >
                    ×
                </button>
            </header>
            <Panel />
        </section>
    )
}
