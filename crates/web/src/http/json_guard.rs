//! Strict JSON: one object, no repeated members, bounded depth.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

pub const MAX_DEPTH: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    pub reason: String,
    /// 1-based.
    pub line: usize,
    /// 1-based byte in the line; 0 is before the first.
    pub column: usize,
}

pub fn parse(bytes: &[u8]) -> Result<Map<String, Value>, Malformed> {
    parse_within(bytes, MAX_DEPTH)
}

pub fn parse_within(bytes: &[u8], max_depth: usize) -> Result<Map<String, Value>, Malformed> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Guard {
        depth: 0,
        max: max_depth,
    }
    .deserialize(&mut deserializer)
    .and_then(|value| deserializer.end().map(|()| value));
    match value {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Malformed {
            reason: "the body must be a JSON object".to_owned(),
            line: 1,
            column: 1,
        }),
        Err(error) => Err(Malformed {
            reason: error.to_string(),
            line: error.line(),
            column: error.column(),
        }),
    }
}

#[derive(Clone, Copy)]
struct Guard {
    depth: usize,
    max: usize,
}

impl Guard {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        let max_depth = self.max;
        if depth > max_depth {
            return Err(E::custom(format!(
                "values are nested more than {max_depth} deep"
            )));
        }
        Ok(Self {
            depth,
            max: max_depth,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Guard {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Guard {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number is too large"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!(
                    "the member `{name}` is there twice"
                )));
            }
            let value = members.next_value_seed(inner)?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_clean_object_is_a_body() {
        assert!(parse(br#"{"a":[1,-2.5,"x",null,true]}"#).is_ok());
        for (body, reason) in [
            (&br#"{"a":1,"a":2}"#[..], "`a` is there twice"),
            (br#"{"x":{"a":1,"a":2}}"#, "`a` is there twice"),
            (b"[]", "must be a JSON object"),
            (b"{} {}", "trailing"),
            (b"{\"a\":NaN}", "expected"),
            (b"{\"a\":1e400}", "number out of range"),
            (b"\xef\xbb\xbf{}", "expected"),
            (b"{\"a\":\"\xff\"}", "unicode"),
            (b"", "EOF"),
        ] {
            let error = parse(body).unwrap_err();
            assert!(error.reason.contains(reason), "{error:?}");
        }
        let error = parse(b"{\n  \"a\": 1,\n  \"b\": ?}").unwrap_err();
        assert_eq!((error.line, error.column), (3, 8));
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| {
            format!(
                "{}{}",
                r#"{"a":"#.repeat(depth),
                "1".to_owned() + &"}".repeat(depth)
            )
        };
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert!(
            parse(nested(MAX_DEPTH + 1).as_bytes())
                .unwrap_err()
                .reason
                .contains("nested")
        );
    }
}
