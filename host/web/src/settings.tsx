// The settings dialog: the board's appearance, language and sound, and a page of keyboard shortcuts
// that the key `?` opens.

import { signal } from "@preact/signals"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { boardSize, boardSizes, boardTheme, boardThemes } from "./board-theme"
import { Icon } from "./icon"
import { chooseLanguage, language, languages } from "./language"
import type { Language } from "./language"
import { SmallBoard } from "./small-board"
import { isSoundOn, toggleSound } from "./sound"
import { switches } from "./switches"
import { texts } from "./texts/board"

const pages = ["general", "shortcuts"] as const
type SettingsPage = (typeof pages)[number]

/** The shown page of the dialog; null if it is closed. */
const shown = signal<SettingsPage | null>(null)

/** Opens the dialog on one of its pages. */
export function openSettings(page: SettingsPage): void {
    shown.value = page
}
const close = () => (shown.value = null)

export function SettingsButton() {
    return (
        <button
            type="button"
            class="icon"
            aria-label={texts.settings.title}
            title={texts.settings.title}
            onClick={() => openSettings("general")}
        >
            <Icon path="M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h3M11 12h9M9 10v4" />
        </button>
    )
}

const somePieces = "r1b5/1pp5/P1N5/1K1R4/8/8/8/8"

/** The colours of the board, each as a sample. */
function BoardColors() {
    const name = useId()
    return (
        <fieldset class="swatches">
            <legend>{texts.settings.boardColors}</legend>
            {boardThemes.map((theme) => (
                <label key={theme} class="swatch" data-board={theme}>
                    <input
                        type="radio"
                        class="visually-hidden"
                        name={name}
                        checked={boardTheme.value === theme}
                        onChange={() => (boardTheme.value = theme)}
                    />
                    <span class="swatch-board">
                        <SmallBoard placement={somePieces} orientation="white" label="" />
                    </span>
                    {texts.settings.colors[theme]}
                </label>
            ))}
        </fieldset>
    )
}

function BoardSize() {
    const id = useId()
    return (
        <div class="field">
            <label for={id}>{texts.settings.boardSize}</label>
            <select
                id={id}
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
    )
}

function LanguageChoice() {
    const id = useId()
    return (
        <div class="field">
            <label for={id}>{texts.settings.language}</label>
            <select
                id={id}
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
    )
}

function General() {
    const { showControl } = switches
    return (
        <>
            <BoardColors />
            <div class="fields">
                <BoardSize />
                <LanguageChoice />
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
        </>
    )
}

const Shortcuts = () => (
    <dl class="keys">
        {texts.settings.keyActions.map(([key, action]) => (
            <div key={key}>
                <dt>{key}</dt>
                <dd>{action}</dd>
            </div>
        ))}
    </dl>
)

function Tabs({ id }: { id: string }) {
    const list = useRef<HTMLDivElement>(null)
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return
        event.preventDefault()
        shown.value = shown.value === "general" ? "shortcuts" : "general"
        list.current?.querySelector<HTMLElement>(`[data-page=${shown.value}]`)?.focus()
    }
    return (
        <div class="tabs" role="tablist" ref={list} onKeyDown={onKeyDown}>
            {pages.map((page) => (
                <button
                    key={page}
                    type="button"
                    role="tab"
                    data-page={page}
                    aria-selected={shown.value === page}
                    aria-controls={id}
                    tabIndex={shown.value === page ? 0 : -1}
                    onClick={() => openSettings(page)}
                >
                    {texts.settings.pages[page]}
                </button>
            ))}
        </div>
    )
}

export function Settings() {
    const dialog = useRef<HTMLDialogElement>(null)
    const [titleId, panelId] = [useId(), useId()]
    const isOpen = shown.value !== null
    // Not an effect: it would wait for a frame, and miss keys pressed right after the click.
    useLayoutEffect(() => {
        if (isOpen) dialog.current?.showModal()
        else dialog.current?.close()
    }, [isOpen])
    return (
        <dialog ref={dialog} class="settings" aria-labelledby={titleId} onClose={close}>
            <header>
                <h2 id={titleId}>{texts.settings.title}</h2>
                <button
                    type="button"
                    class="icon close"
                    aria-label={texts.settings.close}
                    onClick={close}
                >
                    ×
                </button>
            </header>
            {isOpen && (
                <>
                    <Tabs id={panelId} />
                    <div
                        class="settings-page"
                        id={panelId}
                        role="tabpanel"
                        aria-labelledby={titleId}
                    >
                        {shown.value === "general" ? <General /> : <Shortcuts />}
                    </div>
                </>
            )}
        </dialog>
    )
}
