// The players of a game between AIs. Each side has a level or an AI, with its own limit and
// options.

import { useState } from "preact/hooks"
import { aiName, ais, stateSuffix } from "../ais"
import type { Color } from "../api"
import { LimitField, StateDot } from "../fields"
import { colorName } from "../format"
import { levelOf, levels, ratingOf, setAi, setLevel } from "../levels"
import type { Level } from "../levels"
import { OptionsForm } from "../option-fields"
import { optionsOf, rejectionsOf } from "../options"
import type { OptionValue } from "../options"
import { aiOf, limitOf, playersSettings, setSettings } from "../players"
import { texts } from "../texts/board"

const levelText = (level: Level): string =>
    level.elo === null ? level.name : `${level.name} · ${ratingOf(level)}`

/** The option values: a level by its index, or an AI by its id. */
const [levelValue, aiValue] = [(index: number) => `level ${index}`, (id: string) => `ai ${id}`]

function choose(color: Color, value: string): void {
    const [kind, chosen = ""] = value.split(/ (.*)/)
    if (kind === "level") setLevel(color, Number(chosen))
    else setAi(color, chosen)
}

function PlayerSelect({ color }: { color: Color }) {
    const [index, ai] = [levelOf(color), aiOf(color)]
    const value = index >= 0 ? levelValue(index) : ai === null ? "" : aiValue(ai)
    return (
        <select
            aria-label={colorName(color)}
            value={value}
            onChange={(event) => choose(color, event.currentTarget.value)}
        >
            {value === "" && <option value="">{texts.match.choosePlayer}</option>}
            {levels.value.length > 0 && (
                <optgroup label={texts.match.levels}>
                    {levels.value.map((level, index) => (
                        <option key={index} value={levelValue(index)}>
                            {levelText(level)}
                        </option>
                    ))}
                </optgroup>
            )}
            <optgroup label={texts.ais.list}>
                {ais.value.map((ai) => (
                    <option key={ai.id} value={aiValue(ai.id)}>
                        {aiName(ai.id)}
                        {stateSuffix(ai)}
                    </option>
                ))}
            </optgroup>
        </select>
    )
}

/** Sets an option of a side; undefined means the AI's default. */
function setSideOption(color: Color, name: string, value: OptionValue | undefined): void {
    const { limit, options } = playersSettings.value[color]
    const { [name]: before, ...others } = options
    setSettings(color, {
        limit,
        options: value === undefined ? others : { ...others, [name]: value },
    })
}

/** The limit and the options of a side, folded. */
function SideSettings({ color, ai }: { color: Color; ai: string }) {
    const [isExpanded, setExpanded] = useState(false)
    const { limit, options } = playersSettings.value[color]
    const hasOptions =
        Object.keys(ais.value.find(({ id }) => id === ai)?.options.properties ?? {}).length > 0
    return (
        <details
            class="seat-settings"
            open={isExpanded || Object.keys(rejectionsOf(ai)).length > 0}
            onToggle={(event) => setExpanded(event.currentTarget.open)}
        >
            <summary>{texts.match.settings}</summary>
            <LimitField
                of={[ai]}
                value={limitOf(color)}
                change={(limit) => setSettings(color, { limit, options })}
            />
            {hasOptions && (
                <OptionsForm
                    id={ai}
                    of={colorName(color)}
                    values={{ ...optionsOf(ai), ...options }}
                    change={(name, value) => setSideOption(color, name, value)}
                    reset={() => setSettings(color, { limit, options: {} })}
                />
            )}
        </details>
    )
}

/** The player of a color, and its settings. */
export function Seat({ color }: { color: Color }) {
    const id = aiOf(color)
    const ai = ais.value.find((ai) => ai.id === id)
    return (
        <fieldset class="seat" aria-label={colorName(color)}>
            <legend>
                <span class={`disc ${color}`} aria-hidden="true" />
                {colorName(color)}
                {ai && <StateDot state={ai.state} />}
            </legend>
            <PlayerSelect color={color} />
            <SideSettings key={id} color={color} ai={id ?? ""} />
        </fieldset>
    )
}
