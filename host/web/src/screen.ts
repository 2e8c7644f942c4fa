// The screen sizes at which `styles/phone.css` changes the page.

import { signal } from "@preact/signals"

function matches(query: string) {
    const list = matchMedia(query)
    const isMatch = signal(list.matches)
    list.addEventListener("change", () => (isMatch.value = list.matches))
    return isMatch
}

export const isNarrow = matches("(max-width: 860px)")
export const isBarAtBottom = matches("(max-width: 860px) and (not (max-height: 480px))")
