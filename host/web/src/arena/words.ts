// Players, ratings, records and results as visible text.

import { isolated, undirected } from "../bidi"
import { reasonText, resultOfTermination, resultText, sentence, signed, textOf } from "../format"
import { locale } from "../language"
import { texts } from "../texts/arena"
import { common } from "../texts/common"
import { arena as english } from "../texts/en/arena"
import type { PlayerReference, Rating, StateReply, Tally } from "../api/types"

export { isolated, undirected }

export const nameOf = ({ player, version }: PlayerReference): string =>
    version > 1 ? texts.playerVersion(isolated(player), version) : isolated(player)

const noBreak = "\u00a0"

/** Formats a share. Only a full share rounds to 100%. */
export function percent(share: number | null): string {
    if (share === null) return "–"
    return common.percent(share < 1 && share >= 0.995 ? "> 99" : (share * 100).toFixed(0))
}

/** Formats the error of a rating. */
export const errorText = ({ error }: Rating): string => `±${noBreak}${(error ?? 0).toFixed(0)}`

export const ratingText = ({ elo, error }: Rating): string =>
    elo === null ? "–" : `${elo.toFixed(0)} ${errorText({ elo, error })}`

export const differenceText = (difference: { elo: number; error: number } | null): string =>
    difference ? `${signed(difference.elo, 0)} ±${noBreak}${difference.error.toFixed(0)}` : "–"

/** Formats wins, draws and losses: `3–1–2`. */
export const tallyText = ({ wins, draws, losses }: Tally): string => `${wins}–${draws}–${losses}`

export const tallyWords = ({ wins, draws, losses }: Tally): string =>
    texts.tally(wins, draws, losses)

export const sumOf = (tallies: readonly Tally[]): Tally =>
    tallies.reduce(
        (sum, { wins, draws, losses }) => ({
            wins: sum.wins + wins,
            draws: sum.draws + draws,
            losses: sum.losses + losses,
        }),
        { wins: 0, draws: 0, losses: 0 },
    )

export const gameCountOf = ({ wins, draws, losses }: Tally): number => wins + draws + losses
/** The points per game, from 0 to 1; null before the first game. */
export const shareOf = (tally: Tally): number | null =>
    gameCountOf(tally) > 0 ? (tally.wins + tally.draws / 2) / gameCountOf(tally) : null

/** Describes a game's result without the players: `White wins by checkmate`. */
export const endResult = (result: string, termination: string): string =>
    undirected(resultText(resultOfTermination(result, termination)))

/** Describes a game's result with the players: `nnue1 beat basic1 by checkmate`. */
export function endText(
    white: PlayerReference,
    black: PlayerReference,
    result: string,
    termination: string,
): string {
    const { winner, reason } = resultOfTermination(result, termination)
    const [first, second] = winner === "black" ? [black, white] : [white, black]
    return (winner === null ? texts.drew : texts.beat)(
        nameOf(first),
        nameOf(second),
        isolated(reasonText(reason)),
    )
}

/** Translates the server's English reason for a pause. */
function stateReason(reason: string): string {
    const able = /^\d(?= of 2 players can play$)/.exec(reason)?.[0]
    if (able !== undefined) return texts.ablePlayers(Number(able))
    const code = Object.entries(english.stateReasons).find(([, words]) => words === reason)?.[0]
    return code ? texts.stateReasons[code as keyof typeof english.stateReasons] : reason
}

export const stateText = ({ state, reason }: StateReply): string =>
    reason
        ? texts.stateFor(texts.states[state], sentence(stateReason(reason)))
        : texts.states[state]

export const faultText = (code: string): string =>
    textOf(texts.faultTexts, code) ?? texts.faultTexts.ai_failed

/** The move number of a ply. */
export const moveOfPly = (ply: number): number => Math.ceil(ply / 2)

export const timeOfDay = (time: string): string =>
    new Date(time).toLocaleTimeString(locale(), { timeStyle: "short" })
export const dayText = (time: string): string =>
    new Date(time).toLocaleDateString(locale(), { dateStyle: "medium" })
export const timeText = (time: string): string =>
    new Date(time).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" })
