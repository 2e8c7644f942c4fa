// German strings of the board page.

import type { board as english } from "../en/board"
import { ais } from "./ais"
import { analysis } from "./analysis"
import { game } from "./game"
import { glyphs } from "./glyphs"
import { lesson } from "./lesson"
import { match } from "./match"
import { rollout } from "./rollout"
import { page } from "./page"
import { positions } from "./positions"
import { report } from "./report"
import { rules } from "./rules"
import { searchTree } from "./search-tree"
import { settings } from "./settings"
import claims from "sentences:de"

export const board = {
    page,
    game,
    glyphs,
    match,
    rollout,
    rules,
    analysis,
    report,
    claims,
    lesson,
    searchTree,
    positions,
    settings,
    ais,
} satisfies typeof english
export { common } from "./common"
