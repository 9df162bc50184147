//! Compiling: errors at the kernel's own lines, each text once, and every kernel we ship in every variant.

use quadrille::gl::{Kernel, Prelude, Rounding};
use quadrille::{Error, Gpu, Result, kernels};

use crate::support::{on_gpu, refusal};

/// Where a kernel's error is: name, line, text of the line, the driver's words, number of further errors.
fn place<T>(result: Result<T>) -> (String, u32, String, String, usize) {
    match result.err() {
        Some(Error::Compile { kernel, line, text, message, others, log }) => {
            assert!(log.contains(&message), "the words are the driver's: {log}");
            (kernel, line, text, message, others)
        }
        other => (format!("{other:?}"), 0, String::new(), String::new(), 0),
    }
}

const GOOD: &str = "\
// a comment; uniform float no;

uniform Stream a;  /* over
   three
   lines: RANGE vec4 no; */ uniform float b;
#define TWICE(x) (2.0 * (x))
DOMAIN at;
RANGE vec4 r;

float half_of(float x) {
    return 0.5 * x;
}

void main() {
    r = vec4(TWICE(b)) + half_of(value2(a, at).x);
}
";

#[test]
fn an_error_on_each_line_of_a_kernel_is_found_there() -> Result<()> {
    on_gpu(|gpu| {
        gpu.program("good.frag", GOOD)?;
        for (line, good, bad) in [
            (11, "0.5 * x", "0.5 * mistaken"),
            (15, "TWICE(b)", "TWICE(mistaken)"),
            (15, "value2(a, at)", "mistaken(a, at)"),
            (10, "float half_of", "float x; mistaken half_of"),
            (15, "+ half_of", "+ ) mistaken"),
        ] {
            for ends in ["\n", "\r\n"] {
                let text = GOOD.replace(good, bad).replace('\n', ends);
                let (kernel, found, words, message, _) = place(gpu.program("bad.frag", &text));
                assert_eq!((kernel.as_str(), found), ("bad.frag", line), "{bad}: {message}");
                assert!(words.contains("mistaken") && !words.contains('\r'), "{words:?}");
                assert!(!message.is_empty());
            }
        }
        Ok(())
    })
}

#[test]
fn the_driver_names_what_it_does_not_know_and_the_rest_is_counted() -> Result<()> {
    on_gpu(|gpu| {
        let text = "RANGE float r;\nvoid main() {\n    r = one;\n    r += two;\n    r += three;\n}";
        let (_, line, words, message, others) = place(gpu.program("three.frag", text));
        assert_eq!((line, words.as_str()), (3, "r = one;"));
        assert!(message.contains("one"), "{message}");
        let shown = refusal(gpu.program("three.frag", text));
        assert!(shown.starts_with("three.frag:3: `r = one;`: "), "{shown}");
        match others {
            0 => assert!(!shown.contains("(and")), // a driver may stop at the first
            1 => assert!(shown.ends_with(" (and 1 more error)"), "{shown}"),
            n => assert!(shown.ends_with(&format!(" (and {n} more errors)")), "{shown}"),
        }
        Ok(())
    })
}

#[test]
fn vertex_kernels_and_variants_keep_their_lines_too() -> Result<()> {
    on_gpu(|gpu| {
        let fragment = || Kernel::new("one.frag", "RANGE float r; void main() { r = 1.0; }");
        let vertex = Kernel::new("place.vert", "VERTEX vec2 p;\n\nvoid main() {\n    scatter(q);\n}");
        let (kernel, line, text, ..) = place(gpu.load_scatter(vertex, fragment()));
        assert_eq!((kernel.as_str(), line, text.as_str()), ("place.vert", 4, "scatter(q);"));
        let defined = Kernel::new("v.frag", "RANGE float r;\nvoid main() {\n    r = VALUE;\n}");
        let defined = defined.define("OTHER", 1).define("VALUE", "not_there").define("THIRD", 3);
        let (kernel, line, text, message, _) = place(gpu.load(defined));
        assert_eq!((kernel.as_str(), line, text.as_str()), ("v.frag", 3, "r = VALUE;"));
        assert!(message.contains("not_there"), "{message}");
        let rounded = Kernel::new("v.frag", "RANGE vec2 r;\nvoid main() {\n    r = oops;\n}");
        let (_, line, text, ..) = place(gpu.context().compile(&rounded, Rounding::Ati24));
        assert_eq!((line, text.as_str()), (3, "r = oops;"));
        Ok(())
    })
}

