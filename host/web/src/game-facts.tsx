// The players, event and result of a finished or loaded game. In Analyse a click edits them.

import { signal } from "@preact/signals"
import { isolated } from "./bidi"
import { playerName, resultTag } from "./export"
import { DraftInput } from "./fields"
import { clearResult, gameNumber, isOver, plies, setResult, tags, tree } from "./game"
import { isFollowing } from "./match"
import { userPlaysBoth } from "./players"
import { switches } from "./switches"
import { winners } from "./format"
import { texts } from "./texts/board"
import { lineThrough, rootId } from "./tree"

const isKnown = (value: string | undefined): value is string =>
    value !== undefined && !/^[?.]*$/.test(value)

const results: Record<string, string> = { "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½" }

/** Whether the facts are being edited. */
export const isEditingFacts = signal(false)
gameNumber.subscribe(() => (isEditingFacts.value = false))

type Fact = keyof typeof texts.game.facts

/** Sets a tag of the game, or removes it if the text is empty. */
function setTag(name: Fact, text: string): void {
    const { [name]: before, ...others } = tags.peek()
    const value = text.trim()
    tags.value = value ? { ...others, [name]: value } : others
}

/** Sets the result at the end of the main line. */
function chooseResult(text: string): void {
    const end = lineThrough(tree.peek(), rootId).at(-1) ?? rootId
    const winner = winners[text]
    if (winner === undefined) clearResult(end)
    else setResult(end, { winner, reason: "" })
}

function FactField({ name, label }: { name: Fact; label: string }) {
    return (
        <label class="field">
            <span class="label">{label}</span>
            <DraftInput
                field={{ type: "text", autocomplete: "off" }}
                value={isKnown(tags.value[name]) ? tags.value[name] : ""}
                commit={(text) => setTag(name, text)}
            />
        </label>
    )
}

function FactsForm() {
    const { facts } = texts.game
    const done = (event: Event) => {
        event.preventDefault()
        isEditingFacts.value = false
    }
    return (
        <form class="facts-form" aria-label={texts.game.editFacts} onSubmit={done}>
            <FactField name="White" label={facts.White} />
            <FactField name="WhiteElo" label={facts.WhiteElo} />
            <FactField name="Black" label={facts.Black} />
            <FactField name="BlackElo" label={facts.BlackElo} />
            <FactField name="Event" label={facts.Event} />
            <FactField name="Round" label={facts.Round} />
            <FactField name="Site" label={facts.Site} />
            <FactField name="Date" label={facts.Date} />
            <label class="field">
                <span class="label">{texts.game.result}</span>
                <select
                    value={resultTag()}
                    onChange={(event) => chooseResult(event.currentTarget.value)}
                >
                    <option value="*">–</option>
                    {Object.entries(results).map(([tag, text]) => (
                        <option key={tag} value={tag}>
                            {text}
                        </option>
                    ))}
                </select>
            </label>
            <button type="submit">{texts.game.factsDone}</button>
        </form>
    )
}

export function GameFacts() {
    const { White, Black, Event, Site, Date, Round } = tags.value
    const isLoaded = isKnown(White) || isKnown(Black) || isKnown(Event)
    const isPlayed = isOver.value && plies.value.length > 0 && !userPlaysBoth.value
    const mayEdit = switches.place.value === "analyse"
    if (isEditingFacts.value && mayEdit) return <FactsForm />
    if (isFollowing.value || !(isLoaded || isPlayed)) return null
    const about = [
        Event,
        isKnown(Round) && Round !== "-" ? texts.game.round(Round) : undefined,
        Site,
        Date,
    ]
        .filter(isKnown)
        .map(isolated)
    const names = (["white", "black"] as const)
        .map((color) => isolated(playerName(color)))
        .join(" – ")
    const facts = (
        <>
            <strong>{names}</strong>
            {results[resultTag()] && <b>{results[resultTag()]}</b>}
            {about.length > 0 && <span class="muted">{about.join(" · ")}</span>}
        </>
    )
    const title = [names, ...about].join(", ")
    if (!mayEdit)
        return (
            <p class="game-facts" data-testid="facts" title={title}>
                {facts}
            </p>
        )
    return (
        <button
            type="button"
            class="game-facts"
            title={texts.game.editFacts}
            onClick={() => (isEditingFacts.value = true)}
            data-testid="facts"
        >
            {facts}
        </button>
    )
}
