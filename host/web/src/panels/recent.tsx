// Recent games and positions in this browser.

import { computed, signal } from "@preact/signals"
import { useId } from "preact/hooks"
import { isolated } from "../bidi"
import { casualGame } from "../export"
import { download } from "../download"
import { deleteEntries, openEntry, recent, recentPgn } from "../recent"
import type { Entry } from "../recent"
import { SmallBoard } from "../small-board"
import { storageProblem } from "../storage"
import { texts } from "../texts/board"
import { savedAs } from "../work"

const pageRows = 20
const filter = signal("")
const rows = signal(pageRows)

/** The user's analyses show no player names, except for other people's games. */
const nameOf = ({ white, black, place }: Entry) =>
    place === "analyse" && white === black
        ? texts.page.analysis
        : `${isolated(white)} – ${isolated(black)}`
const dateOf = ({ changed }: Entry) =>
    new Date(changed).toLocaleString(texts.positions.dates, {
        dateStyle: "medium",
        timeStyle: "short",
    })
const aboutOf = (entry: Entry) =>
    [entry.event === casualGame ? "" : isolated(entry.event), entry.result, dateOf(entry)]
        .filter((part) => part && part !== "*")
        .join(", ")

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
            <button
                type="button"
                class="entry"
                aria-pressed={savedAs.value.id === entry.id}
                onClick={() => void openEntry(entry)}
            >
                <SmallBoard placement={entry.placement} orientation={entry.orientation} label="" />
                <span class="names">{name}</span>
                <span class="muted">{aboutOf(entry)}</span>
            </button>
            <button
                type="button"
                class="icon close"
                aria-label={texts.positions.deleteEntry(name, dateOf(entry))}
                onClick={() => void deleteEntries([entry], texts.page.deleted(name))}
            >
                ×
            </button>
        </li>
    )
}

export function Recent() {
    const id = useId()
    const all = recent.value ?? []
    return (
        <section class="recent" aria-label={texts.positions.recent} data-testid="recent">
            {storageProblem.value && (
                <p class="error-text">{texts.page.storage[storageProblem.value]}</p>
            )}
            {all.length === 0 && !storageProblem.value && (
                <p class="hint">{texts.positions.recentHint}</p>
            )}
            {all.length > 0 && (
                <>
                    <div class="field">
                        <label for={id}>{texts.positions.recentHere}</label>
                        <input
                            id={id}
                            type="search"
                            placeholder={texts.positions.searchRecent}
                            value={filter.value}
                            onInput={(event) => (filter.value = event.currentTarget.value)}
                        />
                    </div>
                    <ol>
                        {found.value.slice(0, rows.value).map((entry) => (
                            <Row key={entry.id} entry={entry} />
                        ))}
                    </ol>
                    {found.value.length === 0 && <p class="hint">{texts.positions.nothingFound}</p>}
                    <div class="buttons">
                        {found.value.length > rows.value && (
                            <button type="button" onClick={() => (rows.value += pageRows)}>
                                {texts.positions.showMore}
                            </button>
                        )}
                        <button
                            type="button"
                            onClick={() => void recentPgn().then((pgn) => download("recent", pgn))}
                        >
                            {texts.positions.exportAll}
                        </button>
                        <button
                            type="button"
                            onClick={() => void deleteEntries(all, texts.page.deleted(all.length))}
                        >
                            {texts.positions.deleteAll}
                        </button>
                    </div>
                </>
            )}
        </section>
    )
}
