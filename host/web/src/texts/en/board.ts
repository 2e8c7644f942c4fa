// The English texts of the page of the board.

import { ais } from "./ais"
import { analysis } from "./analysis"
import { game } from "./game"
import { page } from "./page"
import { positions } from "./positions"
import { rules } from "./rules"
import { searchTree } from "./search-tree"
import { settings } from "./settings"

export const board = { page, game, rules, analysis, searchTree, positions, settings, ais }
