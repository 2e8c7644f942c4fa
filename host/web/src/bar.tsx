// The bar below the moves: navigation, undo, and the game menu. On a phone it is at the bottom of
// the screen.

import { useEffect, useRef } from "preact/hooks"
import { isAutoplaying } from "./autoplay"
import { isChoosing, playFromHere } from "./beginnings"
import { downloadPgn } from "./files"
import { atEnd, canRedo, cursor, goTo, isOver, plies } from "./game"
import { Icon } from "./icon"
import { isFollowing } from "./match"
import { Menu } from "./menu"
import { areMovesOpen, listenToSwipes } from "./moves-sheet"
import { openReview, openTool, setUpPosition } from "./places"
import { redoMoves } from "./play"
import { canUndo, undo } from "./steps"
import { switches } from "./switches"
import { texts } from "./texts/board"
import { flip } from "./view"

interface Action {
    name: "toStart" | "previous" | "next" | "toEnd" | "undo" | "redo" | "flip"
    icon: string
    act: () => void
    isDisabled: () => boolean
    /** Whether a phone shows the action in the menu. */
    isRare?: boolean
}

const actions: Action[] = [
    {
        name: "toStart",
        icon: "M6 5v14M18 6l-8 6 8 6z",
        act: () => goTo(0),
        isDisabled: () => cursor.value === 0,
        isRare: true,
    },
    {
        name: "previous",
        icon: "M15 6l-7 6 7 6z",
        act: () => goTo(cursor.value - 1),
        isDisabled: () => cursor.value === 0,
    },
    {
        name: "next",
        icon: "M9 6l7 6-7 6z",
        act: () => goTo(cursor.value + 1),
        isDisabled: () => atEnd.value,
    },
    {
        name: "toEnd",
        icon: "M18 5v14M6 6l8 6-8 6z",
        act: () => goTo(plies.value.length),
        isDisabled: () => atEnd.value,
        isRare: true,
    },
    {
        name: "undo",
        icon: "M9 7L4 12l5 5M5 12h9a5 5 0 0 1 5 5v1",
        act: undo,
        isDisabled: () => !canUndo.value || isFollowing.value,
    },
    {
        name: "redo",
        icon: "M15 7l5 5-5 5M19 12h-9a5 5 0 0 0-5 5v1",
        act: redoMoves,
        isDisabled: () => !canRedo.value,
        isRare: true,
    },
    {
        name: "flip",
        icon: "M8 19V5M4 9l4-4 4 4M16 5v14M12 15l4 4 4-4",
        act: flip,
        isDisabled: () => false,
        isRare: true,
    },
]

function ActionButton({ name, icon, act, isDisabled, isRare }: Action) {
    const label = texts.game[name]
    return (
        <button
            type="button"
            class={`icon${isRare ? " wide-only" : ""}`}
            aria-label={label}
            title={label}
            onClick={act}
            disabled={isDisabled()}
        >
            <Icon path={icon} />
        </button>
    )
}

/** Whether the panel of the running game shows “Take back”. */
const hasTakeBack = () =>
    switches.place.value === "play" &&
    switches.tool.value === null &&
    !isChoosing.value &&
    !isOver.value

function GameMenu() {
    return (
        <Menu label={texts.game.more}>
            {actions
                .filter(({ isRare }) => isRare)
                .map(({ name, act, isDisabled }) => (
                    <button
                        key={name}
                        type="button"
                        class="phone-only"
                        onClick={act}
                        disabled={isDisabled()}
                    >
                        {texts.game[name]}
                    </button>
                ))}
            <button
                type="button"
                onClick={() => (isAutoplaying.value = !isAutoplaying.value)}
                disabled={atEnd.value}
            >
                {isAutoplaying.value ? texts.game.stopAutoplay : texts.game.autoplay}
            </button>
            <hr />
            <button type="button" onClick={openReview} disabled={plies.value.length === 0}>
                {texts.game.report}
            </button>
            {switches.place.value === "analyse" && (
                <button type="button" onClick={playFromHere}>
                    {texts.positions.playFromHere}
                </button>
            )}
            <button type="button" onClick={() => openTool("tree")}>
                {texts.game.searchTree}
            </button>
            <hr />
            <button type="button" onClick={() => openTool("position")}>
                {texts.game.open}
            </button>
            <button type="button" onClick={setUpPosition}>
                {texts.game.setUp}
            </button>
            <button type="button" onClick={downloadPgn} disabled={plies.value.length === 0}>
                {texts.game.save}
            </button>
        </Menu>
    )
}

export function Bar() {
    const bar = useRef<HTMLDivElement>(null)
    useEffect(() => listenToSwipes(bar.current), [])
    return (
        <div class="game-bar" ref={bar} role="group" aria-label={texts.game.navigation}>
            {actions
                .filter(({ name }) => name !== "undo" || !hasTakeBack())
                .map((action) => (
                    <ActionButton key={action.name} {...action} />
                ))}
            <button
                type="button"
                class="phone-only moves-button"
                aria-expanded={areMovesOpen.value}
                onClick={() => (areMovesOpen.value = !areMovesOpen.value)}
            >
                {texts.game.moves}
            </button>
            <GameMenu />
        </div>
    )
}
