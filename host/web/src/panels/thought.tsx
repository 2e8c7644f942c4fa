// The search of the AI whose turn it is in a watched game.

import { gameForm } from "../game"
import { searchProgress } from "../play"
import { aiOf, limitOf } from "../players"
import { newProgress } from "../progress"
import { SearchProgressView } from "../search-progress"

/** Reserves room before the first search, so that nothing moves later. */
export function Thought() {
    const ai = aiOf("white") ?? aiOf("black")
    const progress =
        searchProgress.value ??
        (ai === null ? null : { ...newProgress(ai, gameForm()), done: true })
    if (!progress) return null
    return <SearchProgressView progress={progress} limit={limitOf("black") ?? limitOf("white")} />
}
