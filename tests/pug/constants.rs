//! Constants of every type that GLSL ES 3.00 has, each seen by a kernel that uses all of its numbers.

use quadrille::pug::Value;
use quadrille::{Gpu, Program, Result};

use crate::support::{counting, on_gpu, refusal};

/// A kernel with a constant `c` that makes four numbers of it.
fn program(gpu: &Gpu, declaration: &str, result: &str) -> Result<Program> {
    let text = format!("uniform {declaration}; RANGE vec4 r;\nvoid main() {{ r = {result}; }}");
    gpu.program("typed.frag", &text)
}

fn drawn(gpu: &Gpu, program: &Program) -> Result<Vec<f32>> {
    let out = gpu.buffer(1, 1).components(4).build()?;
    program.run(&out)?;
    out.data()
}

/// Sees that a value arrives, by name and by handle, and after another value was there.
fn arrives<V: Value + Copy>(
    gpu: &Gpu,
    (declaration, result): (&str, &str),
    [value, other]: [V; 2],
    expected: [f32; 4],
) -> Result<()> {
    let mut program = program(gpu, declaration, result)?;
    let handle = program.constant("c")?;
    program.bind_constant("c", value)?;
    assert_eq!(drawn(gpu, &program)?, expected, "{declaration}");
    program.bind_constant(handle, other)?;
    assert_ne!(drawn(gpu, &program)?, expected, "{declaration}: another value");
    program.bind_constant(handle, value)?;
    assert_eq!(drawn(gpu, &program)?, expected, "{declaration}: by its handle");
    program.reload()?;
    assert_eq!(drawn(gpu, &program)?, expected, "{declaration}: after a reload");
    Ok(())
}

