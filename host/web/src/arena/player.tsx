// A player's screen: its record against each opponent, its faults and its versions.

import { colorName, fixed, formatTime } from "../format"
import { Problem } from "../api"
import { DownloadGames } from "./download"
import { Marks } from "./ladder"
import { arena, useReply } from "./ladder-data"
import {
    AdminActions,
    ErrorText,
    Figures,
    Heading,
    Heads,
    PlayerLink,
    RatingCell,
    ScrolledTable,
} from "./parts"
import { boardLink, gamesLink, playerLink } from "./route"
import { texts } from "../texts/arena"
import { common } from "../texts/common"
import type {
    Fault,
    Opponent,
    Player,
    PlayerRecord,
    PlayerReference,
    Tally,
    Version,
} from "../api/types"
import { VersionCurve } from "./version-curve"
import {
    dayText,
    differenceText,
    faultText,
    gameCountOf,
    isolated,
    moveOfPly,
    nameOf,
    percent,
    ratingText,
    shareOf,
    sumOf,
    tallyText,
    tallyWords,
    timeText,
    undirected,
} from "./words"

function Summary({ player }: { player: Player }) {
    return (
        <section class="card summary" aria-label={texts.summary}>
            <header>
                <p>
                    {texts.nameAndVersion(isolated(player.name), player.version)}{" "}
                    <Marks player={player} />{" "}
                    <span class="fingerprint" title={texts.fingerprint}>
                        {player.fingerprint.slice(0, 16)}
                    </span>
                </p>
                <DownloadGames filters={{ player: String(player.id) }} name={nameOf(player)} />
            </header>
            <Figures
                of={[
                    [texts.rank, player.rank ?? texts.earlierVersion],
                    [texts.elo, ratingText(player)],
                    [
                        texts.games,
                        <a href={gamesLink({ player: String(player.id) })}>{player.games}</a>,
                    ],
                    [texts.score, percent(player.score)],
                    [texts.wonDrawnLost, tallyText(player)],
                    [texts.faults, player.faults],
                    [texts.depth, player.mean_depth === null ? "–" : fixed(player.mean_depth, 1)],
                    [
                        texts.timePerMove,
                        player.mean_ms === null ? "–" : formatTime(Math.round(player.mean_ms)),
                    ],
                    [texts.superiority, percent(player.superiority)],
                ]}
            />
            <AdminActions<{ player: PlayerReference }>
                actions={[
                    {
                        label: texts.rateNow,
                        path: `/v1/arena/players/${player.id}/rate-now`,
                        done: (reply) => texts.ratedFirst(nameOf(reply.player)),
                    },
                ]}
            />
        </section>
    )
}

/** A record: wins, draws, losses and the score. */
function TallyCell({ tally }: { tally: Tally }) {
    return (
        <td class="number-cell">
            <span aria-hidden="true">{tallyText(tally)}</span>
            <span class="visually-hidden">{tallyWords(tally)}</span>{" "}
            <span class="muted wide">{percent(shareOf(tally))}</span>
        </td>
    )
}

function Opponents({ id, opponents }: { id: number; opponents: readonly Opponent[] }) {
    const [white, black] = [
        sumOf(opponents.map(({ white }) => white)),
        sumOf(opponents.map(({ black }) => black)),
    ]
    return (
        <ScrolledTable name={texts.opponents} class="opponents" hint={texts.opponentsHint}>
            <thead>
                <tr>
                    <Heads names={[texts.opponent]} />
                    <Heads
                        names={[texts.games, texts.score, texts.asWhite, texts.asBlack]}
                        class="number-cell"
                    />
                </tr>
            </thead>
            <tbody>
                {opponents.map(({ opponent, games, score, white, black }) => (
                    <tr key={opponent.id}>
                        <th scope="row">
                            <PlayerLink player={opponent} />
                        </th>
                        <td class="number-cell">
                            <a
                                href={gamesLink({
                                    player: String(id),
                                    opponent: String(opponent.id),
                                })}
                            >
                                {games}{" "}
                                <span class="visually-hidden">
                                    {texts.gamesAgainst(nameOf(opponent))}
                                </span>
                            </a>
                        </td>
                        <td class="number-cell">{percent(score)}</td>
                        <TallyCell tally={white} />
                        <TallyCell tally={black} />
                    </tr>
                ))}
            </tbody>
            <tfoot>
                <tr>
                    <th scope="row">{texts.all}</th>
                    <td class="number-cell">{gameCountOf(sumOf([white, black]))}</td>
                    <td class="number-cell">{percent(shareOf(sumOf([white, black])))}</td>
                    <TallyCell tally={white} />
                    <TallyCell tally={black} />
                </tr>
            </tfoot>
        </ScrolledTable>
    )
}

