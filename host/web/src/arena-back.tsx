// The link from an arena game back to the list or player that it was opened from.

import { arenaView } from "./arena-view"
import { tags } from "./game"
import { paramsOfUrl } from "./place-names"
import { common } from "./texts/common"

/** The event tag of every arena game. */
const event = /^rookery arena$/
/** The target for a game that was not opened from the arena. */
const allGames = "#/games"
const isLinked = paramsOfUrl().has("arena")

/** Links from an arena game to the visitor's last arena screen. */
export function ArenaBack() {
    const { Event: played } = tags.value
    const view = arenaView() ?? (isLinked ? allGames : null)
    // Reserves room for the link until the game has loaded.
    const isComing = played === undefined && paramsOfUrl().has("arena")
    if (view === null || (!isComing && !event.test(played ?? ""))) return null
    return (
        <a class="arena-back" href={`/arena${view}`}>
            {common.backToArena}
        </a>
    )
}
