//! Names: what a kernel has, and the errors of binding what it has not.

use quadrille::gl::{Kernel, Prelude};
use quadrille::pug::Precision;
use quadrille::{Rect, Result};

use crate::support::{COPY, counting, on_gpu, refusal};

const KERNEL: &str = "uniform Stream grid, mask, forgotten;
uniform float rate, spare;
uniform vec3 wind;
DOMAIN at, aside;
RANGE vec2 next; RANGE float change;
void main() {
    next = rate * value2(grid, at).xy + wind.xy * wind.z;
    change = value2(mask, aside).x;
}";

#[test]
fn a_program_tells_what_it_has_in_order() -> Result<()> {
    on_gpu(|gpu| {
        let program = gpu.program("names.frag", KERNEL)?;
        let names = program.names();
        assert_eq!(names.streams, ["grid", "mask"]);
        assert_eq!(names.constants, [("rate", 1), ("wind", 3)]);
        assert_eq!(names.domains, ["at", "aside"]);
        assert_eq!(names.outputs, [("next", 2), ("change", 1)]);
        Ok(())
    })
}

#[test]
fn unknown_unused_and_mistyped_names_are_three_errors() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = gpu.program("names.frag", KERNEL)?;
        let grid = gpu.buffer(2, 2).build()?;
        let mut stream = |name: &str| refusal(program.bind_stream(name, &grid));
        assert_eq!(stream("gird"), "names.frag has no stream \"gird\": it has grid, mask");
        let line = "names.frag declares stream \"forgotten\" but never uses it: it uses grid, mask";
        assert_eq!(stream("forgotten"), line);
        let line =
            "names.frag declares \"rate\" as float, but a stream (Stream) was bound; it has grid, mask";
        assert_eq!(stream("rate"), line);
        let mut constant = |name: &str| refusal(program.bind_float(name, 1.0));
        let has = "float rate, vec3 wind";
        assert_eq!(constant("rite"), format!("names.frag has no constant \"rite\": it has {has}"));
        let line = format!("names.frag declares constant \"spare\" but never uses it: it uses {has}");
        assert_eq!(constant("spare"), line);
        let bound =
            format!("but a constant (a number, a vector, a matrix or an array) was bound; it has {has}");
        assert_eq!(constant("grid"), format!("names.frag declares \"grid\" as Stream, {bound}"));
        let line = format!("names.frag declares \"wind\" as vec3, but float was bound; it has {has}");
        assert_eq!(constant("wind"), line);
        let mut domain = |name: &str| refusal(program.bind_domain(name, Rect::whole(1, 1)));
        assert_eq!(domain("al"), "names.frag has no domain \"al\": it has at, aside");
        assert!(domain("grid").starts_with("names.frag declares \"grid\" as Stream, but a domain (DOMAIN)"));
        Ok(())
    })
}

#[test]
fn declarations_that_cannot_be_bound_or_written_are_refused_with_their_line() -> Result<()> {
    on_gpu(|gpu| {
        let uniform = "expected `uniform TYPE NAME;` where TYPE is Stream, float, int, uint, bool, a vector of those or a matrix of floats";
        for (declaration, expected) in [
            ("uniform sampler2D n; RANGE float r; void main() { r = texture(n, vec2(0)).x; }", uniform),
            ("struct S { vec3 c; }; uniform S n; RANGE float r; void main() { r = n.c.x; }", uniform),
            ("uniform Stream n[2]; RANGE float r; void main() { r = n[1].extent.x; }", uniform),
            ("uniform float n = 2.0; RANGE float r; void main() { r = n; }", uniform),
            ("RANGE float value; void main() { value = 1.0; }", "`value` is a word of every kernel"),
            ("DOMAIN vec2 n; RANGE float r; void main() { r = n.x; }", "expected `DOMAIN NAME;`"),
            ("RANGE ivec4 r; void main() { r = ivec4(1); }", "expected `RANGE TYPE NAME;` where TYPE is"),
            ("RANGE vec4 r[2]; void main() { r[0] = r[1] = vec4(1); }", "expected `RANGE TYPE NAME;`"),
        ] {
            let line = refusal(gpu.program("k.frag", &format!("// first\n{declaration}")));
            assert!(line.starts_with("k.frag:2: `") && line.contains(expected), "{line}");
            assert!(line.ends_with(" (see quadrille::kernel_language)"), "{line}");
        }
        Ok(())
    })
}

