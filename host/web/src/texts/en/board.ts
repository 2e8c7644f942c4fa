// The English texts of the page of the board.

import { ais } from "./ais"
import { analysis } from "./analysis"
import { game } from "./game"
import { lesson } from "./lesson"
import { losses } from "./losses"
import { page } from "./page"
import { positions } from "./positions"
import { report } from "./report"
import { rules } from "./rules"
import { searchTree } from "./search-tree"
import { settings } from "./settings"

export const board = {
    page,
    game,
    rules,
    analysis,
    report,
    lesson,
    losses,
    searchTree,
    positions,
    settings,
    ais,
}
