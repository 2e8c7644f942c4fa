// The pieces and marks that boards draw with, put into the page once.

import sprite from "./pieces.svg?raw"

/** cm-chessboard looks for its pictures under these names, and fetches its own where it finds none. */
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

// The page's policy forbids styles written as an attribute; cm-chessboard writes some, which mean the same set one by one.
const { setAttribute } = Element.prototype
SVGElement.prototype.setAttribute = function (name: string, value: string) {
    if (name === "style") this.style.cssText = value
    else setAttribute.call(this, name, value)
}
