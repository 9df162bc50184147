//! Runs every program of `examples/`: each holds itself against what it should find.

macro_rules! run {
    ($($name:ident)*) => {
        #[path = "../../examples"]
        mod programs {
            $(pub mod $name;)*
        }

        $(
            #[test]
            fn $name() -> quadrille::Result<()> {
                programs::$name::main()
            }
        )*

        /// An example that nobody runs is not in the list.
        #[test]
        fn every_example_is_run() -> std::io::Result<()> {
            let mut found = Vec::new();
            for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples"))? {
                found.extend(file?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
            }
            found.sort();
            let page = include_str!("../../docs/library.md");
            let unlisted = found.iter().find(|name| !page.contains(&format!("| `examples/{name}.rs` | ")));
            assert_eq!(unlisted, None, "docs/library.md lists them");
            // It needs the main thread and a screen: demos/program/tests/window runs it.
            assert_eq!(found, [$(stringify!($name),)* "window"]);
            Ok(())
        }
    };
}

run! { argmax conjugate_gradients convolution double gray_scott heat histogram in_order inspector life own_operator own_preconditioner particles shader_test sum two_targets until }
