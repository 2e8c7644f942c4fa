// A choice of one of a few, each of which is shown.

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
    /** What the chosen one needs beside it. */
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
