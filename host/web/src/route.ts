// The URL of what is shown: its place, its tool and its game, so that links, reloads, back and
// forward work. The game is that of this browser; a link for others has the whole game.

import { effect, untracked } from "@preact/signals"
import { endLesson, lesson } from "./learn"
import { isFollowing } from "./match"
import { isPlace, paramsOfUrl } from "./place-names"
import { enterPlace } from "./places"
import { openGame } from "./recent"
import { switches } from "./switches"
import type { Place, Tool } from "./switches"
import { isEmpty, savedAs, work } from "./work"

const { place, tool } = switches

interface Route {
    place: Place
    tool: Tool | null
    /** The id of a game that has moves. */
    game: string | null
}

const current = (): Route => ({
    place: place.value,
    tool: tool.value,
    game: isEmpty(work()) ? null : savedAs.value.id,
})

function urlOf({ place, tool, game }: Route): string {
    const params = new URLSearchParams({ place })
    if (tool) params.set("tool", tool)
    if (game) params.set("id", game)
    return `#${params}`
}

/** Whether the page goes to where its history says, which is no step of its own. */
let isGoing = false

const isSame = (a: Route, b: Route) => a.place === b.place && a.tool === b.tool && a.game === b.game

/** Whether a step leads away from what was shown: the first move of a game does not. */
const isStep = (before: Route, next: Route) =>
    before.place !== next.place ||
    before.tool !== next.tool ||
    (before.game !== null && !isFollowing.peek())

let shown: Route | null = null

/** Writes what is shown into the history of the browser. */
function write(): void {
    const next = current()
    if (shown && isSame(shown, next)) return
    if (shown && !isGoing && isStep(shown, next)) history.pushState(next, "", urlOf(next))
    // A link keeps the whole game for others.
    else history.replaceState(next, "", isLink() && !isGoing ? location.href : urlOf(next))
    shown = next
}

/** Writes each step into the history of the browser. Returns what stops that. */
export const writeRoute = (): (() => void) =>
    effect(() => {
        void current()
        // A step may change the place, its tool and its game.
        queueMicrotask(() => untracked(write))
    })

/** Whether the URL has or names a game, of anybody. */
export const isLink = (): boolean => {
    const params = paramsOfUrl()
    return ["fen", "moves", "game", "arena"].some((name) => params.has(name))
}

/** Returns the game of this browser that the URL names. */
export const linkedGame = (): string | null => paramsOfUrl().get("id")

/** Goes to what a step of the history showed. */
export async function goToRoute(state: unknown): Promise<void> {
    const route = state as Route | null
    if (!route || !isPlace(route.place)) return
    isGoing = true
    try {
        if (lesson.peek() && route.tool !== "learn") endLesson()
        if (route.place !== place.peek()) enterPlace(route.place)
        if (route.game && route.game !== savedAs.peek().id) await openGame(route.game)
        tool.value = route.tool === "learn" && !lesson.peek() ? null : route.tool
    } finally {
        write()
        isGoing = false
    }
}
