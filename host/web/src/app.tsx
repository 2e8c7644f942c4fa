// The page: the board, the moves and the panels.

import { signal, useSignalEffect } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { aiIds, aiName, watchAis } from "./ais"
import { connected } from "./api"
import { cursor, goTo, lastMove, plies, positionError, status } from "./game"
import { colors, Graph, hasGraph } from "./graph"
import { closeInspection, Inspection } from "./inspect"
import { loadLink, restoreGame, savedGame, saveGame } from "./link"
import { MoveField, MoveList } from "./moves"
import { AisPanel } from "./panels/ais"
import { AnalysePanel } from "./panels/analyse"
import { Issues, PositionPanel } from "./panels/position"
import { PlayPanel } from "./panels/play"
import { ReportPanel } from "./panels/report"
import { TreePanel } from "./panels/tree"
import { aiError, aiToMove, isAiMatch, isSearching, matchRunning, newGame, replaceFailedAi, result, retry, setPlayer, userPlaysBoth } from "./play"
import { Preview } from "./preview"
import { edited } from "./setup"
import { Stage } from "./stage"
import { flip } from "./view"
import { Icon } from "./fields"
import { colorName, errorMessage, resultText } from "./format"
import type { Issue } from "./api"

const panels: { id: string; label: string; Panel: ComponentType }[] = [
    { id: "play", label: "Play", Panel: PlayPanel },
    { id: "analyse", label: "Analyse", Panel: AnalysePanel },
    { id: "report", label: "Report", Panel: ReportPanel },
    { id: "tree", label: "Tree", Panel: TreePanel },
    { id: "position", label: "Position", Panel: PositionPanel },
    { id: "ais", label: "AIs", Panel: AisPanel },
]
const open = signal("play")
const linkIssues = signal<Issue[]>([])