#[test]
fn stages_that_do_not_fit_do_not_link() -> Result<()> {
    on_gpu(|gpu| {
        let vertex =
            Kernel::new("k.vert", "out vec2 sent; void main() { scatter(vec2(0.0)); sent = vec2(1.0); }");
        let fragment = Kernel::new("k.frag", "in vec3 sent; RANGE float r; void main() { r = sent.z; }");
        let line = refusal(gpu.load_scatter(vertex, fragment));
        assert!(line.starts_with("k.frag: does not link: ") && line.contains("sent"), "{line}");
        Ok(())
    })
}

#[test]
fn kernels_without_range_or_with_too_much_of_anything_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let line = "k.frag:1: `// no range`: no RANGE declared: a kernel writes at least one, \
                    as in `RANGE vec4 result;` (see quadrille::kernel_language)";
        assert_eq!(refusal(gpu.program("k.frag", "// no range\nvoid main() {}")), line);
        let version = "expected no #version: the loader puts the right one before the kernel";
        let range = "no RANGE declared: a kernel writes at least one, as in `RANGE vec4 result;`";
        let hint = "; an application's shader is drawn as it is by `Gpu::shader` (feature `testing`)";
        for (text, says) in [
            (
                "// A\n#version 330 core\nout vec4 c;\nvoid main() {}",
                format!("2: `#version 330 core`: {version}{hint}"),
            ),
            ("\n#version 300 es\nRANGE vec4 c;\nvoid main() {}", format!("2: `#version 300 es`: {version}")),
            ("out vec4 c;\nvoid main() { c = vec4(1.0); }", format!("1: `out vec4 c;`: {range}{hint}")),
            (
                "uniform float n;\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(n); }",
                format!("2: `layout(location = 0) out vec4 c;`: {range}{hint}"),
            ),
            (
                "void sent(out float a,\n  out vec4 b) { }\nvoid main() {}",
                format!("1: `void sent(out float a,`: {range}"),
            ),
            (
                "void main()\n{\n  gl_FragColor = vec4(1.0);\n}",
                format!("3: `gl_FragColor = vec4(1.0);`: {range}{hint}"),
            ),
        ] {
            assert_eq!(
                refusal(gpu.program("k.frag", text)),
                format!("k.frag:{says} (see quadrille::kernel_language)")
            );
        }
        let line = "k.frag:2: `RANGE vec4 a, b;`: expected `RANGE TYPE NAME;` where TYPE is float, vec2, vec3 or vec4, \
                    with one name a declaration (see quadrille::kernel_language)";
        assert_eq!(refusal(gpu.program("k.frag", "\n  RANGE vec4 a, b;\nvoid main() {}")), line);
        let most = gpu.limits().targets as usize;
        let ranges: String = (0..=most).map(|i| format!("RANGE float r{i}; ")).collect();
        let line = format!("k.frag: number of RANGE outputs is {}, the limit is {most}", most + 1);
        assert_eq!(refusal(gpu.program("k.frag", &format!("{ranges} void main() {{ r0 = 1.0; }}"))), line);
        let domains: String = (0..9).map(|i| format!("DOMAIN d{i}; ")).collect();
        let text = format!("{domains} RANGE vec2 r; void main() {{ r = d0; }}");
        assert_eq!(refusal(gpu.program("k.frag", &text)), "k.frag: number of domains is 9, the limit is 8");
        let most = gpu.limits().streams as usize;
        let streams: String = (0..=most).map(|i| format!("uniform Stream s{i}; ")).collect();
        let sum: Vec<String> = (0..=most).map(|i| format!("value2(s{i}, at)")).collect();
        let text = format!("{streams} DOMAIN at; RANGE vec4 r; void main() {{ r = {}; }}", sum.join(" + "));
        let line = refusal(gpu.program("k.frag", &text));
        let told = format!("k.frag: number of streams is {}, the limit is {most}", most + 1);
        assert!(line == told || line.starts_with("k.frag: does not link"), "{line}");
        Ok(())
    })
}

