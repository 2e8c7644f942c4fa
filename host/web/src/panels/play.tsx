// The panel of a game: sides, strength, clocks, AI match and draw claims.

import { useId } from "preact/hooks"
import { aiName, ais } from "../ais"
import type { Color } from "../api"
import { TimeControlField } from "../clock"
import { isPaused, timeControl } from "../clocks"
import { CopyCurl } from "../curl"
import { gameForm, isOver, plies, result, startTurn, status } from "../game"
import { AiSelect, LimitField } from "../fields"
import { Icon } from "../icon"
import { defaultLevel, levelOf, levels, setAi, setLevel, switchSides } from "../levels"
import { isFollowing } from "../match"
import { AiOptions } from "../option-fields"
import * as play from "../play"
import {
    aiOf,
    isAiMatch,
    limitOf,
    players,
    playersSettings,
    setLimit,
    setSettings,
    userColor,
    userPlaysBoth,
} from "../players"
import { hasBegun } from "../places"
import { newProgress } from "../progress"
import { SearchProgressView } from "../search-progress"
import { newGame } from "../steps"
import { switches } from "../switches"
import { showsAnalysis } from "../view"
import { colorName, reasonText } from "../format"
import { MatchControls } from "./match"
import { texts } from "../texts/board"

const colors = ["white", "black"] as const

function Strength({ color }: { color: Color }) {
    const id = useId()
    const player = players.value[color]
    if (player === "you" || levels.value.length < 2) return null
    const index = levelOf(color)
    const level = levels.value[index]
    return (
        <div class="field strength">
            <label for={id}>
                {isAiMatch.value ? texts.game.strengthOf(color) : texts.game.strength}
            </label>
            <input
                id={id}
                type="range"
                min={0}
                max={levels.value.length - 1}
                value={index >= 0 ? index : defaultLevel.value}
                aria-valuetext={
                    level
                        ? [
                              level.name,
                              ...(level.elo === null ? [] : [texts.game.elo(level.elo)]),
                          ].join(", ")
                        : texts.game.ownSettings
                }
                onChange={(event) => setLevel(color, Number(event.currentTarget.value))}
            />
            <output for={id}>
                {level
                    ? [level.name, ...(level.elo === null ? [] : [texts.game.elo(level.elo)])].join(
                          " · ",
                      )
                    : `${aiName(player.ai)}, ${texts.game.ownSettings}`}
            </output>
        </div>
    )
}

/**
 * Keeps the place of the strengths until the levels are known and the game has begun, so that
 * nothing moves.
 */
function UnknownStrengths() {
    const count = { play: 1, watch: 2, analyse: 0 }[switches.place.value]
    if (
        (levels.value.length > 0 && hasBegun.value) ||
        plies.value.length > 0 ||
        !userPlaysBoth.value
    )
        return null
    return (
        <>
            {colors.slice(0, count).map((color) => (
                <div key={color} class="field strength unknown" aria-hidden="true">
                    <label>&nbsp;</label>
                    <output>&nbsp;</output>
                    <input type="range" disabled />
                </div>
            ))}
        </>
    )
}

type Side = keyof typeof texts.game.sides

function currentSide(): Side {
    if (userPlaysBoth.value) return "both"
    return isAiMatch.value ? "none" : userColor.value
}

/** Gives the sides to the user or to AIs, at the strength that is set. */
function chooseSide(side: Side): void {
    const { white, black } = players.value
    const opponent = black !== "you" ? "black" : white !== "you" ? "white" : null
    const ai = opponent ? players.value[opponent] : "you"
    const settings = playersSettings.value[opponent ?? "black"]
    for (const color of colors) {
        const isUser = side === "both" || side === color
        if (isUser) play.setPlayer(color, "you")
        else if (ai === "you") setLevel(color, defaultLevel.value)
        else if (players.value[color] === "you") {
            play.setPlayer(color, ai)
            setSettings(color, settings)
        }
    }
}

function Sides() {
    const id = useId()
    return (
        <div class="field sides">
            <label for={id}>{texts.game.players}</label>
            <select
                id={id}
                value={currentSide()}
                onChange={(event) => chooseSide(event.currentTarget.value as Side)}
            >
                {Object.entries(texts.game.sides).map(([side, label]) => (
                    <option key={side} value={side}>
                        {label}
                    </option>
                ))}
            </select>
        </div>
    )
}

function PlayerField({ color }: { color: Color }) {
    const player = players.value[color]
    return (
        <AiSelect
            label={colorName(color)}
            value={player === "you" ? "" : player.ai}
            first={{ value: "", label: texts.game.you }}
            change={(value) => (value === "" ? play.setPlayer(color, "you") : setAi(color, value))}
        />
    )
}

