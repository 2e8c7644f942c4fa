// The page: the board, the moves and the panels.

import { signal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { aiIds, aiName, watchAis } from "./ais"
import type { Issue } from "./api"
import { EditLine } from "./edit-line"
import { Issues } from "./fields"
import { loadFile } from "./files"
import { cursor, lastMove, plies, result } from "./game"
import { Graph, hasGraph } from "./graph"
import { Header } from "./header"
import { GameOverActions, Headline } from "./headline"
import { Inspection } from "./inspect"
import { defaultLevel, levels, setLevel } from "./levels"
import { loadLink } from "./link"
import { isFollowing, resumeMatch } from "./match"
import { MoveField, MoveList, OpeningName } from "./moves"
import { Notice } from "./notice"
import { AisPanel } from "./panels/ais"
import { AnalysePanel } from "./panels/analyse"
import { PlayPanel } from "./panels/play"
import { PositionPanel } from "./panels/position"
import { ReportPanel } from "./panels/report"
import { TreePanel } from "./panels/tree"
import { aiError, replaceFailedAi, retry } from "./play"
import { userPlaysBoth } from "./players"
import { Preview } from "./preview"
import { restoreSession, savedSession, saveSession } from "./session"
import { onKeyDown } from "./shortcuts"
import { Settings, SettingsButton } from "./settings"
import { Stage } from "./stage"
import { switches } from "./switches"
import { hasTablebase, TablebaseLine } from "./tablebase"
import { colors, ThemeButton } from "./theme"
import { overlay, showsAnalysis } from "./view"
import { resultText } from "./format"

const panels: { id: string; label: string; Panel: ComponentType }[] = [
    { id: "play", label: "Play", Panel: PlayPanel },
    { id: "analyse", label: "Analyse", Panel: AnalysePanel },
    { id: "report", label: "Report", Panel: ReportPanel },
    { id: "tree", label: "Tree", Panel: TreePanel },
    { id: "position", label: "Position", Panel: PositionPanel },
    { id: "ais", label: "AIs", Panel: AisPanel },
]
const { panel: open } = switches
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

/** Announces moves and results to screen readers; of a match the score alone. */
function Announcer() {
    if (isFollowing.value) return null
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
                {now.message} <span class="muted">The game is unchanged. Retry, or choose how to continue.</span>
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
                    I’ll move
                </button>
            </div>
        </section>
    )
}

const followLink = async () => {
    linkIssues.value = await loadLink()
}

/** Restores the game or loads that of a link. Without either the opponent of a new game is one of the default level. */
async function begin(): Promise<void> {
    const isLink = !savedSession && location.hash.length > 1
    if (isLink) void followLink()
    if (isLink || (await restoreSession())) return
    const stop = levels.subscribe((known) => {
        if (known.length === 0) return
        queueMicrotask(() => stop())
        if (userPlaysBoth.peek() && plies.peek().length === 0) setLevel("black", defaultLevel.peek())
    })
}

/** Loads a file that is dropped on the page. */
function onDrop(event: DragEvent): void {
    const [file] = event.dataTransfer?.files ?? []
    if (!file) return
    event.preventDefault()
    open.value = "position"
    void loadFile(file)
}
const onDragOver = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault()
}

/** The moves of the game and their graph. */
function GameRecord() {
    return (
        <>
            {hasTablebase.value ? <TablebaseLine /> : <OpeningName />}
            <MoveList />
            <div class="move-row">
                <MoveField />
                <EditLine />
            </div>
            {hasGraph.value && showsAnalysis.value ? (
                <Graph />
            ) : (
                <p class="graph empty">{showsAnalysis.value ? "The graph of the game appears here." : "The graph is hidden, as the AI analysis is."}</p>
            )}
        </>
    )
}

export function App() {
    useEffect(watchAis, [])
    useEffect(() => {
        void begin()
        void resumeMatch()
        const listeners: [string, (event: never) => void][] = [
            ["hashchange", () => void followLink()],
            ["pagehide", saveSession],
            ["keydown", onKeyDown],
            ["drop", onDrop],
            ["dragover", onDragOver],
        ]
        for (const [name, listener] of listeners) addEventListener(name, listener as EventListener)
        const dark = matchMedia("(prefers-color-scheme: dark)")
        const recolor = () => (colors.value += 1)
        dark.addEventListener("change", recolor)
        return () => {
            for (const [name, listener] of listeners) removeEventListener(name, listener as EventListener)
            dark.removeEventListener("change", recolor)
        }
    }, [])
    return (
        <>
            <Header>
                <a href="/arena">Arena</a>
                <a class="api" href="/docs">
                    API
                </a>
                <SettingsButton />
                <ThemeButton />
            </Header>
            <main>
                <Stage />
                <div class="side">
                    <Headline />
                    <GameOverActions />
                    <Announcer />
                    <Issues issues={linkIssues.value} />
                    <AiErrorCard />
                    <Inspection />
                    {!overlay.value?.isEdited && <GameRecord />}
                    <Tabs />
                </div>
            </main>
            <Preview />
            <Notice />
            <Settings />
        </>
    )
}