#[test]
fn the_same_text_is_compiled_once_and_other_defines_again() -> Result<()> {
    on_gpu(|gpu| {
        let compiles = || gpu.counters().compiles;
        let kernel = |name: &str| Kernel::new(name, "RANGE float r; void main() { r = float(N); }");
        let before = compiles();
        let first = gpu.load(kernel("a.frag").define("N", 1))?;
        assert_eq!(compiles(), before + 1);
        let again = gpu.load(kernel("b.frag").define("N", 1))?;
        assert_eq!((compiles(), again.name()), (before + 1, "b.frag"));
        drop((first, again));
        let kept = gpu.load(kernel("a.frag").define("N", 1))?;
        assert_eq!(compiles(), before + 1, "kept for the next who asks");
        let other = gpu.load(kernel("a.frag").define("N", 2))?;
        assert_eq!(compiles(), before + 2);
        let target = gpu.buffer(1, 1).build()?;
        for (program, value) in [(&kept, 1.0), (&other, 2.0), (&kept, 1.0)] {
            program.run(&target)?;
            assert_eq!(target.data()?, [value]);
        }
        Ok(())
    })
}

fn reduction(row: u32, column: u32, guard: u32) -> Result<Kernel> {
    let hop = if column.is_multiple_of(2) { "vec2(0.125)" } else { "(stride * values.extent.zw)" };
    Ok(kernels::named("pug/reduce.frag")?
        .define("COMBINE", "a + b")
        .define("HOP", hop)
        .define("FIRST", "first")
        .define("ROW", format!("X{}", 1 << row))
        .define("COLUMN", format!("Y{}", 1 << column))
        .define("GUARD", guard))
}

/// The variants of `pug/reduce.frag` for buffers: up to 64 fetches in any split of the sides, with each guard.
fn reductions() -> Result<Vec<Kernel>> {
    let mut variants = Vec::new();
    for (row, column) in (0..=6).flat_map(|row| (0..=6 - row).map(move |column| (row, column))) {
        for guard in 0..=2 {
            variants.push(alone(reduction(row, column, guard)?.define("TERM", 0).define("FOLD", 0)));
        }
    }
    Ok(variants)
}

fn alone(kernel: Kernel) -> Kernel {
    kernel.define("PAIR", 0).splice("DECLARE_SECOND", "")
}

fn beside_another(kernel: Kernel) -> Kernel {
    kernel.define("PAIR", 1).splice("DECLARE_SECOND", "RANGE vec4 second;")
}

/// Those for vectors and solvers: what the first pass reads, and whether the last one folds the channels. The split
/// of the sides is another matter, so the smallest, a flat and a large one do.
fn reductions_of_terms() -> Result<Vec<Kernel>> {
    let mut variants = Vec::new();
    // Pairs begin with the sums of conjugate gradients, and go on with what the first pass left.
    let pairs = [(3, 0, true), (4, 0, true), (0, 0, true)];
    let single = (0..=4).flat_map(|term| [(term, 0, false), (term, 1, false)]);
    for (term, fold, pair) in single.chain(pairs) {
        for (row, column, guard) in [(0, 0, 0), (1, 0, 1), (2, 0, 2), (3, 3, 0), (3, 2, 1)] {
            let kernel = reduction(row, column, guard)?.define("TERM", term);
            let kernel = kernel.define("FOLD", fold);
            variants.push(if pair { beside_another(kernel) } else { alone(kernel) });
        }
    }
    Ok(variants)
}

/// Names of `#define`s, and the values of each.
pub type Defines = &'static [(&'static str, &'static [i32])];

/// Slots in a loop whose end is a constant of the pass, one slot, and a few.
const GATHER: Defines = &[
    ("SLOTS", &[0, 1, 7]),
    ("PAIRS", &[0, 1]),
    ("CHANNEL", &[0, 1]),
    ("DIAGONAL", &[0, 1]),
    ("BASE", &[-1, 0, 1]),
    ("DOUBLE", &[0, 1]),
];

/// Whole rows, and rows that take several passes.
const MESH_ROWS: Defines = &[
    ("FORM", &[0, 1, 2, 3, 4]),
    ("SLOTS", &[0, 7]),
    ("BASE", &[-1, 0, 1]),
    ("BEGUN", &[0, 1]),
    ("ENDS", &[0, 1]),
];

