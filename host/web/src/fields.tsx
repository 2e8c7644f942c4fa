// Form fields shared by the panels.

import { useEffect, useId, useState } from "preact/hooks"
import { aiName, ais, stateSuffix } from "./ais"
import type { Ai, Issue, Limit, OptionSchema } from "./api"
import { formatTime, sentence, textOf } from "./format"
import { texts } from "./texts/board"
import { squaresOf } from "./view"

export const StateDot = ({ state }: { state: Ai["state"] }) => (
    <span
        class={`state state-${state}`}
        role="img"
        aria-label={texts.ais.states[state]}
        title={texts.ais.states[state]}
    />
)

/**
 * Returns an issue in the language of the page, with its squares. The host's message is the
 * fallback.
 */
function issueText(issue: Issue): string {
    const text = textOf(texts.positions.issues, issue.code)
    return text === undefined
        ? sentence(issue.message)
        : [text, squaresOf([issue]).join(", ")].filter(Boolean).join(": ")
}

export function Issues({ issues }: { issues: Issue[] }) {
    if (issues.length === 0) return null
    return (
        <div class="issues" role="alert" data-testid="issues">
            <ul>
                {issues.map((issue, index) => (
                    <li key={index}>{issueText(issue)}</li>
                ))}
            </ul>
        </div>
    )
}

interface AiSelectProps {
    label: string
    value: string
    /** An option shown before the AIs, for example the user. */
    first?: { value: string; label: string }
    change: (id: string) => void
}

export function AiSelect({ label, value, first, change }: AiSelectProps) {
    const id = useId()
    const chosen = ais.value.find((ai) => ai.id === value)
    return (
        <div class="field">
            <label for={id}>{label}</label>
            <div class="with-state">
                <select
                    id={id}
                    value={value}
                    onChange={(event) => change(event.currentTarget.value)}
                >
                    {first && <option value={first.value}>{first.label}</option>}
                    {ais.value.map((ai) => (
                        <option key={ai.id} value={ai.id}>
                            {aiName(ai.id)}
                            {stateSuffix(ai)}
                        </option>
                    ))}
                </select>
                {chosen && <StateDot state={chosen.state} />}
            </div>
        </div>
    )
}

interface DraftInputProps {
    /** Additional attributes of the input. */
    field: object
    value: string | number
    /** Accepts the text. Returns false to keep invalid text, so that the user can correct it. */
    commit: (text: string) => boolean | void
}

/** An input that commits on `change`. Until then, renders keep the typed text. */
export function DraftInput({ field, value, commit }: DraftInputProps) {
    const [draft, setDraft] = useState<string | null>(null)
    return (
        <input
            {...field}
            value={draft ?? value}
            onInput={(event) => setDraft(event.currentTarget.value)}
            onChange={(event) => {
                if (commit(event.currentTarget.value) !== false) setDraft(null)
            }}
        />
    )
}

type LimitKind = keyof typeof texts.ais.limits
const isLimitKind = (kind: string): kind is LimitKind => Object.hasOwn(limits, kind)

/** The API's search limits, as schemas in the form of AI options. */
const limits: Record<LimitKind, OptionSchema & { default: number }> = {
    depth: { type: "integer", minimum: 1, maximum: 1000, default: 6 },
    nodes: { type: "integer", minimum: 1, maximum: 1e12, default: 100_000 },
    movetime_ms: { type: "integer", minimum: 1, maximum: 3_600_000, default: 1000 },
}

interface LimitFieldProps {
    /** The AIs that the limit applies to. */
    of: readonly string[]
    value: Limit | null
    change: (limit: Limit | null) => void
    /** Whether the search may run until the user stops it. */
    untilStopped?: boolean
}

/** An endless search: one search after another, each as long as the server allows. */
const endless = "endless"

/** Returns the unit and schema of a kind of limit, with the smallest maximum of these AIs. */
function limitOf(kind: string, of: readonly string[]) {
    if (!isLimitKind(kind)) return undefined
    const schema = limits[kind]
    const selected = ais.value.filter((ai) => of.includes(ai.id))
    const maxima = selected.map((ai) => ai.limit.properties[kind]?.maximum ?? schema.maximum ?? 1)
    const maximum = Math.min(schema.maximum ?? 1, ...maxima)
    return {
        unit: texts.ais.units[kind],
        isLowered: maximum < (schema.maximum ?? 1),
        schema: { ...schema, maximum, default: Math.min(schema.default, maximum) },
    }
}

/** Returns the longest search time that the server allows for all of these AIs. */
export const longestMs = (of: readonly string[]): number | undefined =>
    limitOf("movetime_ms", of)?.schema.maximum

/** Returns the AI's default limit as text; empty if there are several AIs. */
function defaultLimit(of: readonly string[]): string {
    const [kind, number] =
        Object.entries(
            ais.value.find((ai) => of.length === 1 && ai.id === of[0])?.limit.default ?? {},
        )[0] ?? []
    if (kind === undefined || number === undefined || !isLimitKind(kind)) return ""
    return ` (${kind === "depth" ? texts.ais.depth(number) : `${number} ${texts.ais.units[kind]}`})`
}

export function LimitField({ of, value, change, untilStopped = false }: LimitFieldProps) {
    const id = useId()
    const [givenKind, number] = Object.entries(value ?? {})[0] ?? ["", 0]
    const longest = longestMs(of)
    const kind =
        untilStopped && givenKind === "movetime_ms" && number === longest ? endless : givenKind
    const known = limitOf(kind, of)
    const max = known?.schema.maximum ?? number
    // The maximum may change with the client or the AI after the number was entered.
    useEffect(() => {
        if (number > max) change({ [kind]: max } as unknown as Limit)
    }, [kind, number, max])
    const choose = (kind: string) => {
        if (kind === endless && longest !== undefined) return change({ movetime_ms: longest })
        const chosen = limitOf(kind, of)
        change(chosen ? ({ [kind]: chosen.schema.default } as unknown as Limit) : null)
    }
    const set = (text: string) => {
        const { minimum = 1, maximum = 1 } = known?.schema ?? {}
        const wanted = Math.round(Number(text))
        if (wanted >= minimum && wanted <= maximum) change({ [kind]: wanted } as unknown as Limit)
    }
    return (
        <div class="field">
            <label for={id}>{texts.ais.limit}</label>
            <div class="joined">
                <select
                    id={id}
                    value={kind}
                    onChange={(event) => choose(event.currentTarget.value)}
                >
                    <option value="">{texts.ais.defaultLimit + defaultLimit(of)}</option>
                    {Object.entries(texts.ais.limits).map(([kind, label]) => (
                        <option key={kind} value={kind}>
                            {label}
                        </option>
                    ))}
                    {untilStopped && <option value={endless}>{texts.ais.untilStopped}</option>}
                </select>
                {kind === endless && (
                    <span class="unit">{texts.ais.inSearchesOf(formatTime(longest ?? 0))}</span>
                )}
                {known && (
                    <DraftInput
                        field={{
                            type: "number",
                            "aria-label": texts.ais.limitIn(known.unit),
                            min: known.schema.minimum,
                            max: known.schema.maximum,
                        }}
                        value={number}
                        commit={set}
                    />
                )}
                {known && (
                    <span class="unit">
                        {known.unit}
                        {known.isLowered && `, ${texts.ais.atMost(known.schema.maximum)}`}
                    </span>
                )}
            </div>
        </div>
    )
}
