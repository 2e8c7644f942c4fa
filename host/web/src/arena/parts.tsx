// Parts shared by several screens.

import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { call, clientKey } from "../api"
import { errorMessage } from "../format"
import { hasNavigated, playerLink } from "./route"
import { texts } from "../texts/arena"
import { common } from "../texts/common"
import type { PlayerReference, Rating } from "../api/types"
import { errorText, nameOf, undirected } from "./words"

/** The heading of a screen. It gets the focus after navigation. */
export function Heading({ title }: { title: string }) {
    const heading = useRef<HTMLHeadingElement>(null)
    useEffect(() => {
        document.title = [...(title === texts.name ? [] : [title]), texts.name, "Rookery"].join(
            " · ",
        )
    }, [title])
    useEffect(() => {
        if (hasNavigated) heading.current?.focus()
    }, [])
    return (
        <h1 ref={heading} class="headline" tabIndex={-1}>
            {title}
        </h1>
    )
}

export const ErrorText = ({ error }: { error: unknown }) => (
    <p class="error-text" role="alert">
        {errorMessage(common.theArena, error)}
    </p>
)

/** Links to a player. The name wraps after commas: `nnue1,` `elo=1500`. */
export function PlayerLink({
    player,
    name = nameOf(player),
}: {
    player: PlayerReference
    name?: string
}) {
    const parts = undirected(name).split(/(?<=,)/)
    return (
        <a href={playerLink(player.id)}>
            <bdi>
                {parts.map((part, index) => (index === 0 ? part : [<wbr key={index} />, part]))}
            </bdi>
        </a>
    )
}

/** A rating. Its error has a separate column, which aligns the ratings. */
export const RatingCell = ({ rating }: { rating: Rating }) => (
    <td class="number-cell rating">
        {rating.elo === null ? "–" : rating.elo.toFixed(0)}{" "}
        <span class="error-of">{rating.elo === null ? "" : errorText(rating)}</span>
    </td>
)

/** Labelled figures. */
export function Figures({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
    return (
        <dl class="figures">
            {of.map(([name, value]) => (
                <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                </div>
            ))}
        </dl>
    )
}

/** The column headers. */
export const Heads = ({ names, class: kind }: { names: readonly string[]; class?: string }) => (
    <>
        {names.map((name) => (
            <th key={name} scope="col" class={kind}>
                {name}
            </th>
        ))}
    </>
)

interface ScrolledTableProps {
    name: string
    hint: ComponentChildren
    class?: string
    /** An action for the whole table, next to the hint. */
    action?: ComponentChildren
    /** Whether the heading is visible. It is hidden if the screen's heading says the same. */
    isTitled?: boolean
    children: ComponentChildren
}

/** A table with its heading. It scrolls sideways on narrow screens. */
export function ScrolledTable({
    name,
    hint,
    class: kind,
    action,
    isTitled = true,
    children,
}: ScrolledTableProps) {
    const id = useId()
    return (
        <section>
            <div class="table-head">
                <h2 id={id} class={isTitled ? undefined : "visually-hidden"}>
                    {name}
                </h2>
                <p class="hint">{hint}</p>
                {action}
            </div>
            <div class="scrolled" role="region" aria-labelledby={id} tabIndex={0}>
                <table class={kind}>
                    <caption class="visually-hidden">{name}</caption>
                    {children}
                </table>
            </div>
        </section>
    )
}

interface AdminAction<T> {
    label: string
    path: string
    /** Handles the reply and returns a confirmation. */
    done: (reply: T) => string
}

/**
 * Buttons for admins. The page cannot tell whether its key is an admin's, so other clients with a
 * key see the buttons and get the server's error.
 */
export function AdminActions<T>({ actions }: { actions: readonly AdminAction<T>[] }) {
    const [outcome, setOutcome] = useState<{ text: string } | { error: unknown } | null>(null)
    if (!clientKey.value) return null
    const act = ({ path, done }: AdminAction<T>) => {
        setOutcome(null)
        call<T>(path, {}).then(
            (reply) => setOutcome({ text: done(reply) }),
            (error: unknown) => setOutcome({ error }),
        )
    }
    return (
        <div class="buttons" role="group" aria-label={texts.forAdmins}>
            {actions.map((action) => (
                <button key={action.path} type="button" onClick={() => act(action)}>
                    {action.label}
                </button>
            ))}
            <span role="status">{outcome && "text" in outcome ? outcome.text : ""}</span>
            {outcome && "error" in outcome && <ErrorText error={outcome.error} />}
        </div>
    )
}
