// The places: Play, Analyse and Watch. Each has its own game, which waits while another place
// is open. An analysis is a copy, so the original game is unchanged.

import { batch, signal } from "@preact/signals"
import { gameTags } from "./export"
import { addLine, annotate, goToNode, makeMainLine, nodeAfter, plies, startGame } from "./game"
import { defaultLevel, levels, setLevel } from "./levels"
import { applyChoice } from "./opponent"
import { isLink, isPlace, linkedPlace, toolOfUrl } from "./place-names"
import { setUserForBoth } from "./play"
import { isAiMatch } from "./players"
import { openEditor } from "./setup"
import { local } from "./storage"
import { switches } from "./switches"
import type { Place, Tool } from "./switches"
import { nodeOf, rootId } from "./tree"
import { isEmpty, newPlace, setWork, work } from "./work"
import type { Work } from "./work"

const { place, tool } = switches

const storageKey = "place"
// Chosen at once, so that nothing moves after the first frame.
const first = linkedPlace ?? (isLink() ? "analyse" : local.get(storageKey))
if (isPlace(first)) place.value = first
if (linkedPlace) tool.value = toolOfUrl()
function remember(next: Place): void {
    local.set(storageKey, next)
}

/** The suspended work of each place. */
export type Waiting = Partial<Record<Place, Work>>
let waiting: Waiting = {}
/** Returns the work of the places that are not open, to save it. */
export const waitingWork = (): Waiting => waiting
export function setWaitingWork(saved: Waiting): void {
    waiting = saved
}

/** Opens a place. Each place has its own game. */
export function enterPlace(next: Place): void {
    const before = place.peek()
    if (next !== before) waiting[before] = work()
    remember(next)
    // Not in one batch, because the previous place's game must not continue in this place.
    tool.value = null
    if (next === before) return
    place.value = next
    const known = waiting[next]
    delete waiting[next]
    // A person's game that has not started follows the last choice.
    const isChosenAnew = next === "play" && known && !known.hasStarted && isEmpty(known)
    if (known && !isChosenAnew) return setWork(known)
    startGame()
    setUserForBoth()
    prepare()
}

/** Opens a place at the user's request. Analyse starts with the game on the board. */
export function openPlace(next: Place): void {
    if (next === "analyse" && place.peek() !== next && !isEmpty(work())) analyseGame()
    else enterPlace(next)
}

/** Analyses the game on the board, from the current position. */
export function analyseGame(): void {
    const source = work()
    if (source.place === "analyse") return enterPlace("analyse")
    const known = waiting.analyse
    waiting.analyse =
        known?.copyOf === source.savedAs.id ? { ...known, setup: null } : copyOf(source)
    enterPlace("analyse")
    addMovesOf(source)
}

const user = { limit: null, options: {} }

function copyOf(source: Work): Work {
    const { Result, SetUp, FEN, Variant, ...tags } = gameTags()
    return {
        ...source,
        place: "analyse",
        savedAs: newPlace(),
        copyOf: source.savedAs.id,
        game: { ...source.game, tags, undone: [] },
        clocks: { control: null, chosenAt: 0, isPaused: false, usedMs: 0 },
        players: { white: "you", black: "you" },
        playersSettings: { white: user, black: user },
        setup: null,
    }
}

/** Adds the moves played since the copy was made, and shows the game's current position. */
function addMovesOf({ game }: Work): void {
    const nodes = new Map(game.nodes.map((node) => [node.id, node]))
    const moves = game.line.slice(1).map((id) => nodeOf(nodes, id))
    addLine(rootId, moves)
    const after = (count: number) =>
        nodeAfter({ fen: game.start, moves: moves.slice(0, count).map(({ uci }) => uci) })
    const [end, shown] = [after(moves.length), after(game.cursor)]
    const result = moves.at(-1)?.result
    // Puts the game before the analysed variations.
    if (end !== null) makeMainLine(end)
    if (end !== null && result) annotate(end, { result })
    if (shown !== null) goToNode(shown)
}

/** Opens the review of the game on the board. */
export function openReview(): void {
    analyseGame()
    openTool("report")
}

export function openTool(next: Tool | null): void {
    tool.value = next
}

export function setUpPosition(): void {
    openEditor()
    openTool("position")
}

/** Whether this visit's game has been restored, loaded or prepared. */
export const hasBegun = signal(false)

/** Assigns the sides of a new game to this place's players. */
export function prepare(): void {
    if (place.peek() === "analyse") return setUserForBoth()
    whenLevelsAreKnown(() => {
        if (plies.peek().length > 0) return
        if (place.peek() === "play") applyChoice()
        if (place.peek() === "watch" && !isAiMatch.peek()) setMatch()
    })
}

/** Gives the sides to two neighbouring levels. */
function setMatch(): void {
    const white = defaultLevel.peek()
    batch(() => {
        setLevel("white", white)
        setLevel("black", white + 1 < levels.peek().length ? white + 1 : Math.max(0, white - 1))
    })
}

function whenLevelsAreKnown(act: () => void): void {
    let isDone = false
    const stop = levels.subscribe((known) => {
        if (known.length === 0 || isDone) return
        isDone = true
        queueMicrotask(() => {
            stop()
            act()
        })
    })
}
