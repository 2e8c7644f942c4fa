// What the AI of a watched game thinks.

import { gameForm } from "../game"
import { searchProgress } from "../play"
import { aiOf, limitOf } from "../players"
import { newProgress } from "../progress"
import { SearchProgressView } from "../search-progress"

/** It has its place before the first search, so that nothing moves. */
export function Thought() {
    const ai = aiOf("white") ?? aiOf("black")
    const progress =
        searchProgress.value ??
        (ai === null ? null : { ...newProgress(ai, gameForm()), done: true })
    if (!progress) return null
    return <SearchProgressView progress={progress} limit={limitOf("black") ?? limitOf("white")} />
}
