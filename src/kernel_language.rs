#![doc = include_str!("../docs/kernel-language.md")]
