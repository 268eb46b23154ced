//! Enums with a name of each variant in the database, journals, cursors and the API.

/// Defines an enum with names of its variants: `ALL` and `NAMES` are in declaration order, `name` (or the method after
/// `by`) returns the name, and `named` accepts the exact name only.
#[macro_export]
macro_rules! wire_enum {
    (@word: $($variant:ident = $word:literal),+) => {
        $crate::wire_enum!(@word name: $($variant = $word),+);
    };
    (@word $method:ident: $($variant:ident = $word:literal),+) => {
        pub const fn $method(self) -> &'static str {
            match self { $(Self::$variant => $word,)+ }
        }
    };
    (
        $(#[$of_all:meta])*
        $visible:vis enum $name:ident $(by $method:ident)? {
            $($(#[$of_one:meta])* $variant:ident = $word:literal),+ $(,)?
        }
    ) => {
        $(#[$of_all])*
        $visible enum $name {
            $($(#[$of_one])* $variant,)+
        }

        impl $name {
            pub const NAMES: [&'static str; [$($word),+].len()] = [$($word),+];
            pub const ALL: [Self; Self::NAMES.len()] = [$(Self::$variant),+];

            $crate::wire_enum!(@word $($method)?: $($variant = $word),+);

            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    crate::wire_enum! {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Default)]
        enum Wind {
            /// Warm.
            South = "southWind",
            #[default]
            North = "north wind",
        }
    }

    crate::wire_enum! {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Tide by code {
            Ebb = "e",
            Flood = "f",
        }
    }

    #[test]
    fn every_name_maps_back_to_its_variant() {
        assert_eq!(Wind::ALL, [Wind::South, Wind::North]);
        assert_eq!(Wind::NAMES, ["southWind", "north wind"]);
        assert_eq!(Wind::ALL.map(Wind::name), Wind::NAMES);
        assert_eq!(Wind::NAMES.map(Wind::named), Wind::ALL.map(Some));
        assert_eq!(Tide::ALL.map(Tide::code), Tide::NAMES);
        assert_eq!(Tide::NAMES.map(Tide::named), Tide::ALL.map(Some));
        for other in ["", "SouthWind", "southWin", "southWind ", "South"] {
            assert_eq!(Wind::named(other), None);
        }
    }

    #[test]
    fn attributes_are_kept() {
        assert_eq!(Wind::default(), Wind::North);
        assert!(Wind::South < Wind::North);
    }
}