/// The `#define`s of kernels with variants, each with its values.
const DEFINES: &[(&str, Defines)] = &[
    ("flow/isoline_ask.frag", &[("EXACT", &[0, 1]), ("MASKED", &[0, 1])]),
    ("flow/orbit_count.frag", &[("EXIT", &[0, 1]), ("TRIPS", &[256])]),
    ("flow/plate_cool.frag", &[("PLACE", &[0, 1, 2])]),
    ("flow/plate_relax.frag", &[("RESTING", &[0, 1])]),
    ("flow/regions_work.frag", &[("SIDE", &[0, 1, 2, 3, 4]), ("STEPS", &[2, 100])]),
    ("bench/batty_multiply.frag", &[("ADDRESS", &[0, 1, 2]), ("PASSED", &[0, 1])]),
    ("bench/segments.frag", &[("SLOTS", &[1, 7])]),
    ("bench/voxels_multiply.frag", &[("STACKED", &[0, 1])]),
    ("linalg/dense.frag", &[("BASE", &[-1, 0, 1]), ("SPLIT", &[0, 1]), ("TRANSPOSED", &[0, 1])]),
    ("linalg/dense_sum.frag", &[("BASE", &[-1, 0, 1]), ("TRANSPOSED", &[0, 1]), ("COUNT", &[2, 32])]),
    ("linalg/diagonal.frag", &[("OLD", &[0, 1])]),
    ("linalg/double_sums.frag", &[("TERMS", &[0, 1]), ("SIDE", &[1, 8])]),
    ("linalg/entries.frag", &[("OPERATION", &[0, 1]), ("A", &[0, 1, 2])]),
    ("linalg/gather.frag", GATHER),
    ("linalg/gather_order.frag", &[("PAIRS", &[0, 1]), ("DIAGONAL", &[0, 1]), ("BASE", &[-1, 0, 1])]),
    (
        "linalg/nine_point.frag",
        &[
            ("FORM", &[-1, 0, 1, 2, 3, 4, 5, 6, 7]),
            ("ENTRIES", &[0b0_1011_1010, 0b1_1111_1111]),
            ("SEAM", &[0, 3]),
            ("UNIFORM", &[0, 1]),
            ("PADDING", &[0, 3]),
            ("CORRECTED", &[0, 1]),
        ],
    ),
    ("linalg/nine_point_twice.frag", &[("FIVE", &[0, 1])]),
    ("linalg/nine_point_between.frag", &[("MARKS", &[0, 1])]),
    (
        "linalg/nine_point_weights.frag",
        &[("PART", &[1, 3, 4, 5, 7]), ("EXTRA", &[0, 1]), ("SEAM", &[0, 1, 2, 3])],
    ),
    ("linalg/quadrants_border.frag", &[("COLUMN", &[0, 1])]),
    ("linalg/record.frag", &[("UNSIGNED", &[0, 1])]),
    ("linalg/scalar_op.frag", &[("OPERATION", &[0, 1, 2, 3, 4, 5, 6, 7])]),
    ("linalg/seven_point.frag", &[("FORM", &[-1, 0, 1, 2, 3, 4]), ("WEIGHTS", &[0, 1])]),
    ("linalg/sum_parts.frag", &[("BASE", &[-1, 0, 1])]),
    (
        "linalg/vector_op.frag",
        &[("OPERATION", &[0, 1, 2, 3]), ("A", &[0, 1, 2]), ("B", &[0, 1, 2]), ("PADDED", &[0, 1, 2])],
    ),
    ("matrix/elements.frag", &[("OPERATION", &[0, 1, 2, 3, 4, 5, 6, 7]), ("PADDED", &[0, 1])]),
    ("matrix/part.frag", &[("SHIFT", &[0, 1, 2, 3])]),
    ("matrix/merge.frag", &[("PARTS", &[0, 1]), ("SCALED", &[0, 1]), ("BETA", &[0, 1]), ("PADDED", &[0, 1])]),
    ("sim/contact_survey.frag", &[("STAGE", &[0, 1, 2])]),
    ("sim/heat_step.frag", &[("SIDES", &[0, 1]), ("WEIGHTS", &[0, 1])]),
    ("sim/liquid_touch.frag", &[("PUSH", &[0, 1]), ("SMOKE", &[0, 1])]),
    ("sim/nbody_conserved.frag", &[("MOMENTS", &[0, 1])]),
    (
        "sim/nbody_pull.frag",
        &[
            ("SOURCES", &[0, 1, 3]),
            ("TARGETS", &[1, 4]),
            ("WIDTH", &[1, 91]),
            ("POTENTIAL", &[0, 1]),
            ("SOFTENED", &[0, 1]),
        ],
    ),
    ("sim/mesh_rows.frag", MESH_ROWS),
    (
        "solve/multigrid_compose.frag",
        &[("AXIS", &[0, 1]), ("ENTRIES", &[1, 2, 3, 4, 5, 6, 7]), ("SEAM", &[0, 1])],
    ),
    ("solve/multigrid_descend.frag", &[("BEGIN", &[0, 1])]),
    ("solve/multigrid_prolong.frag", &[("FORM", &[0, 1]), ("INVERSE", &[0, 1])]),
    (
        "solve/multigrid_restrict.frag",
        &[("FORM", &[0, 1, 2]), ("INVERSE", &[0, 1]), ("ENTRIES", &[0, 0b0_1011_1010, 0b1_1111_1111])],
    ),
    ("solve/coupled_merge.frag", &[("COUNT", &[1, 2, 8]), ("CONSERVE", &[0, 1]), ("GIVEN", &[0, 1])]),
    ("solve/coupled_given.frag", &[("CONSERVE", &[0, 1])]),
    ("solve/coupled_product.frag", &[("AUXILIARY", &[0, 1])]),
    ("solve/coupled_split.frag", &[("COUNT", &[1, 2, 3, 4])]),
    ("solve/cg_update.frag", &[("PRECONDITIONED", &[0, 1])]),
    ("solve/lcp_step.frag", &[("MOMENTUM", &[0, 1]), ("BOX", &[0, 1])]),
    ("solve/lcp_survey.frag", &[("PARTIALS", &[0, 1]), ("BOX", &[0, 1]), ("STEER", &[0, 1])]),
    ("streams/image_double.frag", &[("COMBINE", &[0, 1, 2])]),
    ("streams/image_halve.frag", &[("TAPS_X", &[2, 3]), ("TAPS_Y", &[2, 3])]),
    ("streams/sort_pack.frag", &[("PAIRS", &[0, 1])]),
    (
        "streams/sort_pass.frag",
        &[("STEPS", &[0, 1, 2, 3]), ("MIRRORED", &[0, 1]), ("INSIDE", &[0, 1, 2]), ("PAIRS", &[0, 1])],
    ),
    ("streams/sums_down.frag", &[("ELEMENT", &[0, 1])]),
    ("streams/sums_up.frag", &[("LEVEL", &[1, 2])]),
    ("solve/coupled_join.frag", &[("COUNT", &[2, 3, 4])]),
    ("solve/voxel_coarsen.frag", &[("PART", &[0, 1, 2, 3, 4, 5]), ("WEIGHTS", &[0, 1])]),
    ("solve/voxel_weights.frag", &[("AXIS", &[0, 1, 2])]),
    ("view/box_open.frag", &[("GROUND", &[0, 1])]),
    ("view/box_shade.frag", &[("GROUND", &[0, 1])]),
    ("view/faces_open.frag", &[("SIDE", &[8])]),
    ("view/orbits_light.frag", &[("TRIPS", &[1, 300])]),
    (
        "view/colour_map.frag",
        &[
            ("LOGARITHMIC", &[0, 1]),
            ("LINES", &[0, 1]),
            ("SMOOTH", &[0, 1]),
            ("OVER", &[0, 1]),
            ("TINT", &[0, 1]),
            ("RELIEF", &[0, 1]),
            ("BLOCKS", &[0, 1]),
        ],
    ),
    ("view/extremes.frag", &[("LENGTH", &[0, 1])]),
    (
        "view/fluid_paint.frag",
        &[
            ("SHADE", &[0, 1, 2, 3, 4]),
            ("LIGHTS", &[0, 1]),
            ("LOGARITHMIC", &[0, 1]),
            ("LINES", &[0, 1]),
            ("STREAMLINES", &[0, 1]),
        ],
    ),
    (
        "view/nodes_colour.frag",
        &[("ARROWS", &[0, 1]), ("LOGARITHMIC", &[0, 1]), ("LINES", &[0, 1]), ("MASKED", &[0, 1])],
    ),
    ("view/streamlines.frag", &[("STEPS", &[1, 10])]),
    ("view/volume_march.frag", &[("SMOKE", &[0, 1]), ("HOT", &[0, 1]), ("REFINED", &[0, 1])]),
    (
        "view/picture_develop.frag",
        &[("STRETCHED", &[0, 1]), ("WATER", &[0, 1]), ("SKY", &[0, 1]), ("SAMPLES", &[1, 2, 4])],
    ),
];

