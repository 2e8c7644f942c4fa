// The board page: the board, the moves, and the panels of the open place.

import { signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { aiIds, aiName, watchAis } from "./ais"
import type { Issue } from "./api"
import { ArenaBack } from "./arena-back"
import { Bar } from "./bar"
import { isChoosing } from "./beginnings"
import { Issues } from "./fields"
import { loadFile } from "./files"
import { cursor, placementAfter, plies, result } from "./game"
import { GameFacts } from "./game-facts"
import { Header, Places } from "./header"
import { GameOverActions, Headline } from "./headline"
import { Inspection } from "./inspect"
import { keepFocus } from "./kept-focus"
import { loadLink } from "./link"
import { isChoosingPlayers, isFollowing, isOpen, match, resumeMatch, showMatch } from "./match"
import { Menu } from "./menu"
import { MoveMenu, MoveMenuButton } from "./move-menu"
import { MoveField, MoveList, OpeningName } from "./moves"
import { areMovesOpen, listenToSwipes } from "./moves-sheet"
import { Notice } from "./notice"
import { AnalysePanel } from "./panels/analyse"
import { LearnPanel } from "./panels/learn"
import { MatchPanel } from "./panels/match"
import { ReviewedMoves } from "./panels/moments"
import { NewGame } from "./panels/new-game"
import { PlayPanel } from "./panels/play"
import { Thought } from "./panels/thought"
import { listenToPaste, PasteQuestion } from "./paste"
import { isLink, linkedPlace, placeOfUrl, toolOfUrl } from "./place-names"
import { enterPlace, hasBegun, openPlace, openTool, prepare } from "./places"
import { aiError, replaceFailedAi, retry } from "./play"
import { Preview } from "./preview"
import { isBarAtBottom, isNarrow } from "./screen"
import { openGame } from "./recent"
import { goToRoute, linkedGame, writeRoute } from "./route"
import { restoreSession, savedSession, saveSession } from "./session"
import { onKeyDown } from "./shortcuts"
import { Settings, SettingsButton } from "./settings"
import { Stage } from "./stage"
import { switches } from "./switches"
import type { Place } from "./switches"
import { hasTablebase, TablebaseLine } from "./tablebase"
import { ToolPanel } from "./tools"
import { colors, ThemeButton } from "./theme"
import { overlay } from "./view"
import { resultText, spokenMove } from "./format"
import { texts } from "./texts/board"
import { common } from "./texts/common"

const { place, tool } = switches
const linkIssues = signal<Issue[]>([])

/** Announces moves and results to screen readers. In a match, only the score is announced. */
function Announcer() {
    if (isFollowing.value) return null
    const last = plies.value[cursor.value - 1]
    return (
        <p class="visually-hidden" aria-live="polite">
            {last && `${spokenMove(last.san, placementAfter(cursor.value - 1))}. `}
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

/** Opens the game or place in the URL. */
async function followUrl(): Promise<void> {
    if (isLink()) {
        enterPlace("analyse")
        linkIssues.value = await loadLink()
        return
    }
    const [linked, id, linkedTool] = [placeOfUrl(), linkedGame(), toolOfUrl()]
    if (linked && linked !== place.peek()) enterPlace(linked)
    if (id) await openGame(id)
    openTool(linkedTool)
}

/** Restores the tab's state or opens the URL's game. Otherwise starts a new game. */
async function begin(): Promise<void> {
    if (savedSession || !isLink()) {
        if (!(await restoreSession())) prepare()
        if (linkedPlace) await followUrl()
    } else void followUrl()
    hasBegun.value = true
}

/** History steps carry a state. A typed address has none. */
function onHistoryStep(event: PopStateEvent): void {
    if (event.state) void goToRoute(event.state)
    else void followUrl()
}

/** Opens a place. Watch shows the running match. */
function visit(next: Place): void {
    openPlace(next)
    if (next === "watch" && isOpen.value && !isFollowing.value) showMatch()
}

/** Loads a file dropped on the page. */
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
 * The moves of the game, below its opening or its tablebase result. On a phone they open over the
 * lower half of the screen.
 */
function GameRecord() {
    const record = useRef<HTMLDivElement>(null)
    useEffect(() => listenToSwipes(record.current), [])
    return (
        <div class={`record${areMovesOpen.value ? " open" : ""}`} ref={record}>
            <GameFacts />
            {isChoosing.value ? (
                <NewGame />
            ) : (
                <>
                    <div class="about-row">
                        {hasTablebase.value && tool.value !== "learn" ? (
                            <TablebaseLine />
                        ) : (
                            <OpeningName />
                        )}
                        <MoveMenuButton />
                    </div>
                    <MoveList />
                </>
            )}
            <MoveField />
        </div>
    )
}

/** The panels of the place or the tool. */
function Panels() {
    if (tool.value === "learn") return null
    if (tool.value === "report") return <ReviewedMoves />
    return (
        <>
            {tool.value !== null && <ToolPanel id={tool.value} />}
            {tool.value === null && place.value !== "analyse" && !isChoosing.value && (
                <section class="panel" aria-label={texts.page.game}>
                    {place.value === "watch" ? <MatchPanel /> : <PlayPanel />}
                </section>
            )}
        </>
    )
}

/** The review, the search in a watched game, or the lines of the analysing AIs. */
function Lines() {
    if (tool.value === "learn") return null
    if (tool.value === "report") return <ToolPanel id="report" />
    if (place.value === "watch") return <Thought />
    if (place.value === "play" || tool.value !== null) return null
    return (
        <section class="panel analysis" aria-label={texts.page.analysis}>
            <AnalysePanel />
        </section>
    )
}

/** The side column in visual order. On a phone the bar and the open moves come last. */
function Column() {
    const [lines, bar, panels] = [<Lines key="lines" />, <Bar key="bar" />, <Panels key="panels" />]
    if (tool.value === "ais") return panels
    if (isChoosingPlayers.value || overlay.value?.isEdited) return <>{[panels, bar]}</>
    const record = <GameRecord key="record" />
    if (place.value === "watch" && tool.value === null && !areMovesOpen.value)
        return <>{[panels, !match.value && lines, record, bar]}</>
    if (isNarrow.value && areMovesOpen.value) return <>{[lines, panels, record, bar]}</>
    return <>{isBarAtBottom.value ? [lines, record, panels, bar] : [lines, record, bar, panels]}</>
}

export function App() {
    useEffect(watchAis, [])
    useEffect(listenToPaste, [])
    useEffect(keepFocus, [])
    useEffect(() => {
        let stopRoute = () => undefined as void
        void begin().then(() => (stopRoute = writeRoute()))
        void resumeMatch()
        const listeners: [string, (event: never) => void][] = [
            ["popstate", onHistoryStep],
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
            stopRoute()
            for (const [name, listener] of listeners)
                removeEventListener(name, listener as EventListener)
            dark.removeEventListener("change", recolor)
        }
    }, [])
    return (
        <>
            <Header>
                <Places
                    current={place.value}
                    tool={tool.value}
                    open={visit}
                    openAis={() => openTool("ais")}
                />
                <SettingsButton />
                <ThemeButton />
                <Menu label={common.more}>
                    <button type="button" class="phone-only" onClick={() => openTool("ais")}>
                        {common.ais}
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
                    <ArenaBack />
                    <Headline />
                    <GameOverActions />
                    <Announcer />
                    <Issues issues={linkIssues.value} />
                    <AiErrorCard />
                    <PasteQuestion />
                    <Inspection />
                    {tool.value === "learn" && <LearnPanel />}
                    <Column />
                </div>
            </main>
            <Preview />
            <MoveMenu />
            <Notice />
            <Settings />
        </>
    )
}
