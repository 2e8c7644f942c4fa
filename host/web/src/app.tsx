// The page: the board, the moves, and what its place has.

import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { aiIds, aiName, watchAis } from "./ais"
import type { Issue } from "./api"
import { Bar } from "./bar"
import { Doors, hasDoors } from "./doors"
import { EditLine } from "./edit-line"
import { Issues } from "./fields"
import { loadFile } from "./files"
import { cursor, lastMove, plies, result } from "./game"
import { GameFacts } from "./game-facts"
import { Header, Places } from "./header"
import { GameOverActions, Headline } from "./headline"
import { Inspection } from "./inspect"
import { loadLink } from "./link"
import { isFollowing, resumeMatch } from "./match"
import { Menu } from "./menu"
import { MoveField, MoveList, OpeningName } from "./moves"
import { areMovesOpen, listenToSwipes } from "./moves-sheet"
import { Notice } from "./notice"
import { AnalysePanel } from "./panels/analyse"
import { LearnPanel } from "./panels/learn"
import { PlayPanel, Thought } from "./panels/play"
import { linkedPlace, takeLinkedPlace } from "./place-names"
import { hasBegun, openPlace, openTool, prepare } from "./places"
import { aiError, replaceFailedAi, retry } from "./play"
import { Preview } from "./preview"
import { isBarAtBottom, isNarrow } from "./screen"
import { restoreSession, savedSession, saveSession } from "./session"
import { onKeyDown } from "./shortcuts"
import { Settings, SettingsButton } from "./settings"
import { Stage } from "./stage"
import { switches } from "./switches"
import { hasTablebase, TablebaseLine } from "./tablebase"
import { ToolPanel } from "./tools"
import { colors, ThemeButton } from "./theme"
import { overlay } from "./view"
import { resultText, sanText } from "./format"
import { texts } from "./texts/board"
import { common } from "./texts/common"

const { place, tool } = switches
const linkIssues = signal<Issue[]>([])

/** Announces moves and results to screen readers; of a match the score alone. */
function Announcer() {
    if (isFollowing.value) return null
    const last = plies.value[cursor.value - 1]
    return (
        <p class="visually-hidden" aria-live="polite">
            {last && lastMove.value
                ? texts.game.moveMade(
                      sanText(last.san),
                      lastMove.value.slice(0, 2),
                      lastMove.value.slice(2, 4),
                  )
                : ""}
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
                {now.message} <span class="muted">{texts.page.unchanged}</span>
            </p>
            <div class="buttons">
                <button type="button" class="primary" onClick={retry}>
                    {texts.page.retry}
                </button>
                {others.slice(0, 3).map((id) => (
                    <button key={id} type="button" onClick={() => replaceFailedAi({ ai: id })}>
                        {texts.page.continueWith(aiName(id))}
                    </button>
                ))}
                <button type="button" onClick={() => replaceFailedAi("you")}>
                    {texts.page.moveYourself}
                </button>
            </div>
        </section>
    )
}

const followLink = async () => {
    const linked = takeLinkedPlace()
    if (linked) openPlace(linked)
    else linkIssues.value = await loadLink()
}

/**
 * Restores the game or loads that of a link. Without either there is a new game. Then the place of
 * a link opens.
 */
async function begin(): Promise<void> {
    const isLink = !savedSession && location.hash.length > 1
    if (isLink) void followLink()
    else if (!(await restoreSession())) prepare()
    hasBegun.value = true
    if (linkedPlace) openPlace(linkedPlace)
}

/** Loads a file that is dropped on the page. */
function onDrop(event: DragEvent): void {
    const [file] = event.dataTransfer?.files ?? []
    if (!file) return
    event.preventDefault()
    openTool("position")
    void loadFile(file)
}
const onDragOver = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault()
}

/**
 * The moves of the game, below its opening or its tablebase result. On a phone they open over its
 * lower half.
 */
function GameRecord() {
    const record = useRef<HTMLDivElement>(null)
    useEffect(() => listenToSwipes(record.current), [])
    return (
        <div class={`record${areMovesOpen.value ? " open" : ""}`} ref={record}>
            <GameFacts />
            {hasDoors() ? (
                <Doors />
            ) : (
                <>
                    {hasTablebase.value && tool.value !== "learn" ? (
                        <TablebaseLine />
                    ) : (
                        <OpeningName />
                    )}
                    <MoveList />
                </>
            )}
            <div class="move-row">
                <MoveField />
                <EditLine />
            </div>
        </div>
    )
}

/** What the place or the tool has. */
function Panels() {
    if (tool.value === "learn") return null
    return (
        <>
            {tool.value !== null && <ToolPanel id={tool.value} />}
            {tool.value === null && place.value !== "analyse" && !hasDoors() && (
                <section class="panel" aria-label={texts.page.game}>
                    <PlayPanel />
                </section>
            )}
        </>
    )
}

/** The lines that AIs have found: the analysing ones, or the opponent. */
function Lines() {
    if (tool.value === "learn") return null
    if (place.value !== "analyse" || tool.value !== null) return <Thought />
    return (
        <section class="panel analysis" aria-label={texts.page.analysis}>
            <AnalysePanel />
        </section>
    )
}

/**
 * The moves with what belongs to them, in the order in which the screen shows them: on a phone the
 * bar and open moves are at its bottom.
 */
function Column() {
    const record = !overlay.value?.isEdited && <GameRecord key="record" />
    const [lines, bar, panels] = [<Lines key="lines" />, <Bar key="bar" />, <Panels key="panels" />]
    if (!isNarrow.value) return <>{[lines, record, bar, panels]}</>
    if (areMovesOpen.value) return <>{[lines, panels, record, bar]}</>
    return <>{isBarAtBottom.value ? [record, lines, panels, bar] : [record, bar, lines, panels]}</>
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
            for (const [name, listener] of listeners)
                removeEventListener(name, listener as EventListener)
            dark.removeEventListener("change", recolor)
        }
    }, [])
    return (
        <>
            <Header>
                <Places current={place.value} open={openPlace} />
                <SettingsButton />
                <ThemeButton />
                <Menu label={common.more}>
                    <button type="button" onClick={() => openTool("ais")}>
                        {texts.ais.list}
                    </button>
                    <a href="/docs">API</a>
                    <span class="phone-only menu-row">
                        <SettingsButton />
                        <ThemeButton />
                    </span>
                </Menu>
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
                    {tool.value === "learn" && <LearnPanel />}
                    <Column />
                </div>
            </main>
            <Preview />
            <Notice />
            <Settings />
        </>
    )
}
