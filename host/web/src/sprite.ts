// The SVG sprite of pieces and marks, and of what else a page draws, inserted into it once.

import sprite from "./pieces.svg?raw"

export function insertSprite(more = ""): void {
    const holder = document.createElement("div")
    holder.className = "sprite"
    holder.setAttribute("aria-hidden", "true")
    holder.innerHTML = sprite + more
    document.body.append(holder)
}
