//! The baseline for the service: actix, an r2d2 pool, one indexed Diesel select.
//!
//! `bare_handler DATABASE_URL ADDRESS:PORT` serves `GET /projects/{account}/{id}`: no token, no scopes, no limits,
//! three columns as JSON.

use actix_web::{App, HttpResponse, HttpServer, web};
use diesel::{
    PgConnection, SqliteConnection,
    prelude::*,
    r2d2::{ConnectionManager, Pool},
};
use schema::projects;
use serde_json::json;
use std::io::{Error, ErrorKind, Result};

/// The service's default.
const CONNECTIONS: u32 = 6;

mod schema {
    diesel::table! {
        projects (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            name -> Text,
            domain -> Text,
        }
    }
}

macro_rules! served_on {
    ($connection:ty, $url:expr, $address:expr) => {{
        let pool: Pool<ConnectionManager<$connection>> = Pool::builder()
            .max_size(CONNECTIONS)
            .test_on_check_out(false)
            .build(ConnectionManager::new($url))
            .map_err(Error::other)?;
        HttpServer::new(move || {
            let pool = pool.clone();
            let answer = move |path: web::Path<(i64, i64)>| {
                let pool = pool.clone();
                async move {
                    let found = web::block(move || {
                        let mut connection = pool.get().ok()?;
                        projects::table
                            .find(path.into_inner())
                            .select((projects::id, projects::name, projects::domain))
                            .first::<(i64, String, String)>(&mut connection)
                            .ok()
                    });
                    match found.await {
                        Ok(Some((id, name, domain))) => HttpResponse::Ok()
                            .json(json!({ "id": id, "name": name, "domain": domain })),
                        _ => HttpResponse::NotFound().finish(),
                    }
                }
            };
            App::new().route("/projects/{account}/{id}", web::get().to(answer))
        })
        .bind($address)?
        .run()
        .await
    }};
}

#[actix_web::main]
async fn main() -> Result<()> {
    let mut given = std::env::args().skip(1);
    let (Some(url), Some(address)) = (given.next(), given.next()) else {
        let usage = "usage: bare_handler DATABASE_URL ADDRESS:PORT";
        return Err(Error::new(ErrorKind::InvalidInput, usage));
    };
    if let Some(path) = url.strip_prefix("sqlite://") {
        served_on!(SqliteConnection, path, address)
    } else {
        served_on!(PgConnection, url, address)
    }
}
