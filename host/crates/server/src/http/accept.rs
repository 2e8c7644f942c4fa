//! The `Accept` header.

use actix_web::{
    HttpRequest,
    http::header::{Accept, Header as _},
};

/// Returns the offered media type that a request prefers; the first one if the quality is equal.
pub(crate) fn preferred<T: Copy>(request: &HttpRequest, offers: &[(T, &str, &str)]) -> Option<T> {
    let accept = Accept::parse(request).ok()?;
    let acceptable = offers.iter().filter_map(|(offer, kind, subtype)| {
        let (specific, quality) = quality_of(&accept, kind, subtype)?;
        // A named type takes precedence over a wildcard.
        Some(((quality, specific), *offer))
    });
    let best = acceptable.reduce(|best, other| if other.0 > best.0 { other } else { best });
    best.map(|(_, offer)| offer)
}

/// Returns the specificity and the quality, in thousandths, of the most specific range that matches
/// a media type; `None` if it is not acceptable.
fn quality_of(accept: &Accept, kind: &str, subtype: &str) -> Option<(u8, u16)> {
    let ranges = accept.iter().filter_map(|range| {
        let specific = match (range.item.type_().as_str(), range.item.subtype().as_str()) {
            ("*", "*") => 0,
            (found, "*") if found == kind => 1,
            (found, rest) if found == kind && rest == subtype => 2,
            _ => return None,
        };
        let quality = (range.quality.to_string().parse::<f32>().ok()? * 1000.0).round() as u16;
        Some((specific, quality))
    });
    ranges.max().filter(|(_, quality)| *quality > 0)
}
