// The ladder: a row for each player, with its rating on one common scale.

import { formatTime } from "../format"
import { Heads, PlayerLink, ScrolledTable } from "./parts"
import { RatingBar, scaleOf, ScaleTicks } from "./scale"
import type { Scale } from "./scale"
import type { Arena, Player } from "./types"
import { percent, ratingText, timeOfDay } from "./words"

/** What is special about a player. */
export function Marks({ player }: { player: Player }) {
    return (
        <>
            {player.anchor && <span class="mark">anchor</span>}
            {player.resting_until && <span class="mark">resting until {timeOfDay(player.resting_until)}</span>}
        </>
    )
}

/** The class `wide` marks cells that a phone has no room for; the player's screen has them. */
function Row({ player, scale }: { player: Player; scale: Scale | null }) {
    return (
        <tr class={player.resting_until ? "resting" : undefined}>
            <td class="number-cell">{player.rank}</td>
            <th scope="row">
                <PlayerLink player={player} name={player.player} />
                <span class="about-player">
                    {player.name} <Marks player={player} />
                </span>
            </th>
            <td class="number-cell wide">{player.version}</td>
            <td class="number-cell rating">{ratingText(player)}</td>
            <td class="bar-cell">{scale && <RatingBar scale={scale} rating={player} isAnchor={player.anchor} />}</td>
            <td class="number-cell wide">{player.games}</td>
            <td class="number-cell wide">{percent(player.score)}</td>
            <td class="number-cell wide">{player.draws}</td>
            <td class={`number-cell wide${player.faults > 0 ? " error-text" : ""}`}>{player.faults}</td>
            <td class="number-cell wide">{player.mean_depth?.toFixed(1) ?? "–"}</td>
            <td class="number-cell wide">{player.mean_ms === null ? "–" : formatTime(Math.round(player.mean_ms))}</td>
            <td class="number-cell wide">{percent(player.superiority)}</td>
        </tr>
    )
}

export function Ladder({ now }: { now: Arena }) {
    const scale = scaleOf(now.players)
    const fixed = now.anchored ? "An anchor has a fixed rating." : "Without an anchor, ratings are relative to an average of 1500."
    return (
        <ScrolledTable name="Ladder" class="ladder" hint={`The bars show the 95 % intervals of the ratings, on one scale. ${fixed}`}>
            <thead>
                <tr>
                    <Heads names={["Rank"]} class="number-cell" />
                    <Heads names={["AI"]} />
                    <Heads names={["Version"]} class="number-cell wide" />
                    <Heads names={["Elo"]} class="number-cell" />
                    <th scope="col" class="bar-cell">
                        <span class="visually-hidden">Error bar</span>
                        {scale && <ScaleTicks scale={scale} />}
                    </th>
                    <Heads names={["Games", "Score", "Draws", "Faults", "Depth", "Time a move", "Better than next"]} class="number-cell wide" />
                </tr>
            </thead>
            <tbody>
                {now.players.map((player) => (
                    <Row key={player.id} player={player} scale={scale} />
                ))}
            </tbody>
        </ScrolledTable>
    )
}