#[test]
fn values_of_all_types_arrive() -> Result<()> {
    on_gpu(|gpu| {
        arrives(gpu, ("float c", "vec4(c)"), [2.5, 0.0], [2.5; 4])?;
        arrives(gpu, ("vec3 c", "vec4(c, 1.0)"), [[1.0, 2.0, 3.0], [0.0; 3]], [1.0, 2.0, 3.0, 1.0])?;
        arrives(gpu, ("int c", "vec4(c / 2, c, 0, 0)"), [-7, 1], [-3.0, -7.0, 0.0, 0.0])?;
        arrives(gpu, ("ivec2 c", "vec4(c, c.y % 4, 0)"), [[-1, 7], [0; 2]], [-1.0, 7.0, 3.0, 0.0])?;
        arrives(gpu, ("ivec3 c", "vec4(c, 0)"), [[1, -2, 3], [0; 3]], [1.0, -2.0, 3.0, 0.0])?;
        arrives(gpu, ("ivec4 c", "vec4(c)"), [[1, -2, 3, -4], [0; 4]], [1.0, -2.0, 3.0, -4.0])?;
        // The highest bit of a uint is no sign.
        arrives(gpu, ("uint c", "vec4(c >> 28u, 0, 0, 0)"), [0x9000_0000_u32, 0], [9.0, 0.0, 0.0, 0.0])?;
        arrives(gpu, ("uvec2 c", "vec4(c, 0, 0)"), [[5_u32, 6], [0; 2]], [5.0, 6.0, 0.0, 0.0])?;
        arrives(gpu, ("uvec3 c", "vec4(c, 0)"), [[5_u32, 6, 7], [0; 3]], [5.0, 6.0, 7.0, 0.0])?;
        arrives(gpu, ("uvec4 c", "vec4(c)"), [[5_u32, 6, 7, 8], [0; 4]], [5.0, 6.0, 7.0, 8.0])?;
        arrives(gpu, ("bool c", "c ? vec4(1) : vec4(2)"), [true, false], [1.0; 4])?;
        arrives(gpu, ("bvec2 c", "vec4(c, 0, 0)"), [[false, true], [true; 2]], [0.0, 1.0, 0.0, 0.0])?;
        arrives(gpu, ("bvec3 c", "vec4(c, 0)"), [[true, false, true], [false; 3]], [1.0, 0.0, 1.0, 0.0])?;
        arrives(gpu, ("bvec4 c", "vec4(c)"), [[true, false, true, true], [false; 4]], [1.0, 0.0, 1.0, 1.0])?;
        arrives(
            gpu,
            ("mat2 c", "vec4(c[0], c[1])"),
            [[[1.0, 2.0], [3.0, 4.0]], [[0.0; 2]; 2]],
            [1.0, 2.0, 3.0, 4.0],
        )?;
        // Σ rows · columns with weights 1, 10, 100, 1000: each number of a matrix has a place of its own.
        macro_rules! matrices {
            ($($columns:literal $rows:literal $name:literal),*) => {$({
                let mut value = [[0.0; $rows]; $columns];
                value.as_flattened_mut().iter_mut().zip(1..).for_each(|(v, n)| *v = n as f32);
                let weights = ["vec2(1, 10)", "vec3(1, 10, 100)", "vec4(1, 10, 100, 1000)"];
                let column = |n: usize| format!("dot(c[{n}], {})", weights[$rows - 2]);
                let result = format!("vec4({}, {}, {}, 0)", column(0), column(1), column($columns - 1));
                let expected = |n: usize| value[n].iter().zip([1.0, 10.0, 100.0, 1000.0]).map(|(v, w)| v * w).sum::<f32>();
                let expected = [expected(0), expected(1), expected($columns - 1), 0.0];
                arrives(gpu, (concat!($name, " c"), &result), [value, [[0.5; $rows]; $columns]], expected)?;
            })*};
        }
        matrices!(2 3 "mat2x3", 2 4 "mat2x4", 3 2 "mat3x2", 3 3 "mat3", 3 4 "mat3x4", 4 2 "mat4x2", 4 3 "mat4x3", 4 4 "mat4");
        arrives(
            gpu,
            ("float c[3]", "vec4(c[0], c[1], c[2], 0)"),
            [[1.0, 2.0, 3.0], [0.0; 3]],
            [1.0, 2.0, 3.0, 0.0],
        )?;
        arrives(gpu, ("int c[2]", "vec4(c[0], c[1], 0, 0)"), [[4, -5], [0; 2]], [4.0, -5.0, 0.0, 0.0])?;
        arrives(
            gpu,
            ("bool c[2]", "vec4(c[0], c[1], 0, 0)"),
            [[false, true], [true; 2]],
            [0.0, 1.0, 0.0, 0.0],
        )?;
        arrives(
            gpu,
            ("vec2 c[2]", "vec4(c[0], c[1])"),
            [[[1.0, 2.0], [3.0, 4.0]], [[0.0; 2]; 2]],
            [1.0, 2.0, 3.0, 4.0],
        )?;
        arrives(
            gpu,
            ("mat2 c[2]", "vec4(c[1][0], c[1][1])"),
            [[[[9.0; 2]; 2], [[1.0, 2.0], [3.0, 4.0]]], [[[0.0; 2]; 2]; 2]],
            [1.0, 2.0, 3.0, 4.0],
        )
    })
}

#[test]
fn slices_and_vectors_are_arrays_and_flat_numbers_fit() -> Result<()> {
    on_gpu(|gpu| {
        let mut weights = program(gpu, "float c[5]", "vec4(c[0] + c[4], c[1], c[2], c[3])")?;
        for _ in 0..2 {
            weights.bind_constant("c", counting(5))?;
            weights.bind_constant("c", counting(5).as_slice())?;
            assert_eq!(drawn(gpu, &weights)?, [4.0, 1.0, 2.0, 3.0]);
        }
        let mut places = program(gpu, "vec2 c[2]", "vec4(c[0], c[1])")?;
        places.bind_constant("c", vec![1.0, 2.0, 3.0, 4.0])?;
        assert_eq!(drawn(gpu, &places)?, [1.0, 2.0, 3.0, 4.0]);
        places.bind_constant("c", vec![[5.0, 6.0], [7.0, 8.0]])?;
        assert_eq!(drawn(gpu, &places)?, [5.0, 6.0, 7.0, 8.0]);
        Ok(())
    })
}

