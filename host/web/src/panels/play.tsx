// The Play panel: sides, strength, AI match, undo, resignation and draw claims.

import { batch } from "@preact/signals"
import { useId } from "preact/hooks"
import { aiName, ais } from "../ais"
import type { Color } from "../api"
import { TimeControlField } from "../clock"
import { isPaused, timeControl } from "../clocks"
import { CopyCurl } from "../curl"
import { canRedo, isOver, plies, result, status } from "../game"
import { AiSelect, LimitField } from "../fields"
import { Icon } from "../icon"
import { defaultLevel, levelOf, levels, setAi, setLevel } from "../levels"
import { isFollowing } from "../match"
import { AiOptions } from "../option-fields"
import * as play from "../play"
import { isAiMatch, limitOf, players, playersSettings, setLimit, setSettings, userColor, userPlaysBoth } from "../players"
import { SearchProgressView } from "../search-progress"
import { canUndo, newGame, undo } from "../steps"
import { switches } from "../switches"
import { showsAnalysis } from "../view"
import { claimLabel, colorName } from "../format"
import { MatchControls } from "./match"

const colors = ["white", "black"] as const

function Strength({ color }: { color: Color }) {
    const id = useId()
    const player = players.value[color]
    if (player === "you" || levels.value.length < 2) return null
    const index = levelOf(color)
    const level = levels.value[index]
    return (
        <div class="field strength">
            <label for={id}>{isAiMatch.value ? `Strength of ${colorName(color)}` : "Strength"}</label>
            <input
                id={id}
                type="range"
                min={0}
                max={levels.value.length - 1}
                value={index >= 0 ? index : defaultLevel.value}
                aria-valuetext={level ? [level.name, ...(level.elo === null ? [] : [`${level.elo} Elo`])].join(", ") : "own settings"}
                onChange={(event) => setLevel(color, Number(event.currentTarget.value))}
            />
            <output for={id}>{level ? `${level.name}${level.elo === null ? "" : ` · ${level.elo} Elo`}` : `${aiName(player.ai)}, own settings`}</output>
        </div>
    )
}

const sides = {
    white: "You play White",
    black: "You play Black",
    both: "You play both sides",
    none: "AI against AI",
}
type Side = keyof typeof sides

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
            <label for={id}>Sides</label>
            <select id={id} value={currentSide()} onChange={(event) => chooseSide(event.currentTarget.value as Side)}>
                {Object.entries(sides).map(([side, label]) => (
                    <option key={side} value={side}>
                        {label}
                    </option>
                ))}
            </select>
        </div>
    )
}

function swap(): void {
    const { white, black } = players.value
    const settings = playersSettings.value
    batch(() => {
        play.setPlayer("white", black)
        play.setPlayer("black", white)
        setSettings("white", settings.black)
        setSettings("black", settings.white)
    })
}

function PlayerField({ color }: { color: Color }) {
    const player = players.value[color]
    return (
        <AiSelect
            label={colorName(color)}
            value={player === "you" ? "" : player.ai}
            first={{ value: "", label: "You" }}
            change={(value) => (value === "" ? play.setPlayer(color, "you") : setAi(color, value))}
        />
    )
}

/** The AIs by id, their limits and options. */
function Technical() {
    const chosen = [...new Set(colors.flatMap((color) => {
        const player = players.value[color]
        return player === "you" ? [] : player.ai
    }))]
    const shown = limitOf(players.value.white !== "you" ? "white" : "black")
    return (
        <details
            class="technical"
            data-testid="technical"
            open={switches.technicalOpen.value}
            onToggle={(event) => (switches.technicalOpen.value = event.currentTarget.open)}
        >
            <summary>AIs, search limit and options</summary>
            <div class="technical-body">
                <div class="fields">
                    <PlayerField color="white" />
                    <PlayerField color="black" />
                </div>
                {chosen.map((id) => (
                    <AiOptions key={id} id={id} />
                ))}
                <LimitField of={chosen} value={shown} change={(limit) => colors.forEach((color) => setLimit(color, limit))} />
            </div>
        </details>
    )
}

export function PlayPanel() {
    const claims = result.value || isFollowing.value ? [] : (status.value?.claims ?? [])
    const { showAnalysis } = switches
    return (
        <>
            <div class="fields">
                <Sides />
                <button type="button" class="icon swap" onClick={swap} aria-label="Switch sides" title="Switch sides">
                    <Icon path="M5 8h13M14 4l4 4-4 4M19 16H6M10 12l-4 4 4 4" />
                </button>
                <TimeControlField />
                {colors.map((color) => (
                    <Strength key={color} color={color} />
                ))}
            </div>
            {userPlaysBoth.value && ais.value.length > 0 && (
                <p class="hint">You play both sides. Choose a side to play against an AI, or AI against AI to watch.</p>
            )}
            <MatchControls />
            <div class="buttons">
                <button type="button" onClick={() => newGame()}>
                    New game
                </button>
                <button type="button" onClick={undo} disabled={!canUndo.value || isFollowing.value}>
                    Undo
                </button>
                <button type="button" onClick={play.redoMoves} disabled={!canRedo.value}>
                    Redo
                </button>
                {!isAiMatch.value && (
                    <button type="button" onClick={play.resign} disabled={isOver.value || plies.value.length === 0}>
                        Resign
                    </button>
                )}
                {timeControl.value && !isAiMatch.value && !isOver.value && (
                    <button type="button" onClick={() => (isPaused.value ? (isPaused.value = false) : play.pauseClocks())}>
                        {isPaused.value ? "Resume clocks" : "Pause clocks"}
                    </button>
                )}
                {claims.map((claim) => (
                    <button key={claim} type="button" onClick={() => play.claimDraw(claim)}>
                        {claimLabel(claim)}
                    </button>
                ))}
            </div>
            <Technical />
            <label class="check">
                <input
                    type="checkbox"
                    checked={showsAnalysis.value}
                    onChange={(event) => (showAnalysis.value = event.currentTarget.checked)}
                />
                Show AI analysis
            </label>
            {showsAnalysis.value && play.searchProgress.value && <SearchProgressView progress={play.searchProgress.value} limit={limitOf("black") ?? limitOf("white")} />}
            {showsAnalysis.value && <CopyCurl answer={play.lastReply.value} />}
            {play.fallbackAi.value && (
                <p class="hint">
                    {play.fallbackAi.value.name} answered as the fallback for {aiName(play.fallbackAi.value.fallback_for ?? "")}.
                </p>
            )}
        </>
    )
}
