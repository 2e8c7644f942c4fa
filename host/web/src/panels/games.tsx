// The list of the games of a file or a match.

import { computed, signal } from "@preact/signals"
import { useId } from "preact/hooks"
import { collection, loadedIndex, loadFromCollection } from "../files"

const filter = signal("")
/** More rows than this make the page slow; the filter finds the others. */
const maxRows = 200

const found = computed(() => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    const rows = collection.value.map(({ tags }, index) => {
        const { White = "?", Black = "?", Result = "*", Event = "", Date: date = "" } = tags
        return { index, White, Black, Result, about: [Event, date].filter((part) => part && !part.startsWith("?")).join(", ") }
    })
    return rows.filter((row) => words.every((word) => Object.values(row).join(" ").toLowerCase().includes(word)))
})

export function Games() {
    const id = useId()
    if (collection.value.length === 0) return null
    const rows = found.value.slice(0, maxRows)
    return (
        <section class="games" aria-label="Games" data-testid="games">
            <div class="field">
                <label for={id}>{`${collection.value.length} games; choose a game`}</label>
                <input id={id} type="search" placeholder="Filter by name, event or result" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
            </div>
            <ol>
                {rows.map(({ index, White, Black, Result, about }) => (
                    <li key={index}>
                        <button type="button" aria-pressed={loadedIndex.value === index} onClick={() => void loadFromCollection(index)}>
                            <span class="names">
                                {White} – {Black}
                            </span>
                            <span>{Result}</span>
                            <span class="muted">{about}</span>
                        </button>
                    </li>
                ))}
            </ol>
            {found.value.length > rows.length && <p class="hint">{found.value.length - rows.length} more; filter to find them.</p>}
            {found.value.length === 0 && <p class="hint">No game matches the filter.</p>}
        </section>
    )
}
