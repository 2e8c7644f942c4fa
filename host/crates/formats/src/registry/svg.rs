//! Pictures of a board, with the web page's pieces.

use std::{fmt::Write as _, sync::LazyLock};

use ai_api::{Color, Move, Role, Square};
use rules::{Game, Setup, format_setup, parse_setup};

use super::diagram::squares;
use crate::{Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample};

const CODE: &str = "bad_svg";

/// The web page's pieces: for each role a `<g id="shape-…">` and a `<g id="lines-…">`, each 40 by
/// 40.
const SHEET: &str = include_str!("../../../../web/src/pieces.svg");
const SQUARE: i32 = 40;
const MARGIN: i32 = 14;
/// The attribute that contains the FEN in a picture drawn by this module.
const FEN_ATTRIBUTE: &str = "data-fen=\"";

/// A picture. Import reads the FEN from pictures drawn by this module.
pub(crate) struct Svg;

impl Format for Svg {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks]
    }

    fn code(&self) -> Option<&'static str> {
        Some(CODE)
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        let is_picture = sample.text.contains("<svg") && !sample.text.contains("data-col");
        Likeness::Certain.when(sample.text.starts_with('<') && is_picture)
    }

    fn separator(&self) -> Option<&'static str> {
        None
    }

    fn import<'t>(&self, text: &'t str, _: Import) -> Games<'t> {
        let mut fens = fens(text).peekable();
        let read = |fen: &str| {
            Game::import(fen)
                .map(GameRecord::noted)
                .map_err(|issues| issues.iter().map(FormatIssue::of_setup).collect())
        };
        if fens.peek().is_none() {
            let message =
                "found no data-fen=\"…\"; only pictures that this server draws can be read";
            return Box::new(std::iter::once(Err(vec![FormatIssue::new(CODE, message)])));
        }
        Box::new(fens.map(read))
    }

    fn read_setup(&self, text: &str, _: Option<Color>) -> Option<Setup> {
        let mut fens = fens(text);
        let only = fens.next()?;
        if fens.next().is_some() {
            None
        } else {
            parse_setup(only).ok()
        }
    }

    fn export(&self, record: &GameRecord) -> String {
        let game = &record.game.game;
        Picture {
            last_move: game.moves().last().copied(),
            ..Picture::of(game.position().into())
        }
        .to_svg()
    }
}

/// Returns the FEN of each picture in the text.
fn fens(text: &str) -> impl Iterator<Item = &str> {
    let after = text
        .match_indices(FEN_ATTRIBUTE)
        .map(|(at, _)| &text[at + FEN_ATTRIBUTE.len()..]);
    after.map(|rest| rest.split('"').next().unwrap_or_default())
}

/// The content and style of a picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The pieces, legal or not. A king in check is marked.
    pub setup: Setup,
    /// The side at the bottom.
    pub orientation: Color,
    /// The width and height in pixels.
    pub size: u32,
    /// The move to mark.
    pub last_move: Option<Move>,
    /// Arrows drawn over the pieces.
    pub arrows: Vec<Arrow>,
}

/// An arrow between two squares, or a ring if both are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    pub from: Square,
    pub to: Square,
}

impl Picture {
    pub const DEFAULT_SIZE: u32 = 480;

    /// Creates a picture of just the pieces, from White's side.
    pub const fn of(setup: Setup) -> Self {
        Self {
            setup,
            orientation: Color::White,
            size: Self::DEFAULT_SIZE,
            last_move: None,
            arrows: Vec::new(),
        }
    }

