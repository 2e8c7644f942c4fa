// Choices of the panels that a reload keeps.

import { signal } from "@preact/signals"
import type { Limit } from "./api"
import { local } from "./storage"

/** What the page is for at the moment. */
export type Place = "play" | "analyse" | "watch"
/** What opens where it is wanted, below the moves; a lesson above them. */
export type Tool = "report" | "learn" | "tree" | "position" | "ais"

/** The AIs that this browser chose last; null if it chose none. */
const storedAis = (key: string) => local.get(key)?.split(" ").filter(Boolean) ?? null

export const switches = {
    place: signal<Place>("play"),
    tool: signal<Tool | null>(null),
    /** Whether squares are shaded by who controls them. */
    showControl: signal(false),
    /** The number of games between two AIs; more than one are a match of the server. */
    gameCount: signal(1),
    /** Whether the board shows the running game of the match. */
    followsMatch: signal(false),
    /** Whether the opponent is chosen as an AI with settings of its own. */
    choosesAi: signal(false),
    /** Whether the settings of the analysis are unfolded. */
    analysisOpen: signal(false),
    /** The unit of the evaluation bar. */
    unit: signal<"pawns" | "chance">("pawns"),
    /** Whether the analysis is on: it follows the position. */
    analyseVisited: signal(local.get("analyse-visited") !== "off"),
    /** Null until the user chooses: the strongest AI. */
    analysts: signal<readonly string[] | null>(storedAis("analysts")),
    analysisLimit: signal<Limit | null>({ movetime_ms: 5000 }),
    analysisLines: signal(2),
    /** Empty until the user chooses: the strongest AI. */
    reportBy: signal(storedAis("report-by")?.[0] ?? ""),
    /** Deep enough that opening theory has no inaccuracies. */
    reportLimit: signal<Limit | null>({ movetime_ms: 500 }),
}

switches.analysts.subscribe((ids) => ids && local.set("analysts", ids.join(" ")))
switches.reportBy.subscribe((id) => id && local.set("report-by", id))
switches.analyseVisited.subscribe((isOn) => local.set("analyse-visited", isOn ? "on" : "off"))
