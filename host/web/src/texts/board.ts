// Strings for the board page.

import { inLanguage } from "../language"
import { board } from "./en/board"

export const texts = /* @__PURE__ */ inLanguage("board", board)
