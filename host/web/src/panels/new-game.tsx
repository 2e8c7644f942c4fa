// The New game card: opponent, clocks, side and starting position.

import { useEffect, useId, useRef } from "preact/hooks"
import type { ComponentChildren } from "preact"
import { aisProblem } from "../ais"
import { chooseStart, start, startChosen, starts } from "../beginnings"
import { Chips } from "../chips"
import { ClockChips } from "../clock"
import { Face } from "../face"
import { AiSelect, LimitField } from "../fields"
import { colorName } from "../format"
import { isOver } from "../game"
import { levelOf, levels, ratingOf } from "../levels"
import {
    aiColor,
    chooseAi,
    chooseFriend,
    chooseLevel,
    chooseLimit,
    chooseSide,
    side,
} from "../opponent"
import { AiOptions } from "../option-fields"
import { hasBegun, openTool } from "../places"
import { aiOf, limitOf, userColor } from "../players"
import { switches } from "../switches"
import { texts } from "../texts/board"

interface TileProps {
    group: string
    name: string
    isWide?: boolean
    /** The strength, or a blank that reserves its place. */
    about?: string
    isChosen: boolean
    choose: () => void
    children: ComponentChildren
}

function Tile({ group, name, isWide, about, isChosen, choose, children }: TileProps) {
    return (
        <label class={`tile${isWide ? " wide" : ""}`}>
            <input type="radio" name={group} checked={isChosen} onChange={choose} />
            {children}
            <span class="tile-name">{name}</span>
            {about && <span class="muted">{about}</span>}
        </label>
    )
}

/**
 * The number of levels in the shipped configuration. Their room is reserved before the server
 * answers.
 */
const usualLevels = 23

function UnknownTiles() {
    return (
        <>
            {Array.from({ length: usualLevels }, (_, index) => (
                <Tile
                    key={index}
                    group=""
                    name=""
                    about="0"
                    isChosen={false}
                    choose={() => undefined}
                >
                    <Face />
                </Tile>
            ))}
        </>
    )
}

function Opponents() {
    const group = useId()
    const tiles = useRef<HTMLFieldSetElement>(null)
    const color = aiColor()
    const { choosesAi } = switches
    const chosen = color && !choosesAi.value ? levelOf(color) : -1
    const isOther = color !== null && chosen < 0
    const scale = levels.value.find((level) => level.scale != null)?.scale
    // On a phone the tiles scroll sideways, so the chosen one may be out of sight.
    useEffect(() => {
        const tile = tiles.current?.querySelector<HTMLElement>(".tile:has(:checked)")
        const center = (element: HTMLElement) => element.clientWidth / 2
        if (tile && tiles.current)
            tiles.current.scrollLeft = tile.offsetLeft + center(tile) - center(tiles.current)
    }, [levels.value.length, color, chosen])
    return (
        <fieldset class="tiles" ref={tiles}>
            <legend>{scale == null ? texts.game.opponent : texts.game.opponentOn(scale)}</legend>
            {levels.value.length === 0 && <UnknownTiles />}
            {levels.value.map((level, index) => (
                <Tile
                    key={index}
                    group={group}
                    name={level.name}
                    about={ratingOf(level)}
                    isChosen={index === chosen}
                    choose={chooseLevel(index)}
                >
                    <Face level={index} />
                </Tile>
            ))}
            <Tile
                group={group}
                name={texts.game.friend}
                isChosen={color === null}
                choose={chooseFriend}
            >
                <Face shape="king" />
            </Tile>
            <Tile
                isWide
                group={group}
                name={texts.game.otherAi}
                isChosen={isOther}
                choose={chooseAi()}
            >
                <Face shape="rook" />
            </Tile>
        </fieldset>
    )
}

/** An AI chosen by name, with its limit and options. */
function OtherAi() {
    const color = aiColor()
    const ai = color && aiOf(color)
    if (!color || !ai || (!switches.choosesAi.value && levelOf(color) >= 0)) return null
    return (
        <div class="technical-body" data-testid="technical">
            <AiSelect label={texts.game.ai} value={ai} change={(id) => chooseAi(id)()} />
            <LimitField of={[ai]} value={limitOf(color)} change={(limit) => chooseLimit(limit)()} />
            <AiOptions key={ai} id={ai} />
        </div>
    )
}

const sides = ["white", "random", "black"] as const

function Sides() {
    if (aiColor() === null) return null
    const shown = side.value === "random" ? "random" : userColor.value
    return (
        <Chips
            legend={texts.game.yourSide}
            chips={sides.map((name) => ({
                label: name === "random" ? texts.game.random : colorName(name),
                isChosen: name === shown,
                choose: chooseSide(name),
            }))}
        />
    )
}

function Starts() {
    return (
        <Chips
            legend={texts.game.startFrom}
            chips={starts.value.map((name) => ({
                label: texts.game.starts[name],
                isChosen: name === start.value,
                choose: () => chooseStart(name),
            }))}
        >
            <button type="button" class="link" onClick={() => openTool("position")}>
                {texts.game.openOrPaste}
            </button>
        </Chips>
    )
}

/** Starts the game. If the user pressed a key to start it, focuses the board. */
function begin({ detail }: MouseEvent): void {
    startChosen()
    if (detail === 0) document.querySelector<SVGElement>(".chessboard")?.focus()
}

export function NewGame() {
    const isKnown = hasBegun.value && (levels.value.length > 0 || aisProblem.value !== null)
    return (
        <section
            class={`new-game${isKnown ? "" : " unknown"}`}
            aria-labelledby="new-game"
            data-testid="new-game"
        >
            <h2 id="new-game">{texts.game.newGame}</h2>
            <Opponents />
            <OtherAi />
            <ClockChips />
            <Starts />
            <div class="start-row">
                <Sides />
                <button type="button" class="primary" onClick={begin} disabled={isOver.value}>
                    {texts.game.start}
                </button>
            </div>
        </section>
    )
}