function Tabs() {
    const onTabKeyDown = (event: KeyboardEvent) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        if (!by) return
        event.preventDefault()
        event.stopPropagation()
        const at = panels.findIndex(({ id }) => id === open.value)
        const next = panels[(at + by + panels.length) % panels.length]
        if (!next) return
        open.value = next.id
        document.getElementById(`tab-${next.id}`)?.focus()
    }
    const now = panels.find(({ id }) => id === open.value) ?? panels[0]
    if (!now) return null
    return (
        <>
            <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={onTabKeyDown}>
                {panels.map(({ id, label }) => (
                    <button
                        key={id}
                        id={`tab-${id}`}
                        type="button"
                        role="tab"
                        aria-selected={id === open.value}
                        aria-controls="panel"
                        tabIndex={id === open.value ? 0 : -1}
                        onClick={() => (open.value = id)}
                    >
                        {label}
                    </button>
                ))}
            </div>
            <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${now.id}`}>
                <now.Panel key={now.id} />
            </div>
        </>
    )
}

function headline(): string {
    if (edited.value) return "Board editor"
    if (result.value) return resultText(result.value)
    if (!status.value) return positionError.value ? errorMessage("the server", positionError.value) : "…"
    const { turn, check } = status.value
    const inCheck = check ? ", in check" : ""
    const ai = aiToMove.value
    if (ai && isSearching.value) return `${aiName(ai)} is thinking${inCheck}`
    if (ai && isAiMatch.value && !matchRunning.value) return `${aiName(ai)} to move${inCheck}`
    return ai ? `${aiName(ai)} to move${inCheck}` : userPlaysBoth.value ? `${colorName(turn)} to move${inCheck}` : `Your move${inCheck}`
}

function Headline() {
    useSignalEffect(() => {
        document.title = `${headline()} · Rookery`
    })
    return (
        <div role="status">
            <h1 class={`headline${result.value && !edited.value ? " over" : ""}`} data-testid="headline">
                {headline()}
            </h1>
        </div>
    )
}

/** The actions after the end of a game. */
function GameOverActions() {
    if (!result.value || edited.value || plies.value.length === 0) return null
    return (
        <div class="buttons" role="group" aria-label="Game over">
            <button type="button" class="primary" onClick={() => newGame()}>
                Play again
            </button>
            {open.value !== "report" && (
                <button type="button" onClick={() => (open.value = "report")}>
                    Game report
                </button>
            )}
        </div>
    )
}

/** Announces moves and results to screen readers. */
function Announcer() {
    const last = plies.value[cursor.value - 1]
    return (
        <p class="visually-hidden" aria-live="polite">
            {last && lastMove.value ? `${last.san}, ${lastMove.value.slice(0, 2)} to ${lastMove.value.slice(2, 4)}. ` : ""}
            {result.value ? resultText(result.value) : ""}
        </p>
    )
}

function AiErrorCard() {
    const now = aiError.value
    if (!now) return null
    const others = aiIds.value.filter((id) => id !== now.ai)
    return (
        <section class="card ai-error" role="alert" data-testid="fault">
            <p>
                {now.message} <span class="muted">The game is unchanged. Retry, or choose another player.</span>
            </p>
            <div class="buttons">
                <button type="button" class="primary" onClick={retry}>
                    Retry
                </button>
                {others.slice(0, 3).map((id) => (
                    <button key={id} type="button" onClick={() => replaceFailedAi({ ai: id })}>
                        Continue with {aiName(id)}
                    </button>
                ))}
                <button type="button" onClick={() => replaceFailedAi("you")}>
                    Play this side
                </button>
            </div>
        </section>
    )
}

const themes = ["system", "light", "dark"] as const
const theme = signal<(typeof themes)[number]>(themes.find((known) => known === localStorage.getItem("theme")) ?? "system")

function ThemeButton() {
    useSignalEffect(() => {
        document.documentElement.dataset.theme = theme.value
        localStorage.setItem("theme", theme.value)
        colors.value = colors.peek() + 1
    })
    const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system"
    const icon = {
        system: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
        light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5",
        dark: "M19 14.5A8 8 0 1 1 9.5 5a6.5 6.5 0 0 0 9.5 9.5z",
    }[theme.value]
    return (
        <button
            type="button"
            class="icon"
            aria-label={`Theme: ${theme.value}. Switch to ${next}`}
            title={`Theme: ${theme.value}`}
            onClick={() => (theme.value = next)}
        >
            <Icon path={icon} />
        </button>
    )
}

/** Keyboard shortcuts, except in form fields and widgets with their own keys. */
function onKeyDown(event: KeyboardEvent): void {
    const target = event.target as Element
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (target.closest("input, textarea, select, [role=tree], [role=tablist], [role=application]")) return
    const keys: Record<string, () => void> = {
        ArrowLeft: () => goTo(cursor.value - 1),
        ArrowRight: () => goTo(cursor.value + 1),
        Home: () => goTo(0),
        End: () => goTo(plies.value.length),
        f: flip,
        Escape: closeInspection,
    }
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
}

/** Selects the first AI as the opponent, unless a saved game or a link is loaded. */
function useDefaultOpponent(): void {
    useEffect(() => {
        const stop = aiIds.subscribe((ids) => {
            const [first] = ids
            if (!first || savedGame || location.hash.length > 1) return
            queueMicrotask(() => stop())
            if (userPlaysBoth.peek()) setPlayer("black", { ai: first })
        })
        return stop
    }, [])
}

export function App() {
    useEffect(watchAis, [])
    useDefaultOpponent()
    useEffect(() => {
        const follow = (taking: Promise<Issue[]>) => void taking.then((issues) => (linkIssues.value = issues))
        const followLink = () => follow(loadLink())
        follow(savedGame ? restoreGame(savedGame) : loadLink())
        addEventListener("hashchange", followLink)
        addEventListener("pagehide", saveGame)
        addEventListener("keydown", onKeyDown)
        const dark = matchMedia("(prefers-color-scheme: dark)")
        const recolor = () => (colors.value += 1)
        dark.addEventListener("change", recolor)
        return () => {
            removeEventListener("hashchange", followLink)
            removeEventListener("pagehide", saveGame)
            removeEventListener("keydown", onKeyDown)
            dark.removeEventListener("change", recolor)
        }
    }, [])
    return (
        <>
            <header class="top">
                <svg class="logo" viewBox="0 0 40 40" aria-hidden="true">
                    <use href="#shape-rook" />
                </svg>
                <span class="brand">Rookery</span>
                {!connected.value && (
                    <span class="connection-lost" role="alert" data-testid="lost">
                        Connection lost. Reconnecting…
                    </span>
                )}
                <a class="api" href="/docs">
                    API
                </a>
                <ThemeButton />
            </header>
            <main>
                <Stage />
                <div class="side">
                    <Headline />
                    <GameOverActions />
                    <Announcer />
                    <Issues issues={linkIssues.value} />
                    <AiErrorCard />
                    <Inspection />
                    <MoveList />
                    <MoveField />
                    {hasGraph.value && <Graph />}
                    <Tabs />
                </div>
            </main>
            <Preview />
        </>
    )
}