/// A compiler may leave the end of an array out; the kernel's own length counts, where it is a number or a word for one.
#[test]
fn an_array_is_as_long_as_the_kernel_says() -> Result<()> {
    on_gpu(|gpu| {
        for (text, seen) in [
            ("uniform float c[6]; RANGE vec4 r; void main() { r = vec4(c[1]); }", 4.0),
            ("#define N 6\nuniform float c[N]; RANGE vec4 r; void main() { r = vec4(c[1]); }", 4.0),
            // Lengths that the compiler works out.
            ("uniform float c[2 * 3]; RANGE vec4 r; void main() { r = vec4(c[5]); }", 8.0),
            (
                "#ifdef BIG\n#define N 64\n#else\n#define N 6\n#endif\nuniform float c[N]; RANGE vec4 r; void main() { r = vec4(c[5]); }",
                8.0,
            ),
            ("#define N 3 + 3\nuniform float c[N]; RANGE vec4 r; void main() { r = vec4(c[5]); }", 8.0),
        ] {
            let mut first = gpu.program("few.frag", text)?;
            first.bind_constant("c", [3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
            assert_eq!(drawn(gpu, &first)?, [seen; 4]);
            let line = refusal(first.bind_constant("c", [3.0; 2]));
            assert_eq!(
                line,
                "few.frag declares \"c\" as float[6], but float[2] was bound; it has float c[6]"
            );
            assert_eq!(first.names().constants, [("c", 6)]);
        }
        let kernel = quadrille::gl::Kernel::new(
            "few.frag",
            "uniform ivec2 c[LEN]; RANGE vec4 r; void main() { r = vec4(c[0], c[1]); }",
        );
        let mut of_variant = gpu.load(kernel.define("LEN", 3))?;
        of_variant.bind_constant("c", [[1, 2], [3, 4], [5, 6]])?;
        assert_eq!(drawn(gpu, &of_variant)?, [1.0, 2.0, 3.0, 4.0]);
        Ok(())
    })
}

#[test]
fn a_wrong_type_is_told_with_both_and_changes_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform int n; uniform uint u; uniform bvec2 on; uniform mat3 turn; uniform vec2 at[3]; uniform float x;
            RANGE vec4 r; void main() { r = vec4(n, u, on.x && on.y, x) + vec4(turn[2], at[2].y); }";
        let mut program = gpu.program("typed.frag", text)?;
        program.bind_constant("n", 5)?.bind_constant("u", 6_u32)?.bind_constant("on", [true; 2])?;
        program
            .bind_constant("turn", [[0.0; 3]; 3])?
            .bind_constant("at", [[0.0; 2]; 3])?
            .bind_constant("x", 7.0)?;
        let has = "int n, uint u, bvec2 on, mat3 turn, vec2 at[3], float x";
        let wrong = |name: &str, line: String, declared: &str, bound: &str| {
            let expected =
                format!("typed.frag declares \"{name}\" as {declared}, but {bound} was bound; it has {has}");
            assert_eq!(line, expected);
        };
        wrong("n", refusal(program.bind_constant("n", 5.0)), "int", "float");
        wrong("n", refusal(program.bind_float("n", 5.0)), "int", "float");
        wrong("n", refusal(program.bind_constant("n", 5_u32)), "int", "uint");
        wrong("u", refusal(program.bind_constant("u", [1_u32, 2])), "uint", "uvec2");
        wrong("on", refusal(program.bind_constant("on", [1, 0])), "bvec2", "ivec2");
        wrong("turn", refusal(program.bind_constant("turn", [[1.0; 2]; 3])), "mat3", "mat3x2");
        wrong("turn", refusal(program.bind_constant("turn", [1.0; 8])), "mat3", "float[8]");
        wrong("at", refusal(program.bind_constant("at", [[1.0; 2]; 2])), "vec2[3]", "vec2[2]");
        wrong("at", refusal(program.bind_constant("at", [[1.0; 3]; 3])), "vec2[3]", "vec3[3]");
        wrong("x", refusal(program.bind_constant("x", [1.0, 2.0])), "float", "vec2");
        wrong("x", refusal(program.bind_constant("x", true)), "float", "bool");
        wrong(
            "at",
            refusal(program.bind_constant("at", vec![vec![1.0, 2.0], vec![3.0], vec![4.0, 5.0]])),
            "vec2[3]",
            "vec2[3]",
        );
        assert_eq!(drawn(gpu, &program)?, [5.0, 6.0, 1.0, 7.0]);
        Ok(())
    })
}

