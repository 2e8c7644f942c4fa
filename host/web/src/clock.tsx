// The clock of a player, and the choice of the time control.

import { useId } from "preact/hooks"
import type { Color } from "./api"
import { runningColor, shownMs } from "./clock-timer"
import { setTimeControl, timeControl } from "./clocks"
import type { TimeControl } from "./clocks"
import { DraftInput } from "./fields"
import { clockText } from "./format"
import { texts } from "./texts/board"
import { common } from "./texts/common"
import { overlay } from "./view"

const lowMs = 20_000

export function Clock({ color }: { color: Color }) {
    const ms = shownMs(color)
    if (ms === null || overlay.value?.isEdited) return null
    const isRunning = runningColor.value === color
    return (
        <span
            class={`clock${isRunning ? " running" : ""}${ms < lowMs ? " low" : ""}`}
            role="timer"
            aria-label={common.clock(color, clockText(ms), isRunning)}
            data-testid={`clock-${color}`}
        >
            {clockText(ms)}
        </span>
    )
}

/** Minutes and seconds per move. */
const presets = [
    [1, 0],
    [3, 2],
    [5, 3],
    [10, 5],
    [15, 10],
] as const
const named = (minutes: number, seconds: number) => `${minutes}+${seconds}`
const controlOf = (minutes: number, seconds: number): TimeControl => ({
    initialMs: Math.round(minutes * 60_000),
    incrementMs: Math.round(seconds * 1000),
})
const own = "own"
const [maxMinutes, maxSeconds] = [180, 180]
/** The shortest own time is six seconds. */
const minMinutes = 0.1

function bounded(text: string, least: number, most: number, otherwise: number): number {
    const number = Number(text)
    return text !== "" && Number.isFinite(number)
        ? Math.max(least, Math.min(most, number))
        : otherwise
}

export function TimeControlField() {
    const id = useId()
    const control = timeControl.value
    const [minutes, seconds] = control
        ? [control.initialMs / 60_000, control.incrementMs / 1000]
        : [0, 0]
    const isPreset = presets.some(([m, s]) => m === minutes && s === seconds)
    const choose = (value: string) => {
        const [m = 0, s = 0] = value.split("+").map(Number)
        // Own times begin beside those of the presets.
        setTimeControl(value === "" ? null : value === own ? controlOf(2, 1) : controlOf(m, s))
    }
    return (
        <div class="field time-control">
            <label for={id}>{texts.game.clocks}</label>
            <div class="joined">
                <select
                    id={id}
                    value={control === null ? "" : isPreset ? named(minutes, seconds) : own}
                    onChange={(event) => choose(event.currentTarget.value)}
                >
                    <option value="">{texts.game.noClocks}</option>
                    {presets.map(([m, s]) => (
                        <option key={named(m, s)} title={texts.game.minutesAndSeconds(m, s)}>
                            {named(m, s)}
                        </option>
                    ))}
                    <option value={own}>{texts.game.ownTime}</option>
                </select>
                {control && !isPreset && (
                    <>
                        <DraftInput
                            field={{
                                type: "number",
                                "aria-label": texts.game.minutes,
                                min: minMinutes,
                                max: maxMinutes,
                                step: "any",
                            }}
                            value={minutes}
                            commit={(text) =>
                                setTimeControl(
                                    controlOf(
                                        bounded(text, minMinutes, maxMinutes, minutes),
                                        seconds,
                                    ),
                                )
                            }
                        />
                        <span class="unit">{texts.game.minutesUnit}</span>
                        <DraftInput
                            field={{
                                type: "number",
                                "aria-label": texts.game.seconds,
                                min: 0,
                                max: maxSeconds,
                                step: "any",
                            }}
                            value={seconds}
                            commit={(text) =>
                                setTimeControl(
                                    controlOf(minutes, bounded(text, 0, maxSeconds, seconds)),
                                )
                            }
                        />
                        <span class="unit">{texts.game.secondsUnit}</span>
                    </>
                )}
            </div>
        </div>
    )
}
