// Strings of the arena page.

import { inLanguage } from "../language"
import { arena } from "./en/arena"

export const texts = /* @__PURE__ */ inLanguage("arena", arena)
