//! Three listed resources, and a template.

use super::samples::RED_PIXEL_PNG;
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

pub fn list() -> Vec<Resource> {
    vec![
        resource("static-text", "A text.", "text/plain"),
        resource("static-binary", "A picture.", "image/png"),
        resource("watched-resource", "A text to subscribe to.", "text/plain"),
    ]
}

pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("test://template/{id}/data", "template")
            .with_description("Data with an id in it.")
            .with_mime_type("application/json"),
    ]
}

pub fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        "test://static-text" => {
            ResourceContents::text("This is the content of the static text resource.", uri)
                .with_mime_type("text/plain")
        }
        "test://static-binary" => {
            ResourceContents::blob(RED_PIXEL_PNG, uri).with_mime_type("image/png")
        }
        "test://watched-resource" => {
            ResourceContents::text("Watched resource content.", uri).with_mime_type("text/plain")
        }
        _ => from_template(uri).ok_or_else(|| {
            ErrorData::resource_not_found("Resource not found", Some(json!({ "uri": uri })))
        })?,
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn from_template(uri: &str) -> Option<ResourceContents> {
    let id = uri
        .strip_prefix("test://template/")?
        .strip_suffix("/data")?;
    if id.is_empty() || id.contains('/') {
        return None;
    }
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"))
}

fn resource(name: &str, description: &str, media_type: &str) -> Resource {
    Resource::new(format!("test://{name}"), name)
        .with_description(description)
        .with_mime_type(media_type)
}
