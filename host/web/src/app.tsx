// The page: the board, the moves, and what its place has.

import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { aiIds, aiName, watchAis } from "./ais"
import type { Issue } from "./api"
import { areMovesOpen, Bar } from "./bar"
import { Doors, hasDoors } from "./doors"
import { EditLine } from "./edit-line"
import { Issues } from "./fields"
import { loadFile } from "./files"
import { cursor, lastMove, plies, result } from "./game"
import { GameFacts } from "./game-facts"
import { Header } from "./header"
import { GameOverActions, Headline } from "./headline"
import { Inspection } from "./inspect"
import { loadLink } from "./link"
import { isFollowing, resumeMatch } from "./match"
import { Menu } from "./menu"
import { MoveField, MoveList, OpeningName } from "./moves"
import { Notice } from "./notice"
import { AnalysePanel } from "./panels/analyse"
import { PlayPanel, Thought } from "./panels/play"
import { openPlace, openTool, places, prepare } from "./places"
import { aiError, replaceFailedAi, retry } from "./play"
import { Preview } from "./preview"
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

const { place, tool } = switches
const linkIssues = signal<Issue[]>([])

function Places() {
    return (
        <nav class="places" aria-label={texts.page.places}>
            {places.map((id) => (
                <button key={id} type="button" {...(place.value === id ? { "aria-current": "page" as const } : {})} onClick={() => openPlace(id)}>
                    {texts.page.placeNames[id]}
                </button>
            ))}
            <a href="/arena">{texts.page.arena}</a>
        </nav>
    )
}

/** Announces moves and results to screen readers; of a match the score alone. */
function Announcer() {
    if (isFollowing.value) return null
    const last = plies.value[cursor.value - 1]
    return (
        <p class="visually-hidden" aria-live="polite">
            {last && lastMove.value ? texts.game.moveMade(sanText(last.san), lastMove.value.slice(0, 2), lastMove.value.slice(2, 4)) : ""}
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
    linkIssues.value = await loadLink()
}

/** Restores the game or loads that of a link. Without either there is a new game. */
async function begin(): Promise<void> {
    const isLink = !savedSession && location.hash.length > 1
    if (isLink) void followLink()
    if (isLink || (await restoreSession())) return
    prepare()
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

/** The moves of the game, below its opening or its tablebase result. On a phone they open over its lower half. */
function GameRecord() {
    return (
        <div class={`record${areMovesOpen.value ? " open" : ""}`}>
            <GameFacts />
            {hasDoors() ? (
                <Doors />
            ) : (
                <>
                    {hasTablebase.value ? <TablebaseLine /> : <OpeningName />}
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
                <Places />
                <SettingsButton />
                <ThemeButton />
                <Menu label={texts.page.more}>
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
                    {place.value === "analyse" && tool.value === null ? (
                        <section class="panel analysis" aria-label={texts.page.analysis}>
                            <AnalysePanel />
                        </section>
                    ) : (
                        <Thought />
                    )}
                    {!overlay.value?.isEdited && <GameRecord />}
                    <Bar />
                    {tool.value !== null && <ToolPanel id={tool.value} />}
                    {tool.value === null && place.value !== "analyse" && !hasDoors() && (
                        <section class="panel" aria-label={texts.page.game}>
                            <PlayPanel />
                        </section>
                    )}
                </div>
            </main>
            <Preview />
            <Notice />
            <Settings />
        </>
    )
}