/// Kernels that are no text yet: their rooms write the rest of them, and the tests of these run what they wrote.
const GENERATED: &[&str] = &[
    "linalg/banded.frag",
    "matrix/multiply.frag",
    "solve/cg_inline_sums.frag",
    "solve/cg_inline_update.frag",
    "streams/bins_gather.frag",
];

fn defines_of(name: &str) -> Defines {
    let mut all = DEFINES.iter().chain(super::fluid_variants::DEFINES);
    all.find(|(known, _)| *known == name).map_or(&[][..], |(_, defines)| defines)
}

/// Kernels that are loaded with the words for voxels: beginnings of their names.
const OF_VOXELS: &[&str] = &[
    "bench/voxels_",
    "linalg/seven_point",
    "sim/liquid_",
    "sim/voxel_",
    "solve/voxel_",
    "view/volume_march",
    "view/volume_smooth",
];

/// Kernels that are loaded with the words for fluids: beginnings of their names.
const OF_FLUIDS: &[&str] = &["sim/clouds_", "sim/fluid_", "view/flow_direction", "view/sky_"];

/// Kernels that are loaded with the words for false colours.
const OF_TONES: &[&str] = &["view/colour_map", "view/fluid_paint", "view/nodes_colour"];

/// Kernels that are loaded with the words for double-single numbers, one of them where `DOUBLE` is 1.
const OF_DOUBLES: &[&str] = &["linalg/double_", "linalg/gather.frag", "probe/double_single", "solve/double_"];

