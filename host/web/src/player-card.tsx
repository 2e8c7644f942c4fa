// A player next to the board: emblem, name, strength, captured pieces and clock in one line.

import { isolated } from "./bidi"
import { ais } from "./ais"
import type { Color } from "./api"
import { Clock } from "./clock"
import { playerName } from "./export"
import { StateDot } from "./fields"
import { plies, result, tags, turn, turnAfter } from "./game"
import { faceOf } from "./face"
import { levelOf } from "./levels"
import { levelFor } from "./opponent-name"
import { isSearching } from "./play"
import { aiToMoveAtEnd, players, userPlaysBoth } from "./players"
import { material } from "./view"
import { colorName, pieceName } from "./format"
import { texts } from "./texts/board"

const shapes = ["knight", "bishop", "rook", "queen"] as const

/**
 * Returns a player's emblem: a king for a person, a face for a level, and for another AI a piece
 * chosen by its id.
 */
function emblem(color: Color, ai: string | undefined): string {
    if (ai === undefined) return "shape-king"
    const level = levelOf(color)
    if (level >= 0) return faceOf(level)
    const sum = [...ai].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0)
    return `shape-${shapes[sum % shapes.length]}`
}

/** Returns a player's strength: the level's Elo, or the rating in the PGN. */
function strength(color: Color, isAi: boolean): string {
    if (!isAi) {
        const rating = tags.value[color === "white" ? "WhiteElo" : "BlackElo"] ?? ""
        return /^\d+$/.test(rating) ? rating : ""
    }
    return String(levelFor(color)?.elo ?? "")
}

function Captured({ color }: { color: Color }) {
    const captured = material.value[color === "white" ? "black" : "white"]
    const ahead = material.value.ahead * (color === "white" ? 1 : -1)
    return (
        <span class="captured">
            <span
                class="captured-pieces"
                role="img"
                aria-label={
                    captured.length > 0
                        ? texts.game.captured(captured.map(pieceName).join(", "))
                        : texts.game.noCaptures
                }
            >
                {captured.map((piece, index) => (
                    <svg key={index} viewBox="0 0 40 40" aria-hidden="true">
                        <use href={`#${piece}`} />
                    </svg>
                ))}
            </span>
            {ahead > 0 && <span class="muted">+{ahead}</span>}
        </span>
    )
}

export function PlayerCard({ color }: { color: Color }) {
    const player = players.value[color]
    const ai = player === "you" ? undefined : ais.value.find((ai) => ai.id === player.ai)
    const isToMove = turn.value === color && !result.value
    const isThinking =
        isSearching.value && aiToMoveAtEnd.value !== null && turnAfter(plies.value.length) === color
    const isNamed = tags.value.White !== undefined || tags.value.Black !== undefined
    const name =
        player !== "you" || (userPlaysBoth.value && isNamed)
            ? playerName(color)
            : userPlaysBoth.value
              ? colorName(color)
              : texts.game.you
    return (
        <div class={`player${isToMove ? " to-move" : ""}`} data-testid={`player-${color}`}>
            <span class={`disc ${color}`} aria-hidden="true">
                <svg viewBox="0 0 40 40">
                    <use href={`#${emblem(color, ai?.id)}`} />
                </svg>
            </span>
            <strong title={isolated(name)}>{isolated(name)}</strong>
            <span class="muted">{strength(color, player !== "you")}</span>
            {ai && <StateDot state={ai.state} />}
            {isThinking && <span class="pulse" aria-hidden="true" />}
            <Captured color={color} />
            <Clock color={color} />
        </div>
    )
}
