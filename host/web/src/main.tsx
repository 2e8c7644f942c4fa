import { render } from "preact"
import { App } from "./app"
import { insertSprite } from "./sprite"
import "cm-chessboard/assets/chessboard.css"
import "cm-chessboard/assets/extensions/promotion-dialog/promotion-dialog.css"
import "./styles.css"

insertSprite()
const page = document.getElementById("page")
if (page) render(<App />, page)