/// A built-in kernel with the words that it is loaded with.
fn with_words(name: &str) -> Result<Kernel> {
    let rooms = [
        (OF_VOXELS, Prelude::Voxels),
        (OF_FLUIDS, Prelude::Fluid),
        (OF_TONES, Prelude::Tones),
        (OF_DOUBLES, Prelude::DoubleSingle),
    ];
    let is_of = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    let kernel = kernels::named(name)?;
    Ok(rooms
        .into_iter()
        .filter(|(names, _)| is_of(names))
        .fold(kernel, |kernel, (_, words)| kernel.with(words)))
}

/// A kernel with each value of each of its `#define`s.
fn variants(name: &str) -> Result<Vec<Kernel>> {
    let mut variants = vec![with_words(name)?];
    let defines = defines_of(name);
    for (define, values) in defines {
        let with = |kernel: Kernel| values.iter().map(move |value| kernel.clone().define(define, value));
        variants = variants.into_iter().flat_map(with).collect();
    }
    // No caller asks for the diagonal of a matrix of two floats a number, nor for one channel of it; nor for 1/d of uniform entries and
    // for their residual at nodes that take part; vectors have their padding.
    let has = |kernel: &Kernel, name: &str, value: &str| {
        kernel.defines.contains(&(name.to_owned(), value.to_owned()))
    };
    let is_there = |kernel: &Kernel, name: &str| has(kernel, name, "1");
    let asked_for = |kernel: &Kernel| {
        let of_all = has(kernel, "FORM", "4") || has(kernel, "FORM", "5");
        !(is_there(kernel, "DOUBLE") && (is_there(kernel, "DIAGONAL") || is_there(kernel, "CHANNEL")))
            && !(is_there(kernel, "UNIFORM") && of_all)
            && !(has(kernel, "UNIFORM", "0") && has(kernel, "PADDING", "3"))
            && !(is_there(kernel, "CORRECTED") && (is_there(kernel, "UNIFORM") || !has(kernel, "FORM", "3")))
    };
    variants.retain(asked_for);
    Ok(variants.into_iter().map(with_other_targets).collect())
}

/// The outputs besides the first of kernels that have four, or two, in one variant.
fn with_other_targets(kernel: Kernel) -> Kernel {
    let four = kernel.defines.contains(&("TARGETS".to_owned(), "4".to_owned()));
    let others = if four { "RANGE vec4 pull_1; RANGE vec4 pull_2; RANGE vec4 pull_3;" } else { "" };
    let is = |name: &str| kernel.defines.contains(&(name.to_owned(), "1".to_owned()));
    let (begun, corrected) = (is("FORM") || is("BEGIN"), is("CORRECTED"));
    let rows = (2..=4).filter(|row| {
        kernel
            .defines
            .iter()
            .any(|(name, count)| name == "COUNT" && count.parse().is_ok_and(|count: i32| count >= *row))
    });
    let more: String = rows.map(|row: i32| format!("RANGE vec4 y{};", row - 1)).collect();
    kernel
        .splice("DECLARE_MORE", &more)
        .splice("DECLARE_OTHERS", others)
        .splice("DECLARE_OF_COARSE", if corrected { "DOMAIN of_coarse;" } else { "" })
        .splice("DECLARE_BEGUN", if begun { "RANGE vec4 begun;" } else { "" })
}

