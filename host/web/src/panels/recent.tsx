// The list of what the user worked on in this browser.

import { computed, signal } from "@preact/signals"
import { useId } from "preact/hooks"
import { download } from "../files"
import { storageTexts } from "../notice"
import { deleteEntries, openEntry, recent, recentPgn } from "../recent"
import type { Entry } from "../recent"
import { SmallBoard } from "../small-board"
import { storageProblem } from "../storage"
import { savedAs } from "../work"

const pageRows = 20
const filter = signal("")
const rows = signal(pageRows)

const nameOf = ({ white, black }: Entry) => `${white} – ${black}`
const dateOf = ({ changed }: Entry) => new Date(changed).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })
const aboutOf = (entry: Entry) => [entry.event === "Casual game" ? "" : entry.event, entry.result, dateOf(entry)].filter((part) => part && part !== "*").join(", ")

const found = computed(() => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    return (recent.value ?? []).filter((entry) => {
        const text = `${nameOf(entry)} ${aboutOf(entry)}`.toLowerCase()
        return words.every((word) => text.includes(word))
    })
})

function Row({ entry }: { entry: Entry }) {
    const name = nameOf(entry)
    return (
        <li>
            <button type="button" class="entry" aria-pressed={savedAs.value.id === entry.id} onClick={() => void openEntry(entry)}>
                <SmallBoard placement={entry.placement} orientation={entry.orientation} label="" />
                <span class="names">{name}</span>
                <span class="muted">{aboutOf(entry)}</span>
            </button>
            <button type="button" class="icon close" aria-label={`Delete ${name}, ${dateOf(entry)}`} onClick={() => void deleteEntries([entry], `${name} deleted`)}>
                ×
            </button>
        </li>
    )
}

export function Recent() {
    const id = useId()
    const all = recent.value ?? []
    return (
        <section class="recent" aria-label="Recent" data-testid="recent">
            {storageProblem.value && <p class="error-text">{storageTexts[storageProblem.value]}</p>}
            {all.length === 0 && !storageProblem.value && <p class="hint">Your games, analyses and set-ups appear here. They stay in this browser.</p>}
            {all.length > 0 && (
                <>
                    <div class="field">
                        <label for={id}>Recent, in this browser only</label>
                        <input id={id} type="search" placeholder="Search by name, event, result or date" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
                    </div>
                    <ol>
                        {found.value.slice(0, rows.value).map((entry) => (
                            <Row key={entry.id} entry={entry} />
                        ))}
                    </ol>
                    {found.value.length === 0 && <p class="hint">Nothing matches the search. Clear it to see all.</p>}
                    <div class="buttons">
                        {found.value.length > rows.value && (
                            <button type="button" onClick={() => (rows.value += pageRows)}>
                                Show more
                            </button>
                        )}
                        <button type="button" onClick={() => void recentPgn().then((pgn) => download("recent", pgn))}>
                            Export all as PGN
                        </button>
                        <button type="button" onClick={() => void deleteEntries(all, `${all.length} deleted`)}>
                            Delete all
                        </button>
                    </div>
                </>
            )}
        </section>
    )
}
