// The last arena screen of this tab, to return to from a game.

import { tabStorage } from "./storage"

const key = "arena-view"

/** Remembers the fragment of the arena's URL. */
export const keepArenaView = (fragment: string): boolean => tabStorage.set(key, fragment)

/** Returns the fragment of this tab's last arena URL; null if none is stored. */
export const arenaView = (): string | null => tabStorage.get(key)
