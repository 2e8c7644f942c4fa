// The page of the arena: its screens, or why there is none.

import { useEffect } from "preact/hooks"
import { clientId, clientKey, Problem } from "../api"
import { Header } from "../header"
import { ThemeButton } from "../theme"
import { NoArena } from "./empty"
import { GamesScreen } from "./games"
import { arena, arenaError, refreshArena } from "./ladder-data"
import { LadderScreen } from "./overview"
import { ErrorText, Heading } from "./parts"
import { PlayerScreen } from "./player"
import { gamesLink, ladderLink, route } from "./route"
import { texts } from "../texts/arena"

const hasArena = () => !(arenaError.value instanceof Problem && arenaError.value.body.status === 404)

function Navigation() {
    const current = (screen: string) => (route.value.screen === screen ? "page" : undefined)
    return (
        <nav aria-label={texts.name}>
            <a href={ladderLink} aria-current={current("ladder")}>
                {texts.ladder}
            </a>
            <a href={gamesLink({})} aria-current={current("games")}>
                {texts.games}
            </a>
        </nav>
    )
}

function Screens() {
    const now = route.value
    if (!hasArena()) return <NoArena />
    if (arenaError.value && !arena.value)
        return (
            <>
                <Heading title={texts.name} />
                <ErrorText error={arenaError.value} />
            </>
        )
    if (now.screen === "player") return <PlayerScreen key={now.id} id={now.id} />
    if (now.screen === "games") return <GamesScreen filters={now.filters} />
    return <LadderScreen />
}

export function ArenaPage() {
    useEffect(refreshArena, [clientId.value, clientKey.value])
    return (
        <>
            <Header>
                <a href="/">{texts.board}</a>
                <a class="api" href="/docs">
                    API
                </a>
                <ThemeButton />
            </Header>
            <main class="arena">
                {hasArena() && <Navigation />}
                <Screens />
            </main>
        </>
    )
}
