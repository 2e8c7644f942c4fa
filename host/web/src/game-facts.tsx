// Who played a finished or loaded game, where, and how it ended.

import { playerName, resultTag } from "./export"
import { isOver, plies, tags } from "./game"
import { isFollowing } from "./match"
import { userPlaysBoth } from "./players"
import { texts } from "./texts/board"

const isKnown = (value: string | undefined): value is string =>
    value !== undefined && !/^[?.]*$/.test(value)

const results: Record<string, string> = { "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½" }

export function GameFacts() {
    const { White, Black, Event, Site, Date, Round } = tags.value
    const isLoaded = isKnown(White) || isKnown(Black) || isKnown(Event)
    const isPlayed = isOver.value && plies.value.length > 0 && !userPlaysBoth.value
    if (isFollowing.value || !(isLoaded || isPlayed)) return null
    const about = [
        Event,
        isKnown(Round) && Round !== "-" ? texts.game.round(Round) : undefined,
        Site,
        Date,
    ].filter(isKnown)
    const names = `${playerName("white")} – ${playerName("black")}`
    return (
        <p class="game-facts" data-testid="facts" title={[names, ...about].join(", ")}>
            <strong>{names}</strong>
            {results[resultTag()] && <b>{results[resultTag()]}</b>}
            {about.length > 0 && <span class="muted">{about.join(" · ")}</span>}
        </p>
    )
}
