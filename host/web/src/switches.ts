// Choices of the panels that a reload keeps.

import { signal } from "@preact/signals"
import type { Limit } from "./api"
import { local } from "./storage"

/** What the page is for at the moment. */
export type Place = "play" | "analyse" | "watch"
/** What opens where it is wanted, below the moves. */
export type Tool = "report" | "tree" | "position" | "ais"

export const switches = {
    place: signal<Place>("play"),
    tool: signal<Tool | null>(null),
    /** Whether the analysis of the AIs is shown; null shows it unless a person plays against an AI. */
    showAnalysis: signal<boolean | null>(null),
    /** Whether squares are shaded by who controls them. */
    showControl: signal(false),
    /** The number of games between two AIs; more than one are a match of the server. */
    gameCount: signal(1),
    /** Whether the board shows the running game of the match. */
    followsMatch: signal(false),
    /** Whether the technical settings of players are unfolded. */
    technicalOpen: signal(false),
    /** Whether the players, their strength and the clocks are unfolded during a game; null if their technical settings are. */
    settingsOpen: signal<boolean | null>(null),
    /** Whether the settings of the analysis are unfolded. */
    analysisOpen: signal(false),
    /** The unit of the evaluation bar. */
    unit: signal<"pawns" | "chance">("pawns"),
    /** Whether each visited position is analysed. */
    analyseVisited: signal(local.get("analyse-visited") !== "off"),
    /** Null until an AI is known. */
    analysedBy: signal<readonly string[] | null>(null),
    analysisLimit: signal<Limit | null>({ movetime_ms: 2000 }),
    analysisLines: signal(1),
    reportBy: signal(""),
    /** Deep enough that opening theory has no inaccuracies. */
    reportLimit: signal<Limit | null>({ movetime_ms: 500 }),
}

switches.analyseVisited.subscribe((isOn) => local.set("analyse-visited", isOn ? "on" : "off"))
