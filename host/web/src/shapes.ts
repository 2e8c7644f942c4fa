// Arrows and circles in PGN comments: `[%cal Ge2e4,Rd8h4] [%csl Yf7]`.

import type { Shape, ShapeColor } from "./tree"

const colors: Record<string, ShapeColor> = { G: "green", R: "red", Y: "yellow", B: "blue" }
const letterOf = (color: ShapeColor) => color[0]?.toUpperCase() ?? ""

/** Reads the arrows and circles in a comment. */
export function shapesIn(comment: string): Shape[] {
    const lists = [...comment.matchAll(/\[%c(?:al|sl)\s+([^\]]*)\]/g)].flatMap(([, list = ""]) =>
        list.split(","),
    )
    return lists.flatMap((text): Shape[] => {
        const [, letter = "", from = "", to] =
            /^\s*([GRYB])([a-h][1-8])([a-h][1-8])?\s*$/.exec(text) ?? []
        const color = colors[letter]
        return color ? [{ from, color, ...(to ? { to } : {}) }] : []
    })
}

/** Returns the commands for arrows and circles. */
export function shapeCommands(shapes: readonly Shape[] = []): string[] {
    const command = (name: string, list: readonly Shape[]) =>
        list.length === 0
            ? []
            : [
                  `[%${name} ${list.map(({ from, to = "", color }) => letterOf(color) + from + to).join(",")}]`,
              ]
    return [
        ...command(
            "csl",
            shapes.filter(({ to }) => !to),
        ),
        ...command(
            "cal",
            shapes.filter(({ to }) => to),
        ),
    ]
}
