import { render } from "preact"
import "uplot/dist/uPlot.min.css"
import { App } from "./app"
import faces from "./faces.svg?raw"
import { startLanguage } from "./language"
import { listenToPrinting } from "./score-sheet"
import { insertSprite } from "./sprite"
import "./styles/base.css"
import "./styles/controls.css"
import "./styles/fields.css"
import "./styles/layout.css"
import "./styles/header.css"
import "./styles/pieces.css"
import "./styles/board.css"
import "./styles/stage.css"
import "./styles/moves.css"
import "./styles/lines.css"
import "./styles/graph.css"
import "./styles/panels.css"
import "./styles/ais.css"
import "./styles/known-moves.css"
import "./styles/play.css"
import "./styles/match.css"
import "./styles/editor.css"
import "./styles/recent.css"
import "./styles/learn.css"
import "./styles/review.css"
import "./styles/places.css"
import "./styles/phone.css"
import "./styles/moves-sheet.css"
import "./styles/screens.css"
import "./styles/print.css"

void startLanguage({ de: () => import("./texts/de/board") }).then(() => {
    insertSprite(faces)
    const page = document.getElementById("page")
    if (page) render(<App />, page)
    listenToPrinting()
})