function Faults({ faults }: { faults: readonly Fault[] }) {
    const hasDetails = faults.some(({ details }) => details !== undefined)
    return (
        <ScrolledTable name={texts.faults} class="faults" hint={texts.faultsHint}>
            <thead>
                <tr>
                    <Heads names={[texts.game]} />
                    <Heads names={[texts.move]} class="number-cell" />
                    <Heads
                        names={[
                            texts.fault,
                            texts.as,
                            texts.opponent,
                            ...(hasDetails ? [texts.details] : []),
                        ]}
                    />
                </tr>
            </thead>
            <tbody>
                {faults.map(({ game, ply, code, color, opponent, details }) => (
                    <tr key={game}>
                        <th scope="row">
                            <a href={boardLink(game)}>{game}</a>
                        </th>
                        <td class="number-cell">{moveOfPly(ply)}</td>
                        <td>{faultText(code)}</td>
                        <td>{colorName(color)}</td>
                        <td>
                            <PlayerLink player={opponent} />
                        </td>
                        {hasDetails && (
                            <td class="details">
                                <bdi>{undirected(details ?? "")}</bdi>
                            </td>
                        )}
                    </tr>
                ))}
            </tbody>
        </ScrolledTable>
    )
}

function Versions({ of, versions }: { of: Player; versions: readonly Version[] }) {
    return (
        <>
            <ScrolledTable name={texts.versions} class="versions" hint={texts.versionsHint}>
                <thead>
                    <tr>
                        <Heads names={[texts.version, texts.since]} />
                        <Heads
                            names={[texts.games, texts.elo, texts.difference]}
                            class="number-cell"
                        />
                    </tr>
                </thead>
                <tbody>
                    {versions.map((version) => (
                        <tr key={version.id}>
                            <th scope="row">
                                {version.id === of.id ? (
                                    version.version
                                ) : (
                                    <a href={playerLink(version.id)}>{version.version}</a>
                                )}
                            </th>
                            <td class="time" title={timeText(version.since)}>
                                {dayText(version.since)}
                            </td>
                            <td class="number-cell">{version.games}</td>
                            <RatingCell rating={version} />
                            <td class="number-cell rating">{differenceText(version.difference)}</td>
                        </tr>
                    ))}
                </tbody>
            </ScrolledTable>
            <VersionCurve versions={versions} />
        </>
    )
}

export function PlayerScreen({ id }: { id: number }) {
    const { reply, error } = useReply<PlayerRecord>(`/v1/arena/players/${id}`)
    const isUnknown = error instanceof Problem && error.body.status === 404
    const player = reply?.player ?? arena.value?.players.find((player) => player.id === id)
    return (
        <>
            <Heading title={player ? nameOf(player) : texts.playerNumber(id)} />
            {isUnknown && <p role="alert">{texts.noPlayer(id)}</p>}
            {error !== null && !isUnknown && <ErrorText error={error} />}
            {!reply && error === null && <p class="hint">{common.loading}</p>}
            {reply && (
                <>
                    <Summary player={reply.player} />
                    <div class="columns record">
                        {reply.opponents.length > 0 ? (
                            <Opponents id={id} opponents={reply.opponents} />
                        ) : (
                            <p class="hint">{texts.noGamesYet}</p>
                        )}
                        <div class="beside">
                            <Versions of={reply.player} versions={reply.versions} />
                        </div>
                        {reply.faults.length > 0 && <Faults faults={reply.faults} />}
                    </div>
                </>
            )}
        </>
    )
}
