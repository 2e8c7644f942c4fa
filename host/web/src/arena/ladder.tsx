// The ladder: a row for each player, with all ratings on one scale.

import { Heads, PlayerLink, RatingCell, ScrolledTable } from "./parts"
import { RatingBar, scaleOf, ScaleTicks } from "./scale"
import type { Scale } from "./scale"
import { texts } from "../texts/arena"
import type { Arena, Player } from "../api/types"
import { percent, timeOfDay, undirected } from "./words"

/** A player's special roles, such as anchor. */
export function Marks({ player }: { player: Player }) {
    return (
        <>
            {player.anchor && <span class="mark">{texts.anchor}</span>}
            {player.resting_until && (
                <span class="mark">{texts.restingUntil(timeOfDay(player.resting_until))}</span>
            )}
        </>
    )
}

/**
 * Cells with the class `wide` are hidden on a phone, which has no room for them. The player's
 * screen shows the same values.
 */
function Row({ player, scale }: { player: Player; scale: Scale | null }) {
    return (
        <tr class={player.resting_until ? "resting" : undefined}>
            <td class="number-cell rank">{player.rank}</td>
            <th scope="row">
                <PlayerLink player={player} name={player.player} />
                <span class="about-player">
                    <bdi>{undirected(player.name)}</bdi>
                    {player.version > 1 && ` · ${texts.versionOf(player.version)}`}{" "}
                    <Marks player={player} />
                </span>
            </th>
            <RatingCell rating={player} />
            <td class="bar-cell">
                {scale && <RatingBar scale={scale} rating={player} isAnchor={player.anchor} />}
            </td>
            <td class="number-cell wide">{player.games}</td>
            <td class="number-cell wide">{percent(player.score)}</td>
            <td class="number-cell wide">{player.draws}</td>
            <td class={`number-cell wide${player.faults > 0 ? " error-text" : ""}`}>
                {player.faults}
            </td>
            <td class="number-cell wide">{percent(player.superiority)}</td>
        </tr>
    )
}

export function Ladder({ now }: { now: Arena }) {
    const scale = scaleOf(now.players)
    return (
        <ScrolledTable name={texts.ladder} class="ladder" hint={texts.ladderHint(now.anchored)}>
            <thead>
                <tr>
                    <Heads names={[texts.rank]} class="number-cell" />
                    <Heads names={[texts.ai]} />
                    <Heads names={[texts.elo]} class="number-cell" />
                    <th scope="col" class="bar-cell">
                        <span class="visually-hidden">{texts.errorBar}</span>
                        {scale && <ScaleTicks scale={scale} />}
                    </th>
                    <Heads
                        names={[
                            texts.games,
                            texts.score,
                            texts.draws,
                            texts.faults,
                            texts.superiority,
                        ]}
                        class="number-cell wide"
                    />
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
