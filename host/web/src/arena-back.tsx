// The way back from a game of the arena to the list or the player that it was opened from.

import { arenaView } from "./arena-view"
import { tags } from "./game"
import { paramsOfUrl } from "./place-names"
import { common } from "./texts/common"

/** Of each game that the arena has played. */
const event = /^rookery arena$/
/** Where a link leads back to that was opened without the arena. */
const allGames = "#/games"
const isLinked = paramsOfUrl().has("arena")

/** Links from a game of the arena to where the visitor came from. */
export function ArenaBack() {
    const { Event: played } = tags.value
    const view = arenaView() ?? (isLinked ? allGames : null)
    // The room of the link is there before its game.
    const isComing = played === undefined && paramsOfUrl().has("arena")
    if (view === null || (!isComing && !event.test(played ?? ""))) return null
    return (
        <a class="arena-back" href={`/arena${view}`}>
            {common.backToArena}
        </a>
    )
}
