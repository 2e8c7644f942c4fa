// The SVG sprite of pieces and markers, inserted into the page once.

import sprite from "./pieces.svg?raw"

/** The element ids that cm-chessboard uses for its sprites. It fetches its own files for ids that are missing. */
const [piecesId, ...otherIds] = ["cm-chessboard-sprite", "cm-chessboard-markers", "cm-chessboard-arrows"]

export function insertSprite(): void {
    if (document.getElementById(piecesId ?? "")) return
    const holder = (id: string) => {
        const element = document.createElement("div")
        element.id = id
        element.className = "sprite"
        element.setAttribute("aria-hidden", "true")
        document.body.append(element)
        return element
    }
    holder(piecesId ?? "").innerHTML = sprite
    otherIds.forEach(holder)
}

// The Content Security Policy forbids `style` attributes. cm-chessboard sets some, so they are set through `cssText` instead.
const { setAttribute } = Element.prototype
SVGElement.prototype.setAttribute = function (name: string, value: string) {
    if (name === "style") this.style.cssText = value
    else setAttribute.call(this, name, value)
}
