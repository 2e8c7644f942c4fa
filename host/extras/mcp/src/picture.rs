//! The picture of a position, as a resource.

use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use text::printable;

use api::calls::board::{PictureForm, draw};
use api::query;

const URI: &str = "rookery://board.svg";
const MEDIA_TYPE: &str = "image/svg+xml";

/// Returns the picture of a position, or of the start position if `fen` is `None`.
pub(crate) fn of(fen: Option<&str>) -> Resource {
    // A space is the only character of a FEN that a query must escape.
    let query = fen
        .map(|fen| format!("?fen={}", fen.replace(' ', "%20")))
        .unwrap_or_default();
    Resource::new(format!("{URI}{query}"), "board")
        .with_title("Board")
        .with_mime_type(MEDIA_TYPE)
}

/// Returns the template for the URI of a picture, with its parameters.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(
        format!("{URI}{{?fen,arrows,last_move,orientation,size}}"),
        "board",
    )
    .with_title("Board")
    .with_description("A picture of a position, as GET /v1/board.svg draws it.")
    .with_mime_type(MEDIA_TYPE)
}

/// Draws the picture for a URI.
///
/// # Errors
/// The URI does not refer to a picture, the position is illegal, or a parameter is out of range.
pub(crate) fn read(uri: &str) -> Result<ResourceContents, ErrorData> {
    let query = match uri.strip_prefix(URI) {
        Some("") => "",
        Some(rest) if rest.starts_with('?') => &rest[1..],
        _ => {
            let detail = format!(
                "there is no resource '{}'; the only one is {URI}",
                printable(uri)
            );
            return Err(ErrorData::resource_not_found(detail, None));
        }
    };
    let invalid =
        |error: &dyn std::error::Error| ErrorData::invalid_params(error.to_string(), None);
    let form: PictureForm = query::parse(query).map_err(|error| invalid(&error))?;
    let svg = draw(&form).map_err(|error| invalid(&error))?;
    Ok(ResourceContents::text(svg, uri).with_mime_type(MEDIA_TYPE))
}
