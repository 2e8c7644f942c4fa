import { render } from "preact"
import { startLanguage } from "../language"
import { insertSprite } from "../sprite"
import { ArenaPage } from "./page"
import "../board-theme"
import "../styles/base.css"
import "../styles/controls.css"
import "../styles/layout.css"
import "../styles/board.css"
import "../styles/moves.css"
import "../styles/lines.css"
import "../styles/stage.css"
import "../styles/arena.css"
import "../styles/arena-tables.css"

await startLanguage({ de: () => import("../texts/de/arena") })
insertSprite()
const page = document.getElementById("page")
if (page) render(<ArenaPage />, page)