#[test]
fn a_stream_may_be_used_for_its_extent_alone() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform Stream a; RANGE vec4 r; void main() { r = a.extent; }";
        let mut program = gpu.program("extent.frag", text)?;
        let (source, target) = (gpu.buffer(4, 8).build()?, gpu.buffer(1, 1).components(4).build()?);
        program.bind_stream("a", &source)?.run(&target)?;
        assert_eq!(target.data()?, [4.0, 8.0, 0.25, 0.125]);
        Ok(())
    })
}

#[test]
fn a_kernel_without_streams_says_so() -> Result<()> {
    on_gpu(|gpu| {
        let mut one = gpu.program("one.frag", "RANGE float one; void main() { one = 1.0; }")?;
        let grid = gpu.buffer(2, 2).build()?;
        assert_eq!(refusal(one.bind_stream("a", &grid)), "one.frag has no stream \"a\": it has none");
        assert_eq!(refusal(one.bind_float("a", 1.0)), "one.frag has no constant \"a\": it has none");
        Ok(())
    })
}

#[test]
fn what_is_not_bound_is_named() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform Stream a, b; uniform float c; DOMAIN at; RANGE float r;
                    void main() { r = value2(a, at).x + c * value2(b, at).x; }";
        let mut program = gpu.program("sum.frag", text)?;
        let (source, target) = (gpu.buffer(2, 2).init(&counting(4))?, gpu.buffer(2, 2).build()?);
        assert_eq!(refusal(program.run(&target)), "sum.frag: stream \"a\" is not bound");
        program.bind_stream("a", &source)?;
        assert_eq!(refusal(program.run(&target)), "sum.frag: stream \"b\" is not bound");
        program.bind_stream("b", &source)?;
        assert_eq!(refusal(program.run(&target)), "sum.frag: constant \"c\" is not bound");
        program.bind_float("c", 2.0)?.run(&target)?;
        assert_eq!(target.data()?, [0.0, 3.0, 6.0, 9.0]);
        program.release_streams();
        assert_eq!(refusal(program.run(&target)), "sum.frag: stream \"a\" is not bound");
        Ok(())
    })
}

#[test]
fn handles_bind_without_names_and_only_in_their_program() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform Stream a, b; uniform float c, d; DOMAIN at; RANGE float r;
                    void main() { r = c * value2(a, at).x + d * value2(b, at).x; }";
        let mut program = gpu.program("sum.frag", text)?;
        let (a, b) = (gpu.buffer(2, 2).init(&counting(4))?, gpu.buffer(2, 2).init(&[1.0; 4])?);
        let target = gpu.buffer(2, 2).build()?;
        let (stream, constant) = (program.stream("b")?, program.constant("d")?);
        program.bind_stream("a", &a)?.bind_stream(stream, &b)?;
        program.bind_float("c", 2.0)?.bind_float(constant, 100.0)?.run(&target)?;
        assert_eq!(target.data()?, [100.0, 102.0, 104.0, 106.0]);
        let mut copy = gpu.program("copy.frag", COPY)?;
        let line = refusal(copy.bind_stream(stream, &b));
        assert_eq!(line, "copy.frag has no stream \"#1 (handle of another program)\": it has source");
        let line = refusal(copy.bind_float(constant, 1.0));
        assert_eq!(line, "copy.frag has no constant \"#1 (handle of another program)\": it has none");
        Ok(())
    })
}

/// GL keeps the constants of a program, and two programs of one text share it: each must see its own.
#[test]
fn programs_of_one_text_keep_their_own_bindings() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform float c; uniform vec4 d; RANGE vec4 r; void main() { r = c * d; }";
        let (mut first, mut second) = (gpu.program("a.frag", text)?, gpu.program("b.frag", text)?);
        first.bind_float("c", 1.0)?.bind_float("d", [1.0, 2.0, 3.0, 4.0])?;
        second.bind_float("c", -1.0)?.bind_float("d", [5.0, 6.0, 7.0, 8.0])?;
        for precision in [Precision::Float32, Precision::Float24, Precision::Float32] {
            let target = gpu.buffer(1, 1).components(4).precision(precision).build()?;
            for _ in 0..2 {
                first.run(&target)?;
                assert_eq!(target.data()?, [1.0, 2.0, 3.0, 4.0]);
                second.run(&target)?;
                assert_eq!(target.data()?, [-5.0, -6.0, -7.0, -8.0]);
            }
        }
        Ok(())
    })
}

