// A player's clock, and the time control fields.

import { useId } from "preact/hooks"
import type { Color } from "./api"
import { runningColor, shownMs } from "./clock-timer"
import { setTimeControl, timeControl } from "./clocks"
import type { TimeControl } from "./clocks"
import { Chips } from "./chips"
import { DraftInput } from "./fields"
import { clockText } from "./format"
import { chooseControl } from "./opponent"
import { switches } from "./switches"
import { texts } from "./texts/board"
import { common } from "./texts/common"
import { overlay } from "./view"

const lowMs = 20_000

export function Clock({ color }: { color: Color }) {
    const ms = shownMs(color)
    if (ms === null || overlay.value?.isEdited) return null
    const isRunning = runningColor.value === color
    // In Analyse, low time is not urgent.
    const isLow = ms < lowMs && switches.place.value !== "analyse"
    return (
        <span
            class={`clock${isRunning ? " running" : ""}${isLow ? " low" : ""}`}
            role="timer"
            aria-label={common.clock(color, clockText(ms), isRunning)}
            data-testid={`clock-${color}`}
        >
            {clockText(ms)}
        </span>
    )
}

/** The initial time in minutes, and the increment in seconds. */
const presets = [
    [1, 0],
    [3, 2],
    [5, 0],
    [10, 5],
    [15, 10],
] as const
const named = (minutes: number, seconds: number) => `${minutes}+${seconds}`
const controlOf = (minutes: number, seconds: number): TimeControl => ({
    initialMs: Math.round(minutes * 60_000),
    incrementMs: Math.round(seconds * 1000),
})
const own = "own"
/** The initial custom time, different from all presets. */
const firstOwn = controlOf(2, 1)
const [maxMinutes, maxSeconds] = [180, 180]
/** The shortest custom time is six seconds. */
const minMinutes = 0.1

function bounded(text: string, least: number, most: number, otherwise: number): number {
    const number = Number(text)
    return text !== "" && Number.isFinite(number)
        ? Math.max(least, Math.min(most, number))
        : otherwise
}

interface Choice {
    value: string
    label: string
    title?: string
    control: TimeControl | null
}
const choices = (): Choice[] => [
    { value: "", label: texts.game.noClocks, control: null },
    ...presets.map(([minutes, seconds]) => ({
        value: named(minutes, seconds),
        label: named(minutes, seconds),
        title: texts.game.minutesAndSeconds(minutes, seconds),
        control: controlOf(minutes, seconds),
    })),
    { value: own, label: texts.game.ownTime, control: firstOwn },
]

const minutesOf = ({ initialMs }: TimeControl) => initialMs / 60_000
const secondsOf = ({ incrementMs }: TimeControl) => incrementMs / 1000

function chosenValue(): string {
    const control = timeControl.value
    if (!control) return ""
    const name = named(minutesOf(control), secondsOf(control))
    return presets.some((preset) => named(preset[0], preset[1]) === name) ? name : own
}

interface OwnTimeProps {
    control: TimeControl
    change: (control: TimeControl) => void
}

function OwnTime({ control, change }: OwnTimeProps) {
    const [minutes, seconds] = [minutesOf(control), secondsOf(control)]
    const number = { type: "number", step: "any" }
    return (
        <>
            <DraftInput
                field={{
                    ...number,
                    "aria-label": texts.game.minutes,
                    min: minMinutes,
                    max: maxMinutes,
                }}
                value={minutes}
                commit={(text) =>
                    change(controlOf(bounded(text, minMinutes, maxMinutes, minutes), seconds))
                }
            />
            <span class="unit">{texts.game.minutesUnit}</span>
            <DraftInput
                field={{ ...number, "aria-label": texts.game.seconds, min: 0, max: maxSeconds }}
                value={seconds}
                commit={(text) => change(controlOf(minutes, bounded(text, 0, maxSeconds, seconds)))}
            />
            <span class="unit">{texts.game.secondsUnit}</span>
        </>
    )
}

export function TimeControlField() {
    const id = useId()
    const control = timeControl.value
    const value = chosenValue()
    const choose = (value: string) =>
        setTimeControl(choices().find((choice) => choice.value === value)?.control ?? null)
    return (
        <div class="field time-control">
            <label for={id}>{texts.game.clocks}</label>
            <div class="joined">
                <select
                    id={id}
                    value={value}
                    onChange={(event) => choose(event.currentTarget.value)}
                >
                    {choices().map(({ value, label, title }) => (
                        <option key={value} value={value} title={title}>
                            {label}
                        </option>
                    ))}
                </select>
                {control && value === own && <OwnTime control={control} change={setTimeControl} />}
            </div>
        </div>
    )
}

/** The time control of a person's game. */
export function ClockChips() {
    const control = timeControl.value
    const value = chosenValue()
    return (
        <Chips
            legend={texts.game.clocks}
            chips={choices().map((choice) => ({
                ...choice,
                isChosen: choice.value === value,
                choose: () => chooseControl(choice.control),
            }))}
        >
            {control && value === own && <OwnTime control={control} change={chooseControl} />}
        </Chips>
    )
}
