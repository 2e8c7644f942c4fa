// The SVG sprite of pieces and marks, inserted into the page once.

import sprite from "./pieces.svg?raw"

export function insertSprite(): void {
    const holder = document.createElement("div")
    holder.className = "sprite"
    holder.setAttribute("aria-hidden", "true")
    holder.innerHTML = sprite
    document.body.append(holder)
}
