//! The formats: a module and an entry for each.

mod boards;
mod csharp;
mod diagram;
mod epd;
mod fen;
mod html;
mod pgn;
mod san;
pub(crate) mod svg;
mod uci;

use std::cmp::Reverse;

use clap::ValueEnum;
use rules::{format_fen, format_xfen};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Format, GameRecord, Likeness, Part, Sample};

/// Calls a macro with the entry of each format: its name, its description and its implementation.
/// If requests accept text in the format, the key, description and options of the text follow.
// Each run of rustfmt would move the continued lines of the strings further left.
#[rustfmt::skip]
#[macro_export]
macro_rules! formats {
    ($with:ident) => {
        $with! {
            Fen "A position, in six fields" = fen::Fen(format_fen);
            Xfen "A FEN with castling rights by side even in Chess960" = fen::Fen(format_xfen),
                xfen "A position in X-FEN." [];
            Epd "A position with operations" = epd::EpdFormat, epd "A position in EPD." [];
            Pgn "Games with tags, comments and variations" = pgn::Pgn,
                pgn "One game in PGN." [language];
            Uci "Moves in UCI" = uci::Uci;
            San "Moves in SAN" = san::San;
            Boards "Every position as 8×8 numbers, in JSON" = boards::Boards;
            Html "A web page" = html::Html,
                html "A web page with an element for each square. Its piece is a figurine from \
                    `♔` to `♟`. Its `data-col` is `a` to `h` and its `data-row` `1` to `8`, or \
                    both count from 0 at a8." [turn];
            Text "A diagram in letters" = diagram::Text, text "A diagram in letters." [turn];
            Svg "A picture" = svg::Svg, svg "A picture that this server drew." [];
            Csharp "Every position as C# array initialisers" = csharp::Csharp,
                csharp "Every position as in `boards`, written as C# array initialisers such as `{ \
                    {-4, -2, …}, … }`, with or without `new int[,]`. Other C# code around them \
                    is ignored." [turn];
        }
    };
}

macro_rules! define_names {
    ($(
        $name:ident $about:tt = $format:expr
            $(, $key:ident $description:tt [$($option:ident)?])?;
    )*) => {
        /// The name of a format.
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            Serialize,
            Deserialize,
            ToSchema,
            ValueEnum,
            strum::Display,
            strum::IntoStaticStr,
        )]
        #[strum(serialize_all = "lowercase", const_into_str)]
        #[serde(rename_all = "lowercase")]
        pub enum FormatName {
            $(#[doc = $about] $name,)*
        }

        impl FormatName {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            pub fn format(self) -> &'static dyn Format {
                match self {
                    $(Self::$name => &$format,)*
                }
            }
        }
    };
}

formats!(define_names);

impl FormatName {
    /// Returns the parts of a game that this format can't store.
    pub fn drops(self, record: &GameRecord) -> Vec<Part> {
        Part::ALL
            .iter()
            .copied()
            .filter(|&part| self.drops_part(record, part))
            .collect()
    }

    /// Returns whether the game has this part and the format can't store it.
    pub fn drops_part(self, record: &GameRecord, part: Part) -> bool {
        !self.format().holds().contains(&part) && record.has(part)
    }
}

/// Guesses the format of the text. Only importing it shows whether the guess is right.
pub fn guess(text: &str) -> Option<FormatName> {
    let sample = Sample::of(text);
    let likeness_of = |name: &FormatName| name.format().likeness(&sample);
    let looks = FormatName::ALL
        .iter()
        .map(|name| (*name, likeness_of(name)));
    // The first of equally likely formats wins.
    let (name, likeness) = looks.min_by_key(|(_, likeness)| Reverse(*likeness))?;
    (likeness > Likeness::None).then_some(name)
}
