// The SVG sprite of pieces and markers, inserted into the page once.

import sprite from "./pieces.svg?raw"

/** The element ids that cm-chessboard uses for its sprites. It fetches its own files for ids that are missing. */
const [pictures, ...others] = ["cm-chessboard-sprite", "cm-chessboard-markers", "cm-chessboard-arrows"]

export function drawSprite(): void {
    if (document.getElementById(pictures ?? "")) return
    const holder = (id: string) => {
        const element = document.createElement("div")
        element.id = id
        element.className = "sprite"
        element.setAttribute("aria-hidden", "true")
        document.body.append(element)
        return element
    }
    holder(pictures ?? "").innerHTML = sprite
    others.forEach(holder)
}

// The Content Security Policy forbids `style` attributes. cm-chessboard sets some, so they are set through `cssText` instead.
const { setAttribute } = Element.prototype
SVGElement.prototype.setAttribute = function (name: string, value: string) {
    if (name === "style") this.style.cssText = value
    else setAttribute.call(this, name, value)
}