/// A vertex kernel, the fragment kernel that takes what it hands over, and the `#define`s of both.
type Pair = (&'static str, &'static str, &'static [(&'static str, i32)]);

const SUNNY: (&str, i32) = ("SHADOWED", 0);
const SHADOWED: (&str, i32) = ("SHADOWED", 1);
const MESH: (&str, i32) = ("GROUND", 0);

const PAIRS: &[Pair] = &[
    ("linalg/points.vert", "linalg/points.frag", &[("OWN_ENTRIES", 0)]),
    ("linalg/points.vert", "linalg/points.frag", &[("OWN_ENTRIES", 1)]),
    ("linalg/points_rounds.vert", "linalg/points_rounds.frag", &[("OWN_ENTRIES", 0)]),
    ("linalg/points_rounds.vert", "linalg/points_rounds.frag", &[("OWN_ENTRIES", 1)]),
    ("linalg/replace.vert", "linalg/replace.frag", &[("HOME", 0)]),
    ("linalg/replace.vert", "linalg/replace.frag", &[("HOME", 1)]),
    ("streams/bins_scatter.vert", "streams/bins_scatter.frag", &[]),
    ("view/box_place.vert", "view/box_depth.frag", &[("SKIES", 0), ("LIT", 0)]),
    ("view/box_place.vert", "view/box_depth.frag", &[("SKIES", 1), ("LIT", 0)]),
    ("view/box_place.vert", "view/box_shade.frag", &[("SKIES", 0), ("LIT", 1), ("GROUND", 0)]),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 0), ("CURVED", 0), ("ROUND", 0), SUNNY, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 1), ("CURVED", 0), ("ROUND", 0), SUNNY, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 0), ("CURVED", 1), ("ROUND", 0), SUNNY, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 1), ("CURVED", 1), ("ROUND", 0), SUNNY, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 0), ("CURVED", 0), ("ROUND", 1), SUNNY, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 1), ("CURVED", 0), ("ROUND", 1), SUNNY, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 0), ("CURVED", 1), ("ROUND", 1), SUNNY, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 1), ("CURVED", 1), ("ROUND", 1), SUNNY, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 0), ("CURVED", 0), ("ROUND", 0), SHADOWED, MESH],
    ),
    (
        "view/faces_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 1), ("CURVED", 1), ("ROUND", 1), SHADOWED, MESH],
    ),
    ("view/faces_place.vert", "view/box_depth.frag", &[("ROUND", 0), ("SKIES", 0)]),
    (
        "view/ground_place.vert",
        "view/faces_shade.frag",
        &[("WIRE", 0), ("CURVED", 0), ("ROUND", 0), SHADOWED, ("GROUND", 1)],
    ),
    ("view/glow_place.vert", "view/glow_shade.frag", &[]),
    ("view/ground_place.vert", "view/box_shade.frag", &[("GROUND", 1)]),
    ("view/mesh_place.vert", "view/water_seen.frag", &[]),
    ("view/normals_place.vert", "view/normals_add.frag", &[]),
    ("view/particles_place.vert", "view/particles_shade.frag", &[]),
    ("view/pool_light.vert", "view/pool_light.frag", &[]),
    ("view/pool_place.vert", "view/pool_shade.frag", &[("SURFACE", 0)]),
    ("view/mesh_place.vert", "view/pool_shade.frag", &[("SURFACE", 1)]),
];

