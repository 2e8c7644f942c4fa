// The places, and the links that open them from other pages.

import type { Place, Tool } from "./switches"

export const places: readonly Place[] = ["play", "analyse", "watch"]
export const isPlace = (text: string | null): text is Place =>
    places.some((place) => place === text)

export const placeLink = (place: Place): string => `/#place=${place}`
export const aisLink = "/#place=play&tool=ais"

export const paramsOfUrl = (): URLSearchParams => new URLSearchParams(location.hash.slice(1))

/** Returns the place in the URL. */
export function placeOfUrl(): Place | null {
    const place = paramsOfUrl().get("place")
    return isPlace(place) ? place : null
}

const tools: readonly Tool[] = ["report", "tree", "position", "ais"]

/** Returns the tool in the URL. A lesson cannot be reopened, so its review opens instead. */
export function toolOfUrl(): Tool | null {
    const named = paramsOfUrl().get("tool")
    return tools.find((tool) => tool === (named === "learn" ? "report" : named)) ?? null
}

/** Whether the URL contains or names a game. */
export const isLink = (): boolean => {
    const params = paramsOfUrl()
    return ["fen", "moves", "game", "arena"].some((name) => params.has(name))
}

/** The place in the URL when the page loaded. */
export const linkedPlace = placeOfUrl()
