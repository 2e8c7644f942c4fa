// The dialog with the looks of the board, the language, sound and keyboard shortcuts. It opens with
// its button or the key `?`.

import { signal } from "@preact/signals"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { boardSize, boardSizes, boardTheme, boardThemes } from "./board-theme"
import { Icon } from "./icon"
import { chooseLanguage, language, languages } from "./language"
import type { Language } from "./language"
import { isSoundOn, toggleSound } from "./sound"
import { switches } from "./switches"
import { texts } from "./texts/board"

export const isSettingsOpen = signal(false)

export function SettingsButton() {
    return (
        <button
            type="button"
            class="icon"
            aria-label={texts.settings.title}
            title={texts.settings.titleWithKey}
            onClick={() => (isSettingsOpen.value = true)}
        >
            <Icon path="M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h3M11 12h9M9 10v4" />
        </button>
    )
}

export function Settings() {
    const dialog = useRef<HTMLDialogElement>(null)
    const [id, sizeId, languageId] = [useId(), useId(), useId()]
    const { showControl } = switches
    // At once: keys that are pressed after the click go to the page, not to a dialog that closes
    // with the next frame.
    useLayoutEffect(() => {
        if (isSettingsOpen.value) dialog.current?.showModal()
        else dialog.current?.close()
    }, [isSettingsOpen.value])
    return (
        <dialog
            ref={dialog}
            class="settings"
            aria-label={texts.settings.title}
            onClose={() => (isSettingsOpen.value = false)}
        >
            <div class="field">
                <label for={id}>{texts.settings.boardColors}</label>
                <select
                    id={id}
                    value={boardTheme.value}
                    onChange={(event) =>
                        (boardTheme.value = event.currentTarget.value as typeof boardTheme.value)
                    }
                >
                    {boardThemes.map((theme) => (
                        <option key={theme} value={theme}>
                            {texts.settings.colors[theme]}
                        </option>
                    ))}
                </select>
            </div>
            <div class="field">
                <label for={sizeId}>{texts.settings.boardSize}</label>
                <select
                    id={sizeId}
                    value={boardSize.value}
                    onChange={(event) =>
                        (boardSize.value = event.currentTarget.value as typeof boardSize.value)
                    }
                >
                    {boardSizes.map((size) => (
                        <option key={size} value={size}>
                            {texts.settings.sizes[size]}
                        </option>
                    ))}
                </select>
            </div>
            <div class="field">
                <label for={languageId}>{texts.settings.language}</label>
                <select
                    id={languageId}
                    value={language.value}
                    onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
                >
                    {Object.entries(languages).map(([code, name]) => (
                        <option key={code} value={code} lang={code}>
                            {name}
                        </option>
                    ))}
                </select>
            </div>
            <label class="check" title={texts.settings.controlHint}>
                <input
                    type="checkbox"
                    checked={showControl.value}
                    onChange={(event) => (showControl.value = event.currentTarget.checked)}
                />
                {texts.settings.control}
            </label>
            <label class="check">
                <input type="checkbox" checked={isSoundOn.value} onChange={toggleSound} />
                {texts.settings.sound}
            </label>
            <h2>{texts.settings.keys}</h2>
            <dl class="keys">
                {texts.settings.keyActions.map(([key, action]) => (
                    <div key={key}>
                        <dt>{key}</dt>
                        <dd>{action}</dd>
                    </div>
                ))}
            </dl>
            <div class="buttons">
                <button
                    type="button"
                    class="primary"
                    onClick={() => (isSettingsOpen.value = false)}
                >
                    {texts.settings.close}
                </button>
            </div>
        </dialog>
    )
}
