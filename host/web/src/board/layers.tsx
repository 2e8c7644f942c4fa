// The squares, coordinates, marks and arrows of the board.

import type { Color } from "../api"
import type { ShapeColor } from "../tree"
import { cornerOf, isDark, squareIn, squareNames, tile } from "./geometry"

/** A mark on a square. */
export interface Mark {
    square: string
    kind:
        | "last"
        | "check"
        | "issue"
        | "reachable"
        | "illegal"
        | "inspected"
        | "from"
        | "target"
        | "capture"
        | "premove"
        | "circle"
        | "control-white"
        | "control-black"
        | "contested"
    color?: ShapeColor
}

/** An arrow. The kind `best` is for the first line, and `drawn` is for the user's arrows. */
export interface Arrow {
    from: string
    to: string
    kind: "best" | "second" | "other" | "better" | "threat" | "drawn"
    color?: ShapeColor
}

export function Squares({ orientation }: { orientation: Color }) {
    return (
        <g class="squares">
            {squareNames.map((square) => (
                <rect
                    key={square}
                    class={`square ${isDark(square) ? "dark" : "light"}`}
                    data-square={square}
                    width={tile}
                    height={tile}
                    {...cornerOf(square, orientation)}
                />
            ))}
        </g>
    )
}

export function Coordinates({ orientation }: { orientation: Color }) {
    const edge = Array.from({ length: 8 }, (_, index) => index)
    const label = (square: string | null, text: string | undefined, place: object) =>
        square && (
            <text
                key={`${square}${text}`}
                class={`coordinate on-${isDark(square) ? "dark" : "light"}`}
                {...place}
            >
                {text}
            </text>
        )
    return (
        <g class="coordinates" aria-hidden="true">
            {edge.map((row) => {
                const square = squareIn(0, row, orientation)
                return label(square, square?.[1], { x: 1.5, y: row * tile + 1.5, dy: "0.75em" })
            })}
            {edge.map((column) => {
                const square = squareIn(column, 7, orientation)
                return label(square, square?.[0], {
                    x: (column + 1) * tile - 1.25,
                    y: 8 * tile - 2.75,
                    "text-anchor": "end",
                })
            })}
        </g>
    )
}

const shapes: Record<Mark["kind"], string> = {
    last: "markerSquare",
    check: "markerSquare",
    issue: "markerSquare",
    inspected: "markerSquare",
    from: "markerSquare",
    premove: "markerSquare",
    "control-white": "markerSquare",
    "control-black": "markerSquare",
    contested: "markerSquare",
    reachable: "markerDot",
    target: "markerDot",
    capture: "markerRing",
    circle: "markerCircle",
    illegal: "markerCross",
}
const above: ReadonlySet<Mark["kind"]> = new Set([
    "reachable",
    "illegal",
    "target",
    "capture",
    "circle",
])

/** Returns the classes of a mark or an arrow, and its colour token. */
const looksOf = (what: "mark" | "arrow", kind: string, color?: ShapeColor) => ({
    class: `${what} ${what}-${kind}${color ? ` drawn-${color}` : ""}`,
    style: { color: `var(--${color ? `drawn-${color}` : `${what}-${kind}`})` },
})

interface MarksProps {
    marks: Mark[]
    orientation: Color
    layer: "below" | "above"
}

/** The marks below or above the pieces. */
export function Marks({ marks, orientation, layer }: MarksProps) {
    const own = marks.filter(({ kind }) => above.has(kind) === (layer === "above"))
    return (
        <g class="marks">
            {own.map(({ square, kind, color }, index) => (
                <use
                    key={index}
                    {...looksOf("mark", kind, color)}
                    href={`#${shapes[kind]}`}
                    {...cornerOf(square, orientation)}
                />
            ))}
        </g>
    )
}

const [headLength, headWidth, startGap, endGap] = [12, 11, 10, 6]

export function Arrows({ arrows, orientation }: { arrows: Arrow[]; orientation: Color }) {
    return (
        <g class="arrows">
            {arrows.map(({ from, to, kind, color }) => {
                const [start, end] = [cornerOf(from, orientation), cornerOf(to, orientation)]
                const [dx, dy] = [end.x - start.x, end.y - start.y]
                const length = Math.hypot(dx, dy)
                const angle = (Math.atan2(dy, dx) * 180) / Math.PI
                const [tip, neck] = [length - endGap, length - endGap - headLength]
                return (
                    <g
                        key={`${from}${to}${kind}`}
                        {...looksOf("arrow", kind, color)}
                        transform={`translate(${start.x + tile / 2} ${start.y + tile / 2}) rotate(${angle})`}
                    >
                        <path class="arrow-line" d={`M${startGap} 0H${neck}`} />
                        <path
                            class="arrow-head"
                            d={`M${neck} ${-headWidth / 2}L${tip} 0L${neck} ${headWidth / 2}z`}
                        />
                    </g>
                )
            })}
        </g>
    )
}
