// Choices in the panels that survive a reload.

import { signal } from "@preact/signals"
import type { Limit } from "./api"
import { local } from "./storage"

/** The open place: playing, analysing or watching. */
export type Place = "play" | "analyse" | "watch"
/** The open tool. Tools open below the moves, the lesson above them. */
export type Tool = "report" | "learn" | "tree" | "position" | "ais"

/** Returns the last choice of AIs in this browser; null before the first choice. */
const storedAis = (key: string) => local.get(key)?.split(" ").filter(Boolean) ?? null

export const switches = {
    place: signal<Place>("play"),
    tool: signal<Tool | null>(null),
    /** Whether squares are shaded to show which side controls them. */
    showControl: signal(false),
    /** The number of games between two AIs. More than one is a server match. */
    gameCount: signal(1),
    /** Whether the board shows the running game of the match. */
    followsMatch: signal(false),
    /** Whether the user chooses an AI by name rather than by level. */
    choosesAi: signal(false),
    /** Whether the analysis settings are unfolded. */
    analysisOpen: signal(false),
    /** The unit of the evaluation bar. */
    unit: signal<"pawns" | "chance">("pawns"),
    /** Whether the analysis is on and follows the position. */
    analyseVisited: signal(local.get("analyse-visited") !== "off"),
    /** The AIs that analyse; null means the strongest AI. */
    analysts: signal<readonly string[] | null>(storedAis("analysts")),
    analysisLimit: signal<Limit | null>({ movetime_ms: 5000 }),
    analysisLines: signal(2),
    /** The AI that reviews; empty means the strongest AI. */
    reportBy: signal(storedAis("report-by")?.[0] ?? ""),
    /** Long enough that reviews find no inaccuracies in opening theory. */
    reportLimit: signal<Limit | null>({ movetime_ms: 500 }),
}

switches.analysts.subscribe((ids) => ids && local.set("analysts", ids.join(" ")))
switches.reportBy.subscribe((id) => id && local.set("report-by", id))
switches.analyseVisited.subscribe((isOn) => local.set("analyse-visited", isOn ? "on" : "off"))
