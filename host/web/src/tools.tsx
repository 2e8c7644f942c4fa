// Tools: review, search tree, open and share, and AIs. They open below the moves.

import type { ComponentType } from "preact"
import { useEffect, useRef } from "preact/hooks"
import "./ais/since"
import { isTitledByTool } from "./headline"
import { lazy } from "./lazy"
import { PositionPanel } from "./panels/position"
import { ReportPanel } from "./panels/report"
import { openTool } from "./places"
import type { Tool } from "./switches"
import { texts } from "./texts/board"
import { overlay } from "./view"

const panels: Record<Exclude<Tool, "learn">, ComponentType> = {
    report: ReportPanel,
    tree: lazy(async () => (await import("./panels/tree")).TreePanel),
    position: PositionPanel,
    ais: lazy(async () => (await import("./ais/page")).AisPage),
}

/** Scrolls to a tool if little more than its title is on the screen. */
function reveal(section: HTMLElement): void {
    const { top, height } = section.getBoundingClientRect()
    if (top < 0 || innerHeight - top < Math.min(height, innerHeight / 3))
        section.scrollIntoView({ block: "nearest" })
}

/** The open tool. */
export function ToolPanel({ id }: { id: keyof typeof panels }) {
    const section = useRef<HTMLElement>(null)
    const [title, Panel] = [texts.page.tools[id], panels[id]]
    const Heading = isTitledByTool() ? "h1" : "h2"
    useEffect(() => void (section.current && reveal(section.current)), [id])
    return (
        <section
            class={`panel tool tool-${id}`}
            ref={section}
            aria-label={title}
            data-testid={`tool-${id}`}
        >
            <header>
                <Heading>{overlay.value?.isEdited ? texts.page.editor : title}</Heading>
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
