// Downloads all games that match the filters as one PGN, page by page.

import { useEffect, useRef, useState } from "preact/hooks"
import { arenaGames } from "../api"
import { download } from "../download"
import { ErrorText } from "./parts"
import { queryOf } from "./route"
import type { Filters } from "./route"
import { texts } from "../texts/arena"

/** The server's maximum number of games per page. */
const pageSize = "200"

const countOf = (pgn: string) => pgn.match(/^\[Event /gm)?.length ?? 0

/**
 * Returns the PGN of all games that match the filters. Reports the number of games downloaded so
 * far.
 */
async function pgnOf(
    filters: Filters,
    report: (games: number) => void,
    signal: AbortSignal,
): Promise<string> {
    const pages = []
    let games = 0
    let before: string | undefined
    do {
        const query = queryOf({ ...filters, before, limit: pageSize })
        const page = await arenaGames(query, signal)
        pages.push(page.pgn)
        games += countOf(page.pgn)
        report(games)
        before = page.next
    } while (before !== undefined)
    return pages.join("")
}

interface DownloadProps {
    filters: Filters
    /** The file name without its extension. */
    name: string
}

/** A button that downloads all games that match the filters, and stops a download in progress. */
export function DownloadGames({ filters, name }: DownloadProps) {
    const running = useRef<AbortController | null>(null)
    const [games, setGames] = useState<number | null>(null)
    const [outcome, setOutcome] = useState<{ games: number } | { error: unknown } | null>(null)
    useEffect(() => () => running.current?.abort(), [])
    const stop = () => {
        running.current?.abort()
        running.current = null
        setGames(null)
    }
    const start = async () => {
        const started = new AbortController()
        running.current = started
        setOutcome(null)
        setGames(0)
        try {
            let count = 0
            const report = (games: number) => setGames((count = games))
            download(name, await pgnOf(filters, report, started.signal))
            setOutcome({ games: count })
        } catch (error) {
            if (!started.signal.aborted) setOutcome({ error })
        } finally {
            if (running.current === started) stop()
        }
    }
    return (
        <div class="download">
            <button type="button" onClick={games === null ? () => void start() : stop}>
                {games === null ? texts.downloadPgn : texts.stop}
            </button>
            <span class="muted" role="status">
                {games !== null
                    ? texts.gamesLoaded(games)
                    : outcome && "games" in outcome
                      ? texts.gamesDownloaded(outcome.games)
                      : ""}
            </span>
            {outcome && "error" in outcome && <ErrorText error={outcome.error} />}
        </div>
    )
}
