// What the styles of a narrow screen change in the order of the page; see `styles/phone.css`.

import { signal } from "@preact/signals"

function matches(query: string) {
    const list = matchMedia(query)
    const isMatch = signal(list.matches)
    list.addEventListener("change", () => (isMatch.value = list.matches))
    return isMatch
}

export const isNarrow = matches("(max-width: 860px)")
export const isBarAtBottom = matches("(max-width: 860px) and (not (max-height: 480px))")
