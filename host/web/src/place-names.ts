// The places, and the links that open them from other pages.

import type { Place } from "./switches"

export const places: readonly Place[] = ["play", "analyse", "watch"]
export const isPlace = (text: string | null): text is Place =>
    places.some((place) => place === text)

export const placeLink = (place: Place): string => `/#place=${place}`

/**
 * Returns the place that the fragment of the page's URL names, and removes it: it is no link to a
 * game.
 */
export function takeLinkedPlace(): Place | null {
    const place = new URLSearchParams(location.hash.slice(1)).get("place")
    if (!isPlace(place)) return null
    history.replaceState(null, "", location.pathname)
    return place
}

/** The place that the page was opened with. */
export const linkedPlace = takeLinkedPlace()