#[test]
fn numbers_that_were_typed_become_what_the_kernel_declares() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform int n; uniform uint u; uniform bool on; uniform vec2 at[2];
            RANGE vec4 r; void main() { r = vec4(n, u, on, dot(at[0], at[1])); }";
        let mut program = gpu.program("typed.frag", text)?;
        program.bind_numbers("n", &[-3.0])?.bind_numbers("u", &[4.0])?.bind_numbers("on", &[1.0])?;
        program.bind_numbers("at", &[1.0, 10.0, 2.0, 0.5])?;
        assert_eq!(drawn(gpu, &program)?, [-3.0, 4.0, 1.0, 7.0]);
        for (name, numbers, declared, bound) in [
            ("n", &[2.5][..], "int", "2.5"),
            ("n", &[2_147_483_648.0], "int", "2147483648"),
            ("n", &[f64::NAN], "int", "NaN"),
            ("u", &[-1.0], "uint", "-1"),
            ("on", &[2.0], "bool", "2"),
            ("at", &[1.0, 2.0, 3.0], "vec2[2]", "1, 2, 3"),
        ] {
            let line = refusal(program.bind_numbers(name, numbers));
            let start =
                format!("typed.frag declares \"{name}\" as {declared}, but {bound} was bound; it has ");
            assert!(line.starts_with(&start), "{line}");
        }
        assert_eq!(drawn(gpu, &program)?, [-3.0, 4.0, 1.0, 7.0]);
        Ok(())
    })
}

/// OpenGL keeps the constants of a program, which two of one text share.
#[test]
fn programs_of_one_text_keep_their_own_arrays() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform ivec2 c[2]; RANGE vec4 r; void main() { r = vec4(c[0], c[1]); }";
        let (mut first, mut second) = (gpu.program("a.frag", text)?, gpu.program("b.frag", text)?);
        first.bind_constant("c", [[1, 2], [3, 4]])?;
        second.bind_constant("c", [[5, 6], [7, 8]])?;
        for _ in 0..2 {
            assert_eq!(drawn(gpu, &first)?, [1.0, 2.0, 3.0, 4.0]);
            assert_eq!(drawn(gpu, &second)?, [5.0, 6.0, 7.0, 8.0]);
        }
        Ok(())
    })
}

#[test]
fn one_run_has_streams_and_constants_of_its_own() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform Stream a; uniform int n; DOMAIN at; RANGE float r; void main() { r = value2(a, at).x + float(n); }";
        let mut program = gpu.program("own.frag", text)?;
        let (one, two) = (gpu.buffer(1, 1).init(&[10.0])?, gpu.buffer(1, 1).init(&[20.0])?);
        let out = gpu.buffer(1, 1).build()?;
        program.onto(&[&out]).stream("a", &one)?.constant("n", 1)?.run()?;
        assert_eq!(out.data()?, [11.0]);
        assert_eq!(
            refusal(program.run(&out)),
            "own.frag: stream \"a\" is not bound",
            "the program has none of it"
        );
        program.bind_stream("a", &one)?.bind_constant("n", 5)?;
        let handles = (program.stream("a")?, program.constant("n")?);
        program.onto(&[&out]).stream(handles.0, &two)?.run()?;
        assert_eq!(out.data()?, [25.0]);
        program.onto(&[&out]).constant(handles.1, 7)?.run()?;
        assert_eq!(out.data()?, [17.0]);
        program.run(&out)?;
        assert_eq!(out.data()?, [15.0]);
        let line = refusal(program.onto(&[&out]).stream("a", &out)?.run());
        assert!(
            line.starts_with("own.frag: stream \"a\" reads buffer 1x1x1, which this pass writes"),
            "{line}"
        );
        let line = refusal(program.onto(&[&out]).constant("n", 1.0).map(|_| ()));
        assert_eq!(line, "own.frag declares \"n\" as int, but float was bound; it has int n");
        let line = refusal(program.onto(&[&out]).stream("b", &one).map(|_| ()));
        assert_eq!(line, "own.frag has no stream \"b\": it has a");
        Ok(())
    })
}
