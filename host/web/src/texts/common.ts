// Strings of both pages.

import { inLanguage } from "../language"
import { common as english } from "./en/common"

export const common = /* @__PURE__ */ inLanguage("common", english)
