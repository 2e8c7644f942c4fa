// The options of an AI as a form, made from its JSON Schema.

import { useId, useState } from "preact/hooks"
import { aiName, ais } from "./ais"
import type { OptionSchema } from "./api"
import { Written } from "./fields"
import { optionsOf, refusalsOf, refuse, resetOptions, setOption } from "./options"
import type { OptionValue } from "./options"

/** The largest range shown as a slider. */
const longestSlider = 100

interface OptionFieldProps {
    name: string
    schema: OptionSchema
    value: OptionValue | undefined
    /** Why the last value was rejected. */
    refusal?: string | undefined
    /** Sets a value; missing if the option is read-only. */
    change?: ((value: OptionValue) => void) | undefined
    refuse: (words: string) => void
}

export function OptionField({ name, schema, value, refusal, change, refuse }: OptionFieldProps) {
    const id = useId()
    const [described, refused] = [`${id}-help`, `${id}-refused`]
    const { minimum, maximum } = schema
    const bounds = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : null
    const closed = change ? null : value === undefined ? "set by the server, hidden" : "set by the server"
    const common = {
        id,
        "aria-describedby": refusal ? `${described} ${refused}` : described,
        "aria-invalid": refusal ? true : undefined,
    }
    return (
        <div class="option">
            <label for={id}>{name}</label>
            <OptionInput {...{ schema, value, change, refuse, common }} />
            <span class="muted" id={described}>
                {[schema.description, bounds, closed].filter(Boolean).join(", ")}
            </span>
            {refusal && (
                <span class="fault-words" id={refused} role="alert">
                    {refusal}
                </span>
            )}
        </div>
    )
}

type OptionInputProps = Pick<OptionFieldProps, "schema" | "value" | "change" | "refuse"> & { common: object }

function OptionInput({ schema, value, change, refuse, common }: OptionInputProps) {
    const disabled = !change
    if (schema.type === "boolean") {
        const flip = (event: { currentTarget: HTMLInputElement }) => change?.(event.currentTarget.checked)
        return <input {...common} type="checkbox" checked={value === true} disabled={disabled} onChange={flip} />
    }
    if (schema.enum) {
        return (
            <select {...common} value={String(value ?? "")} disabled={disabled} onChange={(event) => change?.(event.currentTarget.value)}>
                {schema.enum.map((choice) => (
                    <option key={String(choice)}>{String(choice)}</option>
                ))}
            </select>
        )
    }
    if ((schema.type === "integer" || schema.type === "number") && change) return <NumberInput {...{ schema, value, change, refuse, common }} />
    const shown = String(value ?? "")
    const size = Math.max(disabled ? 4 : 14, Math.min(24, shown.length))
    const field = { ...common, type: "text", size, readOnly: disabled }
    return <Written field={field} value={shown} take={(text) => change?.(text)} />
}

function NumberInput({ schema, value, change, refuse, common }: OptionInputProps) {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
    const isWhole = schema.type === "integer"
    const take = (text: string) => {
        const wanted = Number(text)
        const isTaken = text !== "" && (!isWhole || Number.isInteger(wanted)) && wanted >= minimum && wanted <= maximum
        if (isTaken) change?.(wanted)
        else refuse(`expected ${isWhole ? "an integer" : "a number"} from ${minimum} to ${maximum}${text === "" ? "" : `, got ${text}`}`)
        return isTaken
    }
    if (!isWhole || maximum - minimum > longestSlider) {
        const step = isWhole ? 1 : "any"
        return <Written field={{ ...common, type: "number", min: minimum, max: maximum, step }} value={String(value ?? "")} take={take} />
    }
    return (
        <span class="slider">
            <input
                {...common}
                type="range"
                min={minimum}
                max={maximum}
                value={Number(value ?? minimum)}
                onInput={(event) => take(event.currentTarget.value)}
            />
            <output>{String(value ?? "")}</output>
        </span>
    )
}

/** The options of an AI. Options that a request may override are editable. */
export function AiOptions({ id }: { id: string }) {
    const [unfolded, setUnfolded] = useState(false)
    const ai = ais.value.find((ai) => ai.id === id)
    const properties = Object.entries(ai?.options.properties ?? {})
    if (properties.length === 0) return null
    const [set, refusals] = [optionsOf(id), refusalsOf(id)]
    const count = Object.keys(set).length
    const isOpen = properties.some(([, schema]) => !schema.readOnly)
    const change = (name: string, schema: OptionSchema) => (value: OptionValue) =>
        setOption(id, name, value === schema.default ? undefined : value)
    const isUnfolded = unfolded || Object.keys(refusals).length > 0
    const field = ([name, schema]: [string, OptionSchema]) => (
        <OptionField
            key={name}
            name={name}
            schema={schema}
            value={set[name] ?? (schema.default as OptionValue | undefined)}
            refusal={refusals[name]}
            change={schema.readOnly ? undefined : change(name, schema)}
            refuse={(words) => refuse(id, name, words)}
        />
    )
    const advanced = properties.filter(([, schema]) => schema.advanced)
    return (
        <details
            class="ai-options"
            data-testid={`options-${id}`}
            open={isUnfolded}
            onToggle={(event) => setUnfolded(event.currentTarget.open)}
        >
            <summary>
                Options of {aiName(id)}
                {count > 0 && <span class="count">{count} changed</span>}
            </summary>
            <div class="options" role="group" aria-label={`Options of ${aiName(id)}`}>
                {properties.filter(([, schema]) => !schema.advanced).map(field)}
            </div>
            {advanced.length > 0 && (
                <details class="ai-options" open={advanced.some(([name]) => name in set || refusals[name])}>
                    <summary>Advanced</summary>
                    <div class="options" role="group" aria-label={`Advanced options of ${aiName(id)}`}>
                        {advanced.map(field)}
                    </div>
                </details>
            )}
            {!isOpen && <p class="hint">The server does not allow changing these options.</p>}
            {count > 0 && (
                <button type="button" onClick={() => resetOptions(id)}>
                    Reset to defaults
                </button>
            )}
        </details>
    )
}
