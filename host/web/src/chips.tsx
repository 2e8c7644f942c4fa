// Radio buttons that look like chips.

import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

export interface Chip {
    label: string
    title?: string | undefined
    isChosen: boolean
    choose: () => void
}

interface ChipsProps {
    legend: string
    chips: readonly Chip[]
    /** Fields that the chosen chip needs. */
    children?: ComponentChildren
}

export function Chips({ legend, chips, children }: ChipsProps) {
    const name = useId()
    return (
        <fieldset class="chips">
            <legend>{legend}</legend>
            {chips.map(({ label, title, isChosen, choose }) => (
                <label key={label} class="chip" title={title}>
                    <input type="radio" name={name} checked={isChosen} onChange={choose} />
                    {label}
                </label>
            ))}
            {children}
        </fieldset>
    )
}