#[test]
fn constants_of_one_to_four_floats_arrive_with_their_bits() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform float a; uniform vec2 b; uniform vec3 c; uniform vec4 d;
                    RANGE vec4 r; RANGE vec4 s; RANGE vec4 t;
                    void main() { r = vec4(a, b, c.x); s = vec4(c.yz, d.xy); t = vec4(d.zw, 0.0, 0.0); }";
        let mut program = gpu.program("constants.frag", text)?;
        let target = || gpu.buffer(1, 1).components(4).build();
        let (r, s, t) = (target()?, target()?, target()?);
        for value in [0.1, -0.0, 0.0, f32::INFINITY, f32::MAX, 2f32.powi(-126), 1.0 / 3.0] {
            program.bind_float("a", value)?.bind_float("b", [value, 2.0])?;
            program.bind_float("c", [3.0, value, 5.0])?.bind_float("d", [value, 7.0, 8.0, value])?;
            program.onto(&[&r, &s, &t]).run()?;
            let found = [r.data()?, s.data()?, t.data()?].concat();
            let expected = [value, value, 2.0, 3.0, value, 5.0, value, 7.0, 8.0, value, 0.0, 0.0];
            assert_eq!(found.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), expected.map(f32::to_bits));
        }
        Ok(())
    })
}

/// Words of rooms and of the loader, which a kernel of the user's has as functions of its own.
#[test]
fn all_names_but_the_documented_words_are_the_users() -> Result<()> {
    on_gpu(|gpu| {
        let words = [
            "voxelAt",
            "neighboursOf",
            "westOf",
            "cornersAt",
            "betweenVoxels",
            "elementOf",
            "countsOf",
            "aroundPlace",
            "betweenFour",
            "openWay",
            "leastOf",
            "chop",
            "round_ati24",
            "round_ati16",
            "ACROSS",
            "main_of_kernel",
        ];
        for precision in Precision::ALL {
            let target = gpu.buffer(1, 1).precision(precision).build()?;
            for word in words {
                let text = format!(
                    "RANGE float r;
                     float {word}(vec4 a, vec4 b) {{ return dot(a, b); }}
                     void main() {{ r = {word}(vec4(1.0), vec4(2.0)); }}"
                );
                gpu.program("own.frag", &text)?.run(&target)?;
                assert_eq!(target.data()?, [8.0], "{word}, {precision:?}");
                let unknown = format!("RANGE float r; void main() {{ r = {word}(vec4(1.0), vec4(2.0)); }}");
                let line = refusal(gpu.program("own.frag", &unknown));
                assert!(line.contains(word), "no kernel has it unless it is told so: {line}");
            }
        }
        // In a vertex kernel, too; and a constant may have such a name.
        let vertex = "uniform vec2 voxelAt; vec2 elementOf(vec2 a) { return a; } void main() { scatter(elementOf(voxelAt)); }";
        let fragment = Kernel::new("one.frag", "RANGE float chop; void main() { chop = 1.0; }");
        let mut points = gpu.load_scatter(Kernel::new("own.vert", vertex), fragment)?;
        let target = gpu.buffer(2, 1).build()?;
        points.bind_float("voxelAt", [1.5, 0.5])?.onto(&[&target]).counted_points(1).run()?;
        assert_eq!(target.data()?, [0.0, 1.0]);
        Ok(())
    })
}

#[test]
fn a_kernel_has_the_words_that_it_is_given() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform vec3 tiles; DOMAIN at; RANGE vec3 r; void main() { r = voxelAt(at, tiles); }";
        let kernel = || Kernel::new("voxels.frag", text);
        assert!(refusal(gpu.load(kernel())).contains("voxelAt"));
        let mut program = gpu.load(kernel().with(Prelude::Voxels))?;
        program.bind_float("tiles", [1.0, 1.0, 2.0])?;
        let target = gpu.buffer(2, 2).components(3).build()?;
        program.run(&target)?;
        let slices = [0.0, 1.0, 2.0, 3.0].map(|slice| [0.0, 0.0, slice]);
        assert_eq!(target.data()?, slices.as_flattened());
        // The words stay with a program that is loaded again.
        program.reload()?;
        program.run(&target)?;
        assert_eq!(target.data()?, slices.as_flattened());
        Ok(())
    })
}