fn all_variants(gpu: &Gpu, rounding: Rounding) -> Result<()> {
    for (vertex, fragment, defines) in PAIRS {
        let with = |kernel: Kernel, (name, value): &(&str, i32)| kernel.define(name, value);
        let fragment = defines.iter().fold(kernels::named(fragment)?, with);
        let vertex = defines.iter().fold(kernels::named(vertex)?, with);
        gpu.context().compile_scatter(&vertex, &fragment, rounding)?;
    }
    let elsewhere = |name: &str| {
        let paired = PAIRS.iter().any(|(vertex, fragment, _)| [*vertex, *fragment].contains(&name));
        paired || name == "pug/reduce.frag" || GENERATED.contains(&name)
    };
    for (name, _) in kernels::ALL.iter().filter(|(name, _)| !elsewhere(name)) {
        for kernel in variants(name)? {
            gpu.context().compile(&kernel, rounding)?;
        }
    }
    // Numbers are rounded in buffers alone.
    let terms = if rounding == Rounding::None { reductions_of_terms()? } else { Vec::new() };
    for kernel in reductions()?.iter().chain(&terms) {
        gpu.context().compile(kernel, rounding)?;
    }
    Ok(())
}

/// A `#define` that a kernel looks at and no test sets would be 0 on one driver and an error on another.
#[test]
fn every_define_that_a_kernel_looks_at_is_set_in_its_variants() {
    for (name, text) in kernels::ALL.iter().filter(|(name, _)| !GENERATED.contains(name)) {
        let looked_at = text.lines().filter(|line| line.starts_with("#if ") || line.starts_with("#elif"));
        for word in looked_at.flat_map(|line| line.split(|c: char| !c.is_ascii_uppercase() && c != '_')) {
            let defines = defines_of(name);
            let in_pair = |(vertex, fragment, defines): &Pair| {
                [*vertex, *fragment].contains(name) && defines.iter().any(|(define, _)| *define == word)
            };
            let set = defines.iter().any(|(define, _)| *define == word) || PAIRS.iter().any(in_pair);
            let reduced = *name == "pug/reduce.frag" && ["TERM", "FOLD", "GUARD", "PAIR"].contains(&word);
            assert!(word.is_empty() || set || reduced, "{name} looks at {word}");
        }
    }
}

#[test]
fn every_built_in_kernel_compiles_in_every_variant() -> Result<()> {
    on_gpu(|gpu| {
        all_variants(gpu, Rounding::None)?;
        all_variants(gpu, Rounding::Ati24)?;
        all_variants(gpu, Rounding::Ati16)
    })
}

#[test]
fn a_kernel_that_is_not_there_is_answered_with_those_that_are() {
    let line = refusal(kernels::named("sim/gray_scott.frag"));
    assert!(line.starts_with("no built-in kernel \"sim/gray_scott.frag\": there are "), "{line}");
    for (name, _) in kernels::ALL {
        assert!(line.contains(name));
    }
}

#[test]
fn a_kernel_that_was_started_is_taken_over_by_its_load() -> Result<()> {
    on_gpu(|gpu| {
        let counts = || (gpu.counters().compiles, gpu.counters().live);
        let kernel = Kernel::new("one.frag", "uniform float a; RANGE float r; void main() { r = 1.0 + a; }");
        let (compiling, again) = (gpu.start(&kernel)?, gpu.start(&kernel)?);
        while !(compiling.ready() && again.ready()) {
            std::thread::yield_now();
        }
        assert_eq!(counts(), (0, 0), "nobody has loaded it");
        let target = gpu.buffer(2, 1).build()?;
        gpu.load(kernel.clone())?.bind_float("a", 2.0)?.run(&target)?;
        assert_eq!(target.data()?, [3.0; 2]);
        assert!(gpu.start(&kernel)?.ready() && compiling.ready(), "it is there");
        assert_eq!(counts().0, 1);
        // Its errors come with the load, and come again; a start that nobody follows up is no leak.
        let wrong = Kernel::new("wrong.frag", "RANGE float r;\nvoid main() { r = s; }");
        let compiling = gpu.start(&wrong)?;
        while !compiling.ready() {
            std::thread::yield_now();
        }
        for _ in 0..2 {
            assert!(matches!(gpu.load(wrong.clone()), Err(Error::Compile { line: 2, .. })));
        }
        let vertex = Kernel::new("v.vert", "void main() { scatter(vec2(0.5)); }");
        let unfollowed =
            gpu.start_scatter(&vertex, &Kernel::new("never.frag", "RANGE float r; void main() { r = 5.0; }"));
        unfollowed.map(drop)?;
        assert!(matches!(
            gpu.start(&Kernel::new("none.frag", "void main() {}")),
            Ok(_) | Err(Error::Declaration { .. })
        ));
        Ok(())
    })
}
