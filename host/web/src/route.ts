// The URL of the open place, tool and game, for links, reloads, Back and Forward. It names a game
// in this browser. A shared link contains the whole game.

import { effect, untracked } from "@preact/signals"
import { endLesson, lesson } from "./learn"
import { isFollowing } from "./match"
import { isLink, isPlace, paramsOfUrl } from "./place-names"
import { enterPlace } from "./places"
import { openGame } from "./recent"
import { switches } from "./switches"
import type { Place, Tool } from "./switches"
import { isEmpty, savedAs, work } from "./work"

const { place, tool } = switches

interface Route {
    place: Place
    tool: Tool | null
    /** The id of a game with moves. */
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

/** Whether the page is following its history. Meanwhile it does not add history entries. */
let isGoing = false

const isSame = (a: Route, b: Route) => a.place === b.place && a.tool === b.tool && a.game === b.game

/** Whether a change adds a history entry. A game's first move does not. */
const isStep = (before: Route, next: Route) =>
    before.place !== next.place ||
    before.tool !== next.tool ||
    (before.game !== null && !isFollowing.peek())

let shown: Route | null = null

/** Writes the current view to the browser's history. */
function write(): void {
    const next = current()
    if (shown && isSame(shown, next)) return
    if (shown && !isGoing && isStep(shown, next)) history.pushState(next, "", urlOf(next))
    // A URL that contains the complete game is kept, so that it can be shared.
    else history.replaceState(next, "", isLink() && !isGoing ? location.href : urlOf(next))
    shown = next
}

/** Writes each step to the browser's history. Returns a function that stops it. */
export const writeRoute = (): (() => void) =>
    effect(() => {
        void current()
        // One step may change the place, the tool and the game.
        queueMicrotask(() => untracked(write))
    })

/** Returns the id of this browser's game in the URL. */
export const linkedGame = (): string | null => paramsOfUrl().get("id")

/** Shows the view of a history entry. */
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
