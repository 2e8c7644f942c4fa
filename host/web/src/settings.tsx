// The dialog with the looks of the board, sound and keyboard shortcuts. It opens with its button or the key `?`.

import { signal } from "@preact/signals"
import { useEffect, useId, useRef } from "preact/hooks"
import { boardSize, boardSizes, boardTheme, boardThemes } from "./board-theme"
import { Icon } from "./icon"
import { isSoundOn, toggleSound } from "./sound"
import { switches } from "./switches"

export const isSettingsOpen = signal(false)

const keys = [
    ["← →", "previous and next move"],
    ["↑ ↓", "previous and next variation"],
    ["Home End", "start and end of the game"],
    ["f", "flip the board"],
    ["Ctrl Z", "undo what a notice told: a new or loaded game, a deletion"],
    ["Esc", "close the inspection, or leave an imagined position or a lesson"],
    ["?", "this dialog"],
    ["Tab, then arrow keys", "select a square of the board"],
    ["Enter", "pick up or drop a piece"],
    ["i", "legal moves of the selected square; a long press does the same"],
    ["right button", "circles and arrows"],
    ["Space, Backspace", "step through a search tree"],
] as const

export function SettingsButton() {
    return (
        <button type="button" class="icon" aria-label="Settings and keys" title="Settings and keys (?)" onClick={() => (isSettingsOpen.value = true)}>
            <Icon path="M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h3M11 12h9M9 10v4" />
        </button>
    )
}

export function Settings() {
    const dialog = useRef<HTMLDialogElement>(null)
    const [id, sizeId] = [useId(), useId()]
    const { showControl } = switches
    useEffect(() => {
        if (isSettingsOpen.value) dialog.current?.showModal()
        else dialog.current?.close()
    }, [isSettingsOpen.value])
    return (
        <dialog ref={dialog} class="settings" aria-label="Settings and keys" onClose={() => (isSettingsOpen.value = false)}>
            <div class="field">
                <label for={id}>Board colours</label>
                <select id={id} value={boardTheme.value} onChange={(event) => (boardTheme.value = event.currentTarget.value as typeof boardTheme.value)}>
                    {boardThemes.map((theme) => (
                        <option key={theme}>{theme}</option>
                    ))}
                </select>
            </div>
            <div class="field">
                <label for={sizeId}>Board size</label>
                <select id={sizeId} value={boardSize.value} onChange={(event) => (boardSize.value = event.currentTarget.value as typeof boardSize.value)}>
                    {boardSizes.map((size) => (
                        <option key={size}>{size}</option>
                    ))}
                </select>
            </div>
            <label class="check" title="Shade each square by the side with more attackers">
                <input type="checkbox" checked={showControl.value} onChange={(event) => (showControl.value = event.currentTarget.checked)} />
                Show control of squares
            </label>
            <label class="check">
                <input type="checkbox" checked={isSoundOn.value} onChange={toggleSound} />
                Sound
            </label>
            <h2>Keys</h2>
            <dl class="keys">
                {keys.map(([key, action]) => (
                    <div key={key}>
                        <dt>{key}</dt>
                        <dd>{action}</dd>
                    </div>
                ))}
            </dl>
            <div class="buttons">
                <button type="button" class="primary" onClick={() => (isSettingsOpen.value = false)}>
                    Close
                </button>
            </div>
        </dialog>
    )
}
