// The page of the arena: its screens, or why there is none.

import { useEffect } from "preact/hooks"
import { clientId, clientKey, Problem } from "../api"
import { Header, Places } from "../header"
import { Menu } from "../menu"
import { ThemeButton } from "../theme"
import { NoArena } from "./empty"
import { GamesScreen } from "./games"
import { arena, arenaError, refreshArena } from "./ladder-data"
import { LadderScreen } from "./overview"
import { ErrorText, Heading } from "./parts"
import { PlayerScreen } from "./player"
import { gamesLink, ladderLink, route } from "./route"

const hasArena = () => !(arenaError.value instanceof Problem && arenaError.value.body.status === 404)

function Navigation() {
    const current = (screen: string) => (route.value.screen === screen ? "page" : undefined)
    return (
        <nav class="screens" aria-label="Arena">
            <a href={ladderLink} aria-current={current("ladder")}>
                Ladder
            </a>
            <a href={gamesLink({})} aria-current={current("games")}>
                Games
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
                <Heading title="Arena" />
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
                <Places current="arena" />
                <ThemeButton />
                <Menu label="More">
                    <a href="/docs">API</a>
                    <span class="phone-only menu-row">
                        <ThemeButton />
                    </span>
                </Menu>
            </Header>
            <main class="arena">
                {hasArena() && <Navigation />}
                <Screens />
            </main>
        </>
    )
}
