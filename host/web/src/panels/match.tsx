// The controls of an AI match: start and pause, pace, and a series with its score.

import { useId } from "preact/hooks"
import { aiName } from "../ais"
import { DraftInput } from "../fields"
import { isOver, plies, result } from "../game"
import * as play from "../play"
import type { Player } from "../players"
import { elo, isSeriesGame, series, seriesLength, startSeries } from "../series"

const maxGames = 200

const nameOf = (player: Player) => (player === "you" ? "You" : aiName(player.ai))

function Score() {
    const now = series.value
    if (!now || now.points.length === 0) return null
    const won = now.points.reduce((sum, point) => sum + point, 0)
    const rating = elo(now.points)
    const sign = rating && rating.difference < 0 ? "−" : "+"
    const difference = rating ? `Elo ${sign}${Math.abs(rating.difference).toFixed(0)} ± ${rating.error.toFixed(0)}` : "Elo unknown while one side has all points"
    return (
        <p class="agreement" role="status" data-testid="score">
            {nameOf(now.first.player)} {won} – {now.points.length - won} {nameOf(now.second.player)}
            <span class="muted">
                {" "}
                after {now.points.length} of {now.length} games. {difference}
            </span>
        </p>
    )
}

function Pace() {
    const id = useId()
    return (
        <div class="field strength">
            <label for={id}>Time per move, at least</label>
            <input
                id={id}
                type="range"
                min={0}
                max={5000}
                step={250}
                value={play.matchDelayMs.value}
                onInput={(event) => (play.matchDelayMs.value = Number(event.currentTarget.value))}
            />
            <output for={id}>{(play.matchDelayMs.value / 1000).toFixed(2).replace(/0$/, "")} s</output>
        </div>
    )
}

export function MatchControls() {
    const isRunning = play.matchRunning.value
    const isNewSeries = seriesLength.value > 1 && !isSeriesGame.value
    const start = () => (isNewSeries ? void startSeries() : play.startMatch())
    const label = isNewSeries ? `Start ${seriesLength.value} games` : plies.value.length > 0 ? "Resume" : "Start"
    return (
        <>
            <div class="buttons" role="group" aria-label="AI match">
                {isRunning ? (
                    <button type="button" class="primary" onClick={play.pauseMatch}>
                        Pause
                    </button>
                ) : (
                    <button type="button" class="primary" onClick={start} disabled={!isNewSeries && isOver.value}>
                        {label}
                    </button>
                )}
                <button type="button" onClick={play.playOneMove} disabled={isRunning || play.isSearching.value || result.value !== null}>
                    Play one move
                </button>
                <label class="games-count">
                    <DraftInput
                        field={{ type: "number", min: 1, max: maxGames }}
                        value={seriesLength.value}
                        commit={(text) => void (seriesLength.value = Math.max(1, Math.min(maxGames, Math.round(Number(text)) || 1)))}
                    />
                    <span>{seriesLength.value === 1 ? "game" : "games"}</span>
                </label>
            </div>
            <Score />
            <Pace />
        </>
    )
}
