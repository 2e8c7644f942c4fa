// The Play panel: players, search limit, AI match, undo, resignation and draw claims.

import { aiName, ais } from "../ais"
import type { Color } from "../api"
import { plies, status } from "../game"
import { AiSelect, Icon, LimitField } from "../fields"
import { AiOptions } from "../option-fields"
import * as play from "../play"
import { SearchProgressView } from "../search-progress"
import { showAnalysis } from "../view"
import { claimLabel, colorName } from "../format"

function PlayerField({ color }: { color: Color }) {
    const player = play.players.value[color]
    const change = (value: string) => play.setPlayer(color, value === "" ? "you" : { ai: value })
    return (
        <AiSelect
            label={colorName(color)}
            value={player === "you" ? "" : player.ai}
            first={{ value: "", label: "You" }}
            change={change}
        />
    )
}

/** Returns the AIs that play, without duplicates. */
const aisPlaying = () => [...new Set(Object.values(play.players.value).flatMap((player) => (player === "you" ? [] : player.ai)))]

function swap(): void {
    const { white, black } = play.players.value
    play.setPlayer("white", black)
    play.setPlayer("black", white)
}

function MatchControls() {
    const isRunning = play.matchRunning.value
    return (
        <div class="buttons" role="group" aria-label="AI match">
            {isRunning ? (
                <button type="button" class="primary" onClick={play.pauseMatch}>
                    Pause
                </button>
            ) : (
                <button type="button" class="primary" onClick={play.startMatch} disabled={play.result.value !== null}>
                    {plies.value.length > 0 ? "Resume" : "Start"}
                </button>
            )}
            <button type="button" onClick={play.playOneMove} disabled={isRunning || play.isSearching.value || play.result.value !== null}>
                Play one move
            </button>
        </div>
    )
}

export function PlayPanel() {
    const claims = play.result.value ? [] : (status.value?.claims ?? [])
    const isOver = play.result.value !== null
    const chosen = aisPlaying()
    return (
        <>
            <div class="fields">
                <PlayerField color="white" />
                <button type="button" class="icon swap" onClick={swap} aria-label="Switch sides" title="Switch sides">
                    <Icon path="M5 8h13M14 4l4 4-4 4M19 16H6M10 12l-4 4 4 4" />
                </button>
                <PlayerField color="black" />
            </div>
            {play.userPlaysBoth.value && ais.value.length > 0 && (
                <p class="hint">You play both sides. Choose an AI for one side to play against it, or for both to watch.</p>
            )}
            {chosen.map((id) => (
                <AiOptions key={id} id={id} />
            ))}
            <LimitField of={chosen} value={play.limit.value} change={(limit) => (play.limit.value = limit)} />
            {play.isAiMatch.value && <MatchControls />}
            <div class="buttons">
                <button type="button" onClick={() => play.newGame()}>
                    New game
                </button>
                <button type="button" onClick={play.undo} disabled={!play.canUndo.value}>
                    Undo
                </button>
                {!play.isAiMatch.value && (
                    <button type="button" onClick={play.resign} disabled={isOver || plies.value.length === 0}>
                        Resign
                    </button>
                )}
                {claims.map((claim) => (
                    <button key={claim} type="button" onClick={() => play.claimDraw(claim)}>
                        {claimLabel(claim)}
                    </button>
                ))}
            </div>
            <label class="check">
                <input
                    type="checkbox"
                    checked={showAnalysis.value}
                    onChange={(event) => (showAnalysis.value = event.currentTarget.checked)}
                />
                Show AI analysis
            </label>
            {showAnalysis.value && play.searchProgress.value && <SearchProgressView progress={play.searchProgress.value} limit={play.limit.value} />}
            <details class="explained">
                <summary>Keyboard shortcuts</summary>
                <p>
                    ← and → step through the game, Home and End go to its start and end, f flips the board. On the board, the arrow keys
                    select a square, Enter picks up or drops a piece, and i shows its legal moves. A long press or a right click does the same.
                </p>
            </details>
            {play.fallbackAi.value && (
                <p class="hint">
                    {play.fallbackAi.value.name} answered as the fallback for {aiName(play.fallbackAi.value.fallback_for ?? "")}.
                </p>
            )}
        </>
    )
}
