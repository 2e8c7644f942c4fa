// The SVG sprite of the pieces and other pictures. Each page inserts it once.

import sprite from "./pieces.svg?raw"

export function insertSprite(more = ""): void {
    const holder = document.createElement("div")
    holder.className = "sprite"
    holder.setAttribute("aria-hidden", "true")
    holder.innerHTML = sprite + more
    document.body.append(holder)
}