/** The AIs by id, their limits and options. */
function Technical() {
    const chosen = [
        ...new Set(
            colors.flatMap((color) => {
                const player = players.value[color]
                return player === "you" ? [] : player.ai
            }),
        ),
    ]
    const shown = limitOf(players.value.white !== "you" ? "white" : "black")
    return (
        <details
            class="technical"
            data-testid="technical"
            open={switches.technicalOpen.value}
            onToggle={(event) => (switches.technicalOpen.value = event.currentTarget.open)}
        >
            <summary>{texts.game.technical}</summary>
            <div class="technical-body">
                <div class="fields">
                    <PlayerField color="white" />
                    <PlayerField color="black" />
                </div>
                {chosen.map((id) => (
                    <AiOptions key={id} id={id} />
                ))}
                <LimitField
                    of={chosen}
                    value={shown}
                    change={(limit) => colors.forEach((color) => setLimit(color, limit))}
                />
            </div>
        </details>
    )
}

/** The sides, their strength and the clocks. */
function Opponents() {
    return (
        <>
            <div class="fields">
                <Sides />
                <button
                    type="button"
                    class="icon swap"
                    onClick={switchSides}
                    aria-label={texts.game.switchSides}
                    title={texts.game.switchSides}
                >
                    <Icon path="M5 8h13M14 4l4 4-4 4M19 16H6M10 12l-4 4 4 4" />
                </button>
                <TimeControlField />
                {colors.map((color) => (
                    <Strength key={color} color={color} />
                ))}
                <UnknownStrengths />
            </div>
            <Technical />
        </>
    )
}

function Shown() {
    const { showAnalysis } = switches
    return (
        <div class="shown">
            <label class="check">
                <input
                    type="checkbox"
                    checked={showsAnalysis.value}
                    onChange={(event) => (showAnalysis.value = event.currentTarget.checked)}
                />
                {texts.game.showAnalysis}
            </label>
            {showsAnalysis.value && <CopyCurl answer={play.lastReply.value} />}
        </div>
    )
}

/** Whether the user may still be choosing: as Black after the first move of the AI too. */
const isBeginning = () =>
    plies.value.length === 0 || (plies.value.length === 1 && aiOf(startTurn.value) !== null)

/** The settings of the game. They are folded once it goes on, and the moves have the room. */
function GameSettings() {
    const { settingsOpen, technicalOpen } = switches
    const isNew = isBeginning()
    const isOpen = isNew || (settingsOpen.value ?? technicalOpen.value)
    const toggle = (event: Event) => {
        event.preventDefault()
        settingsOpen.value = !isOpen
    }
    return (
        <details class="technical" data-testid="settings" open={isOpen}>
            <summary hidden={isNew} onClick={toggle}>
                {texts.game.settings}
            </summary>
            <div class="technical-body">
                <Opponents />
                <Shown />
            </div>
        </details>
    )
}

/** Says how a game of other players fits the place. */
function hint(): string | undefined {
    if (ais.value.length === 0 || !hasBegun.value) return undefined
    if (userPlaysBoth.value) return texts.game.hintBoth
    const isOther = switches.place.value === "watch" && !isAiMatch.value
    return isOther ? texts.game.hintOwn : undefined
}

function GameButtons() {
    const claims = result.value || isFollowing.value ? [] : (status.value?.claims ?? [])
    return (
        <div class="buttons">
            <button type="button" onClick={() => newGame()}>
                {texts.game.newGame}
            </button>
            {timeControl.value && !isAiMatch.value && !isOver.value && (
                <button
                    type="button"
                    onClick={() => (isPaused.value ? (isPaused.value = false) : play.pauseClocks())}
                >
                    {isPaused.value ? texts.game.resumeClocks : texts.game.pauseClocks}
                </button>
            )}
            {claims.map((claim) => (
                <button key={claim} type="button" onClick={() => play.claimDraw(claim)}>
                    {texts.game.claimDraw(reasonText(claim))}
                </button>
            ))}
        </div>
    )
}

export function PlayPanel() {
    return (
        <>
            {hint() && <p class="hint">{hint()}</p>}
            <MatchControls />
            <GameButtons />
            <GameSettings />
            {play.fallbackAi.value && (
                <p class="hint">
                    {texts.game.fallback(
                        play.fallbackAi.value.name,
                        aiName(play.fallbackAi.value.fallback_for ?? ""),
                    )}
                </p>
            )}
        </>
    )
}

/**
 * What the AI of the game thinks. It has its place before the first search, so that nothing moves.
 */
export function Thought() {
    const ai = aiOf("white") ?? aiOf("black")
    const progress =
        play.searchProgress.value ??
        (ai === null ? null : { ...newProgress(ai, gameForm()), done: true })
    if (!showsAnalysis.value || !progress) return null
    return <SearchProgressView progress={progress} limit={limitOf("black") ?? limitOf("white")} />
}
