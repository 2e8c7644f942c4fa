// The legend for the shades of the squares.

import { colorName } from "./format"
import { switches } from "./switches"
import { texts } from "./texts/board"

export function ControlLegend() {
    if (!switches.showControl.value) return null
    const kinds = [
        ["control-white", colorName("white")],
        ["control-black", colorName("black")],
        ["contested", texts.settings.contested],
    ] as const
    return (
        <p class="control-legend" data-testid="control-legend">
            {texts.settings.moreAttackers}
            {kinds.map(([kind, label]) => (
                <span key={kind}>
                    <i class={kind} />
                    {label}
                </span>
            ))}
        </p>
    )
}
