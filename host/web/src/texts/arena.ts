// The texts of the page of the arena.

import { inLanguage } from "../language"
import { arena } from "./en/arena"

export const texts = /* @__PURE__ */ inLanguage("arena", arena)