    /// Draws the picture as a self-contained document.
    pub fn to_svg(&self) -> String {
        let (size, extent, fen) = (
            self.size,
            8 * SQUARE + 2 * MARGIN,
            format_setup(&self.setup),
        );
        let mut svg = String::with_capacity(16 * 1024);
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{size}\" height=\"{size}\" \
             viewBox=\"0 0 {extent} {extent}\" role=\"img\" \
             {FEN_ATTRIBUTE}{fen}\"><title>{fen}</title>"
        );
        self.write_shapes(&mut svg);
        let _ = write!(
            svg,
            "<rect width=\"{extent}\" height=\"{extent}\" rx=\"4\" fill=\"#3b3631\"/>"
        );
        self.write_coordinates(&mut svg);
        let _ = write!(svg, "<g transform=\"translate({MARGIN} {MARGIN})\">");
        for square in squares() {
            self.write_square(&mut svg, square);
        }
        for square in squares() {
            self.write_piece(&mut svg, square);
        }
        for arrow in &self.arrows {
            self.write_arrow(&mut svg, *arrow);
        }
        svg.push_str("</g></svg>");
        svg
    }

    /// Returns the upper left corner of a square on the board.
    fn corner(&self, square: Square) -> (i32, i32) {
        let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
        let (column, row) = match self.orientation {
            Color::White => (file, 7 - rank),
            Color::Black => (7 - file, rank),
        };
        (column * SQUARE, row * SQUARE)
    }

    fn write_shapes(&self, svg: &mut String) {
        svg.push_str("<defs>");
        let roles: Vec<_> = squares()
            .filter_map(|square| self.setup.piece_at(square))
            .map(|(_, role)| role)
            .collect();
        for role in Role::ALL.into_iter().filter(|role| roles.contains(role)) {
            svg.push_str(&SHAPES[role.index()]);
        }
        svg.push_str("</defs>");
    }

    /// Writes the coordinates in the margin.
    fn write_coordinates(&self, svg: &mut String) {
        svg.push_str(
            "<g fill=\"#d8cdbb\" font-family=\"system-ui,sans-serif\" font-size=\"9\" \
            text-anchor=\"middle\">",
        );
        for index in 0..8 {
            let (x, y) = self.corner(Square::new(index, index));
            let (file, rank) = (char::from(b'a' + index), index + 1);
            let middle = MARGIN + SQUARE / 2;
            let (below, right) = (MARGIN + 8 * SQUARE + 10, MARGIN / 2);
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{below}\">{file}</text>",
                x + middle
            );
            let _ = write!(
                svg,
                "<text x=\"{right}\" y=\"{}\">{rank}</text>",
                y + middle + 3
            );
        }
        svg.push_str("</g>");
    }

    fn write_square(&self, svg: &mut String, square: Square) {
        let (x, y) = self.corner(square);
        let is_light = (square.file() + square.rank()) % 2 == 1;
        let is_last = self
            .last_move
            .is_some_and(|last| last.from() == square || last.to() == square);
        let in_check = self.setup.checked_king() == Some(square);
        let fill = match (in_check, is_last, is_light) {
            (true, ..) => "#d4553f",
            (_, true, true) => "#e2d383",
            (_, true, false) => "#c7a94f",
            (_, _, true) => "#ecdfc6",
            (_, _, false) => "#b58a63",
        };
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\"/>"
        );
    }

    fn write_piece(&self, svg: &mut String, square: Square) {
        let Some((color, role)) = self.setup.piece_at(square) else {
            return;
        };
        let ((x, y), role) = (self.corner(square), role.name());
        let (body, lines) = match color {
            Color::White => ("#fdfaf3", "#1d1a17"),
            Color::Black => ("#2b2723", "#f3eadb"),
        };
        let _ = write!(
            svg,
            "<g transform=\"translate({x} {y})\"><use href=\"#shape-{role}\" fill=\"{body}\" \
             stroke=\"#1d1a17\" stroke-width=\"1.3\" stroke-linejoin=\"round\"/><use \
             href=\"#lines-{role}\" fill=\"none\" color=\"{lines}\" stroke=\"{lines}\" \
             stroke-width=\"1.3\" stroke-linecap=\"round\"/></g>"
        );
    }

    fn write_arrow(&self, svg: &mut String, arrow: Arrow) {
        const COLOR: &str = "#15781b";
        let middle = |square| {
            let (x, y) = self.corner(square);
            (f64::from(x + SQUARE / 2), f64::from(y + SQUARE / 2))
        };
        let ((x, y), (to_x, to_y)) = (middle(arrow.from), middle(arrow.to));
        // `f64::hypot` calls a function from glibc 2.35, so packages would require that version.
        let length = ((to_x - x).powi(2) + (to_y - y).powi(2)).sqrt();
        if length < 1.0 {
            let _ = write!(
                svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"17.5\" fill=\"none\" stroke=\"{COLOR}\" \
                 stroke-width=\"3\" opacity=\".8\"/>"
            );
            return;
        }
        // Drawn along the x-axis and then rotated: a shaft, and a head that ends in the middle of
        // the square.
        let angle = (to_y - y).atan2(to_x - x).to_degrees();
        let (shaft, tip) = (length - 14.0, length - 2.0);
        let _ = write!(
            svg,
            "<path transform=\"translate({x} {y}) rotate({angle:.2})\" fill=\"{COLOR}\" \
             opacity=\".8\" d=\"M6-3.5H{shaft:.2}V-9L{tip:.2} 0L{shaft:.2} 9V3.5H6z\"/>"
        );
    }
}

/// The shapes and lines of each role, from the sheet.
static SHAPES: LazyLock<[String; 6]> = LazyLock::new(|| {
    Role::ALL.map(|role| {
        let group = |kind: &str| {
            let open = format!("<g id=\"{kind}-{}\">", role.name());
            let (_, rest) = SHEET.split_once(&open).expect("the sheet has each role");
            let (inner, _) = rest.split_once("</g>").expect("each group is closed");
            let lines: String = inner.lines().map(str::trim).collect();
            // On the web page, a CSS class fills the dots.
            format!(
                "{open}{}</g>",
                lines.replace("class=\"dot\"", "fill=\"currentColor\"")
            )
        };
        group("shape") + &group("lines")
    })
});
