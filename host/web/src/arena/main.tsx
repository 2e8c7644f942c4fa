import { render } from "preact"
import { startLanguage } from "../language"
import { insertSprite } from "../sprite"
import { ArenaPage } from "./page"
import "../board-theme"
import "../styles/base.css"
import "../styles/controls.css"
import "../styles/fields.css"
import "../styles/layout.css"
import "../styles/header.css"
import "../styles/pieces.css"
import "../styles/lines.css"
import "../styles/stage.css"
import "../styles/arena.css"
import "../styles/arena-tables.css"

void startLanguage({ de: () => import("../texts/de/arena") }).then(() => {
    insertSprite()
    const page = document.getElementById("page")
    if (page) render(<ArenaPage />, page)
})
