// The bar below the moves: steps through the game, undo, resignation, and the menu of the game. On a phone it is at the bottom.

import { useEffect, useRef } from "preact/hooks"
import { isAutoplaying } from "./autoplay"
import { downloadPgn } from "./files"
import { atEnd, canRedo, cursor, goTo, isOver, plies } from "./game"
import { Icon } from "./icon"
import { isFollowing } from "./match"
import { Menu } from "./menu"
import { areMovesOpen, listenToSwipes } from "./moves-sheet"
import { openTool, setUpPosition } from "./places"
import { redoMoves, resign } from "./play"
import { isAiMatch } from "./players"
import { canUndo, undo } from "./steps"
import { flip } from "./view"

interface Action {
    label: string
    icon: string
    act: () => void
    isDisabled: () => boolean
    /** Whether a phone has it in the menu. */
    isRare?: boolean
}

const actions: Action[] = [
    { label: "Go to start", icon: "M6 5v14M18 6l-8 6 8 6z", act: () => goTo(0), isDisabled: () => cursor.value === 0, isRare: true },
    { label: "Previous move", icon: "M15 6l-7 6 7 6z", act: () => goTo(cursor.value - 1), isDisabled: () => cursor.value === 0 },
    { label: "Next move", icon: "M9 6l7 6-7 6z", act: () => goTo(cursor.value + 1), isDisabled: () => atEnd.value },
    { label: "Go to end", icon: "M18 5v14M6 6l8 6-8 6z", act: () => goTo(plies.value.length), isDisabled: () => atEnd.value, isRare: true },
    { label: "Undo", icon: "M9 7L4 12l5 5M5 12h9a5 5 0 0 1 5 5v1", act: undo, isDisabled: () => !canUndo.value || isFollowing.value },
    { label: "Redo", icon: "M15 7l5 5-5 5M19 12h-9a5 5 0 0 0-5 5v1", act: redoMoves, isDisabled: () => !canRedo.value, isRare: true },
    { label: "Flip board", icon: "M8 19V5M4 9l4-4 4 4M16 5v14M12 15l4 4 4-4", act: flip, isDisabled: () => false, isRare: true },
]

function ActionButton({ label, icon, act, isDisabled, isRare }: Action) {
    return (
        <button type="button" class={`icon${isRare ? " wide-only" : ""}`} aria-label={label} title={label} onClick={act} disabled={isDisabled()}>
            <Icon path={icon} />
        </button>
    )
}

function ResignButton({ at }: { at: string }) {
    if (isAiMatch.value) return null
    return (
        <button type="button" class={at} onClick={resign} disabled={isOver.value || plies.value.length === 0}>
            Resign
        </button>
    )
}

function GameMenu() {
    return (
        <Menu label="More about this game">
            {actions.filter(({ isRare }) => isRare).map(({ label, act, isDisabled }) => (
                <button key={label} type="button" class="phone-only" onClick={act} disabled={isDisabled()}>
                    {label}
                </button>
            ))}
            <ResignButton at="phone-only" />
            <button type="button" onClick={() => (isAutoplaying.value = !isAutoplaying.value)} disabled={atEnd.value}>
                {isAutoplaying.value ? "Stop autoplay" : "Play through the game"}
            </button>
            <hr />
            <button type="button" onClick={() => openTool("report")}>
                Report
            </button>
            <button type="button" onClick={() => openTool("tree")}>
                Search tree
            </button>
            <hr />
            <button type="button" onClick={() => openTool("position")}>
                Open, paste or share
            </button>
            <button type="button" onClick={setUpPosition}>
                Set up a position
            </button>
            <button type="button" onClick={downloadPgn} disabled={plies.value.length === 0}>
                Save as PGN
            </button>
        </Menu>
    )
}

export function Bar() {
    const bar = useRef<HTMLDivElement>(null)
    useEffect(() => listenToSwipes(bar.current), [])
    return (
        <div class="game-bar" ref={bar} role="group" aria-label="Game navigation">
            {actions.map((action) => (
                <ActionButton key={action.label} {...action} />
            ))}
            <ResignButton at="wide-only" />
            <button
                type="button"
                class="phone-only moves-button"
                aria-expanded={areMovesOpen.value}
                onClick={() => (areMovesOpen.value = !areMovesOpen.value)}
            >
                Moves
            </button>
            <GameMenu />
        </div>
    )
}
