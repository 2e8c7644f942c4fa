// The arena's screens. Each has its own URL fragment for links, Back and Forward.

import { signal } from "@preact/signals"
import { keepArenaView } from "../arena-view"

/** The parameters of the list of games, as named in the API. */
const filterNames = ["player", "opponent", "result", "fault", "opening", "before"] as const
export type Filters = Partial<Record<(typeof filterNames)[number], string>>

export type Route =
    { screen: "ladder" } | { screen: "player"; id: number } | { screen: "games"; filters: Filters }

export const ladderLink = "#/"
export const playerLink = (id: number): string => `#/players/${id}`

export function gamesLink(filters: Filters): string {
    const query = queryOf(filters)
    return query ? `#/games?${query}` : "#/games"
}

/** Builds a query string from the non-empty parameters. */
export const queryOf = (parameters: Partial<Record<string, string>>): string =>
    String(
        new URLSearchParams(
            Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, value]] : [])),
        ),
    )

/** Returns the link that opens a game on the board page. */
export const boardLink = (game: number): string => `/#arena=${game}`

/** Returns the filters in a URL fragment. */
export function filtersOf(fragment: string): Filters {
    const given = new URLSearchParams(fragment.split("?")[1])
    const known = filterNames
        .map((name) => [name, given.get(name)] as const)
        .filter(([, value]) => value)
    return Object.fromEntries(known) as Filters
}

function parse(fragment: string): Route {
    const [path = ""] = fragment.replace(/^#/, "").split("?")
    const id = /^\/players\/(\d+)$/.exec(path)?.[1]
    if (id !== undefined) return { screen: "player", id: Number(id) }
    return path === "/games"
        ? { screen: "games", filters: filtersOf(fragment) }
        : { screen: "ladder" }
}

export const route = signal<Route>(parse(location.hash))
keepArenaView(location.hash)
/** Whether the user has left the first screen. */
export let hasNavigated = false

addEventListener("hashchange", () => {
    hasNavigated = true
    route.value = parse(location.hash)
    keepArenaView(location.hash)
})
