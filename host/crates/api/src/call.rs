//! A call, as the `OpenAPI` document describes it.

use crate::{
    problem::Code,
    record::RecordRow,
    schemas::{SchemaOf, Schemas, schema_of},
};
use serde_json::{Value, json};
use strum::IntoStaticStr;
use utoipa::ToSchema;

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub id: &'static str,
    pub tag: &'static str,
    pub method: Verb,
    pub path: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    pub parameters: fn() -> Vec<Value>,
    /// The schema of the body, if there is one.
    pub form: Option<SchemaOf>,
    /// A schema that the body must not match.
    pub excluded: Option<fn() -> Value>,
    /// The reply's status.
    pub status: &'static str,
    pub reply_description: &'static str,
    pub reply: ReplyType,
    /// Another media type for the reply, for clients whose `Accept` prefers it. Its example is
    /// `text` in `example`.
    pub alternative: Option<ReplyType>,
    /// The stream's records, if the call has a stream.
    pub records: &'static [RecordRow],
    /// A request, its reply and the records of a stream, in JSON. Long lines of text are cut off
    /// and end in `…`.
    pub example: &'static str,
    /// Request headers.
    pub header_parameters: &'static [(&'static str, &'static str)],
    /// Reply headers.
    pub headers: &'static [(&'static str, &'static str)],
    /// Headers that only some replies have.
    pub optional_headers: &'static [(&'static str, &'static str)],
    /// Statuses of replies without a body.
    pub bare_statuses: &'static [&'static str],
    pub errors: &'static [&'static [Code]],
}

/// The method of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE", const_into_str)]
pub enum Verb {
    Get,
    Post,
    Delete,
}

/// A reply's media type and schema.
#[derive(Clone, Copy, Debug)]
pub struct ReplyType {
    pub media_type: &'static str,
    pub schema: SchemaOf,
}

impl Call {
    /// Creates a `GET` call without parameters that replies with JSON.
    pub const fn get(id: &'static str, path: &'static str, schema: SchemaOf) -> Self {
        Self {
            id,
            tag: "chess",
            method: Verb::Get,
            path,
            summary: "",
            description: "",
            parameters: Vec::new,
            form: None,
            excluded: None,
            status: "200",
            reply_description: "The reply.",
            reply: ReplyType {
                media_type: JSON,
                schema,
            },
            alternative: None,
            records: &[],
            example: "",
            header_parameters: &[],
            headers: &[],
            optional_headers: &[],
            bare_statuses: &[],
            errors: &[],
        }
    }

    /// Creates a `GET` call that replies with JSON that clients may keep and revalidate.
    pub const fn tagged(id: &'static str, path: &'static str, schema: SchemaOf) -> Self {
        Self {
            header_parameters: IF_NONE_MATCH,
            headers: TAGGED,
            bare_statuses: &["304"],
            errors: &[CLIENT],
            ..Self::get(id, path, schema)
        }
    }

    /// Creates a `POST` call that takes a game and replies with JSON.
    pub const fn post<F: ToSchema>(id: &'static str, path: &'static str, schema: SchemaOf) -> Self {
        let form = Some(schema_of::<F> as SchemaOf);
        Self {
            method: Verb::Post,
            form,
            errors: &[CLIENT, BODY, GAME],
            ..Self::get(id, path, schema)
        }
    }

    /// Creates a `POST` call without a body that replies with JSON.
    pub const fn action(id: &'static str, path: &'static str, schema: SchemaOf) -> Self {
        Self {
            method: Verb::Post,
            ..Self::get(id, path, schema)
        }
    }

    /// Returns whether the call identifies its client.
    pub fn identifies_client(&self) -> bool {
        self.errors
            .iter()
            .any(|codes| codes.contains(&Code::UnknownClient))
    }

    /// Returns whether the call belongs to the 2014 project.
    pub fn is_legacy(&self) -> bool {
        is_legacy_path(self.path)
    }

    /// Parses the example.
    ///
    /// # Panics
    /// The example is not JSON.
    pub fn example(&self) -> Value {
        serde_json::from_str(self.example).expect("the examples are JSON")
    }
}

/// Returns whether a path belongs to the 2014 project.
pub fn is_legacy_path(path: &str) -> bool {
    path.starts_with("/api/")
}

const JSON: &str = "application/json";
/// Headers of a reply that caches may keep and revalidate.
pub const TAGGED: &[(&str, &str)] = &[
    ("ETag", "The tag of the reply."),
    ("Cache-Control", "How long caches may keep the reply."),
    (
        "Vary",
        "`Accept-Encoding`: the reply is compressed for clients that accept it.",
    ),
];
pub const IF_NONE_MATCH: &[(&str, &str)] = &[(
    "If-None-Match",
    "The `ETag` of your copy. The reply is a 304 if the copy is still current.",
)];
/// Errors that the head of any request can cause.
pub const OF_EVERY_CALL: &[Code] = &[Code::MalformedRequest, Code::HostNotAllowed];
/// Errors that any call that identifies its client can cause.
pub const CLIENT: &[Code] = &[Code::UnknownClient, Code::RateLimited, Code::Internal];
pub const BODY: &[Code] = &[
    Code::MalformedRequest,
    Code::RequestTimeout,
    Code::BodyTooLarge,
    Code::UnsupportedMediaType,
    Code::ServerBusy,
];
pub const GAME: &[Code] = &[Code::IllegalGame];
pub const AI: &[Code] = &[
    Code::AiNotAllowed,
    Code::UnknownAi,
    Code::AiFailed,
    Code::AiCrashed,
    Code::AiOutOfMemory,
    Code::AiIllegalMove,
    Code::AiProtocolError,
    Code::AiTimeout,
    Code::AiUnavailable,
    Code::QueueFull,
];

/// Returns the schema of plain text.
pub fn text(_: &mut Schemas) -> Value {
    json!({"type": "string"})
}

/// Returns the schema of a list of objects.
pub fn list<T: ToSchema>(schemas: &mut Schemas) -> Value {
    json!({"type": "array", "items": schema_of::<T>(schemas)})
}
