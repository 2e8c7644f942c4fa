// A form for an AI's options, generated from its JSON Schema.

import { batch } from "@preact/signals"
import { useId, useState } from "preact/hooks"
import { aiName, ais } from "./ais"
import type { OptionSchema } from "./api"
import { DraftInput } from "./fields"
import { optionsOf, rejectionsOf, rejectOption, resetOptions, setOption } from "./options"
import type { OptionValue, Options } from "./options"
import { releaseOption } from "./players"
import { texts } from "./texts/board"

/** The largest range shown as a slider. */
const maxSliderRange = 100

interface OptionFieldProps {
    name: string
    schema: OptionSchema
    value: OptionValue | undefined
    /** Why the last value was rejected. */
    rejection?: string | undefined
    /** Sets a value. Missing if the option is read-only. */
    change?: ((value: OptionValue) => void) | undefined
    reject: (reason: string) => void
}

export function OptionField({ name, schema, value, rejection, change, reject }: OptionFieldProps) {
    const id = useId()
    const [helpId, errorId] = [`${id}-help`, `${id}-refused`]
    const { minimum, maximum } = schema
    const bounds =
        minimum !== undefined && maximum !== undefined ? texts.ais.range(minimum, maximum) : null
    const note = change ? null : value === undefined ? texts.ais.hidden : texts.ais.readOnly
    const common = {
        id,
        "aria-describedby": rejection ? `${helpId} ${errorId}` : helpId,
        "aria-invalid": rejection ? true : undefined,
    }
    return (
        <div class="option">
            <label for={id}>{name}</label>
            <OptionInput {...{ schema, value, change, reject, common }} />
            <span class="muted" id={helpId}>
                {[schema.description, bounds, note].filter(Boolean).join(", ")}
            </span>
            {rejection && (
                <span class="error-text" id={errorId} role="alert">
                    {rejection}
                </span>
            )}
        </div>
    )
}

type OptionInputProps = Pick<OptionFieldProps, "schema" | "value" | "change" | "reject"> & {
    common: object
}

function OptionInput({ schema, value, change, reject, common }: OptionInputProps) {
    const disabled = !change
    if (schema.type === "boolean") {
        const flip = (event: { currentTarget: HTMLInputElement }) =>
            change?.(event.currentTarget.checked)
        return (
            <input
                {...common}
                type="checkbox"
                checked={value === true}
                disabled={disabled}
                onChange={flip}
            />
        )
    }
    if (schema.enum) {
        return (
            <select
                {...common}
                value={String(value ?? "")}
                disabled={disabled}
                onChange={(event) => change?.(event.currentTarget.value)}
            >
                {schema.enum.map((choice) => (
                    <option key={String(choice)}>{String(choice)}</option>
                ))}
            </select>
        )
    }
    if ((schema.type === "integer" || schema.type === "number") && change)
        return <NumberInput {...{ schema, value, change, reject, common }} />
    const shown = String(value ?? "")
    const size = Math.max(disabled ? 4 : 14, Math.min(24, shown.length))
    const field = { ...common, type: "text", size, readOnly: disabled }
    return <DraftInput field={field} value={shown} commit={(text) => change?.(text)} />
}

function NumberInput({ schema, value, change, reject, common }: OptionInputProps) {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
    const isWhole = schema.type === "integer"
    const commit = (text: string) => {
        const wanted = Number(text)
        const isValid =
            text !== "" &&
            (!isWhole || Number.isInteger(wanted)) &&
            wanted >= minimum &&
            wanted <= maximum
        if (isValid) change?.(wanted)
        else reject(texts.ais.expected(isWhole, minimum, maximum, text))
        return isValid
    }
    if (!isWhole || maximum - minimum > maxSliderRange) {
        const step = isWhole ? 1 : "any"
        return (
            <DraftInput
                field={{ ...common, type: "number", min: minimum, max: maximum, step }}
                value={String(value ?? "")}
                commit={commit}
            />
        )
    }
    return (
        <span class="slider">
            <input
                {...common}
                type="range"
                min={minimum}
                max={maximum}
                value={Number(value ?? minimum)}
                onInput={(event) => commit(event.currentTarget.value)}
            />
            <output>{String(value ?? "")}</output>
        </span>
    )
}

interface OptionsFormProps {
    /** The AI's id. */
    id: string
    /** A label for the form, if the AI has several forms. */
    of?: string
    values: Options
    /** Sets an option; undefined resets it. */
    change: (name: string, value: OptionValue | undefined) => void
    reset: () => void
}

/** A form for an AI's options. Only options that a request may override are editable. */
export function OptionsForm({ id, of = aiName(id), values, change, reset }: OptionsFormProps) {
    const ai = ais.value.find((ai) => ai.id === id)
    const properties = Object.entries(ai?.options.properties ?? {})
    const rejections = rejectionsOf(id)
    const isEditable = properties.some(([, schema]) => !schema.readOnly)
    const field = ([name, schema]: [string, OptionSchema]) => (
        <OptionField
            key={name}
            name={name}
            schema={schema}
            value={values[name] ?? (schema.default as OptionValue | undefined)}
            rejection={rejections[name]}
            change={
                schema.readOnly
                    ? undefined
                    : (value) => change(name, value === schema.default ? undefined : value)
            }
            reject={(reason) => rejectOption(id, name, reason)}
        />
    )
    const advanced = properties.filter(([, schema]) => schema.advanced)
    const isSet = advanced.some(([name]) => name in values || rejections[name])
    const group = (label: string, shown: typeof properties) => (
        <div class="options" role="group" aria-label={label}>
            {shown.map(field)}
        </div>
    )
    const usual = properties.filter(([, schema]) => !schema.advanced)
    return (
        <>
            {group(texts.ais.options(of), usual)}
            {advanced.length > 0 && (
                <details class="ai-options" open={isSet}>
                    <summary>{texts.ais.advanced}</summary>
                    {group(texts.ais.advancedOptions(of), advanced)}
                </details>
            )}
            {!isEditable && <p class="hint">{texts.ais.notEditable}</p>}
            {Object.keys(values).length > 0 && (
                <button type="button" onClick={reset}>
                    {texts.ais.reset}
                </button>
            )}
        </>
    )
}

/** The options that are sent with every request to an AI, folded. */
export function AiOptions({ id }: { id: string }) {
    const [isExpanded, setExpanded] = useState(false)
    const ai = ais.value.find((ai) => ai.id === id)
    if (Object.keys(ai?.options.properties ?? {}).length === 0) return null
    const values = optionsOf(id)
    const count = Object.keys(values).length
    const change = (name: string, value: OptionValue | undefined) =>
        batch(() => {
            setOption(id, name, value)
            releaseOption(id, name)
        })
    return (
        <details
            class="ai-options"
            data-testid={`options-${id}`}
            open={isExpanded || Object.keys(rejectionsOf(id)).length > 0}
            onToggle={(event) => setExpanded(event.currentTarget.open)}
        >
            <summary>
                {texts.ais.options(aiName(id))}
                {count > 0 && <span class="count">{texts.ais.changed(count)}</span>}
            </summary>
            <OptionsForm id={id} values={values} change={change} reset={() => resetOptions(id)} />
        </details>
    )
}
