// The games of a file or a match.

import { computed, signal } from "@preact/signals"
import { useId } from "preact/hooks"
import { isolated, undirected } from "../bidi"
import { reading, stopReading } from "../big-file"
import { collection, loadedIndex, loadFromCollection } from "../files"
import { texts } from "../texts/board"

const filter = signal("")
/** More rows would make the page slow. The filter finds the other games. */
const maxRows = 200

const found = computed(() => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    const all = collection.value.keys()
    if (words.length === 0) return [...all]
    const textOf = (index: number) => Object.values(rowOf(index)).join(" ").toLowerCase()
    return [...all].filter((index) => {
        const text = textOf(index)
        return words.every((word) => text.includes(word))
    })
})

function rowOf(index: number) {
    const {
        White = "?",
        Black = "?",
        Result = "*",
        Event = "",
        Date: date = "",
    } = collection.value[index]?.tags ?? {}
    return {
        index,
        White: isolated(White),
        Black: isolated(Black),
        Result: undirected(Result),
        about: [Event, date]
            .filter((part) => part && !part.startsWith("?"))
            .map(isolated)
            .join(", "),
    }
}

/** The progress of reading a file. */
function Reading() {
    const now = reading.value
    if (!now) return null
    return (
        <div class="reading">
            <label class="progress">
                <span>{texts.positions.reading(now.name, now.games)}</span>
                <progress max={now.of} value={now.read} />
            </label>
            <button type="button" onClick={stopReading}>
                {texts.positions.cancel}
            </button>
        </div>
    )
}

export function Games() {
    const id = useId()
    if (collection.value.length === 0) return <Reading />
    const rows = found.value.slice(0, maxRows).map(rowOf)
    return (
        <section class="games" aria-label={texts.positions.games} data-testid="games">
            <Reading />
            <div class="field">
                <label for={id}>{texts.positions.chooseGame(collection.value.length)}</label>
                <input
                    id={id}
                    type="search"
                    placeholder={texts.positions.filterGames}
                    value={filter.value}
                    onInput={(event) => (filter.value = event.currentTarget.value)}
                />
            </div>
            <ol>
                {rows.map(({ index, White, Black, Result, about }) => (
                    <li key={index}>
                        <button
                            type="button"
                            aria-pressed={loadedIndex.value === index}
                            onClick={() => void loadFromCollection(index)}
                        >
                            <span class="names">
                                {White} – {Black}
                            </span>
                            <span>{Result}</span>
                            <span class="muted">{about}</span>
                        </button>
                    </li>
                ))}
            </ol>
            {found.value.length > rows.length && (
                <p class="hint">{texts.positions.moreGames(found.value.length - rows.length)}</p>
            )}
            {found.value.length === 0 && <p class="hint">{texts.positions.noGame}</p>}
        </section>
    )
}
