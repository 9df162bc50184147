//! `quadrille kernel` with the two worked examples.

use crate::program::{Outcome, Program, npy, values};

fn example(name: &str) -> String {
    format!("{}/../kernels/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Forty generations move a glider ten cells down and ten to the right.
#[test]
fn a_glider_comes_round_the_torus() -> Outcome {
    let program = Program::new()?;
    let (width, height) = (17usize, 13usize);
    let glider = [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)];
    let alive = |shift: usize| {
        let mut cells = vec![0.0; width * height];
        glider.iter().for_each(|(x, y)| cells[(y + shift) % height * width + (x + shift) % width] = 1.0);
        cells
    };
    std::fs::write(program.path("cells.npy"), npy("13, 17", alive(0)))?;
    let life = example("life.frag");
    let rest = "--stream cells=cells.npy --feedback cells --edges repeat --iterate 40 --out next.npy";
    program.succeed(&format!("kernel {life} {rest}"))?;
    assert_eq!(values(&program.bytes("next.npy")?), alive(10));
    Ok(())
}

#[test]
fn a_blur_of_a_point_is_a_gaussian_and_sums_to_one() -> Outcome {
    let program = Program::new()?;
    let point = |i: usize| if i == 7 * 31 + 15 { 1.0 } else { 0.0 };
    std::fs::write(program.path("image.npy"), npy("15, 31", (0..15 * 31).map(point)))?;
    let blur = example("blur.frag");
    let command = format!(
        "kernel {blur} --stream image=image.npy --float direction=1,0 --float sigma=1.5 --components 1 --out x.npy"
    );
    program.succeed(&command)?;
    let row = &values(&program.bytes("x.npy")?)[7 * 31..8 * 31];
    let weight = |d: f64| (-0.5 * d * d / 2.25).exp();
    let all: f64 = (-5..=5).map(|d| weight(f64::from(d))).sum();
    for (x, &value) in row.iter().enumerate() {
        let d = x as f64 - 15.0;
        let exact = if d.abs() <= 5.0 { weight(d) / all } else { 0.0 };
        // exp may differ by some ULP from driver to driver, and eleven terms are added twice.
        assert!((f64::from(value) - exact).abs() <= 32.0 * 2f64.powi(-24), "{x}: {value} {exact}");
    }
    Ok(())
}

#[test]
fn only_the_range_is_written_and_feedback_keeps_the_rest() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("a.npy"), npy("3, 4", (0..12).map(|i| i as f32)))?;
    std::fs::write(
        program.path("inc.frag"),
        "uniform Stream a; DOMAIN c; RANGE float r; void main() { r = value2(a, c).x + 1.0; }",
    )?;
    program.succeed("kernel inc.frag --stream a=a.npy --range 1,1,3,2 --out once.npy")?;
    assert_eq!(values(&program.bytes("once.npy")?), [0., 0., 0., 0., 0., 6., 7., 0., 0., 0., 0., 0.]);
    program.succeed(
        "kernel inc.frag --stream a=a.npy --range 1,1,3,2 --feedback a --iterate 5 --out five.npy",
    )?;
    assert_eq!(values(&program.bytes("five.npy")?), [0., 1., 2., 3., 4., 10., 11., 7., 8., 9., 10., 11.]);
    Ok(())
}

#[test]
fn a_domain_turned_over_turns_the_picture_over() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("a.npy"), npy("2, 2", [1.0, 2.0, 3.0, 4.0]))?;
    std::fs::write(
        program.path("copy.frag"),
        "uniform Stream a; DOMAIN c; RANGE float r; void main() { r = value2(a, c).x; }",
    )?;
    program.succeed("kernel copy.frag --stream a=a.npy --domain c=0,2,2,0 --out turned.npy")?;
    assert_eq!(values(&program.bytes("turned.npy")?), [3.0, 4.0, 1.0, 2.0]);
    program.succeed("kernel copy.frag --stream a=a.npy --size 4x2 --domain c=0,0,2,2 --out wide.npy")?;
    assert_eq!(values(&program.bytes("wide.npy")?), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]);
    Ok(())
}

/// The sentences of the exercises, for a kernel that belongs to none; what only this driver takes is a warning.
#[test]
fn what_is_wrong_with_a_kernel_is_a_sentence() -> Outcome {
    let program = Program::new()?;
    let head = "uniform Stream a; DOMAIN c; RANGE float r; void main() {\n";
    for (body, line) in [
        (
            "r = value2(a, c).x > 1.0;",
            ":2: `r = value2(a, c).x > 1.0;`: A condition is true or false, and r takes a number",
        ),
        ("r = np.floor(value2(a, c).x);", "There is no np here: write floor(...)."),
        ("r = a + 1.0;", "a is a whole stream. Its element at this place is value2(a, c)."),
        ("r += value2(a, c).x;", "r holds no number yet, and += reads it: the first line is r = ..."),
        ("if (c.x > 1.0) r = value2(a, c).x;", "every path has to write.\n"),
    ] {
        std::fs::write(program.path("own.frag"), format!("{head}{body}\n}}\n"))?;
        let ended = program.run("kernel own.frag --stream a=1,2")?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1), "{body}: {}", ended.err);
        assert!(
            ended.err.starts_with("quadrille: own.frag:2") && ended.err.contains(line),
            "{body}: {}",
            ended.err
        );
    }
    // A sum without a start value compiles everywhere, and gives whatever lies there.
    let body = "float s; s += value2(a, c).x; r = s;";
    std::fs::write(program.path("own.frag"), format!("{head}{body}\n}}\n"))?;
    let ended = program.run("kernel own.frag --stream a=1,2")?;
    let warning =
        format!("quadrille: warning: own.frag:2: `{body}`: s has no number to begin with: float s = 0.0;\n");
    assert_eq!((ended.status, ended.err), (Some(0), warning));
    // A place as an index compiles everywhere, and reads on a seam, unless the domain is another.
    let body = "r = value(a, c.x).x;";
    std::fs::write(program.path("own.frag"), format!("{head}{body}\n}}\n"))?;
    let ended = program.run("kernel own.frag --stream a=1,2")?;
    assert!(
        ended.err.contains("warning: own.frag:2: `r = value(a, c.x).x;`: c.x is half a texel past"),
        "{}",
        ended.err
    );
    assert_eq!(program.run("kernel own.frag --stream a=1,2 --domain c=-0.5,0,1.5,1")?.err, "");
    // A whole shader is told that it is one.
    std::fs::write(program.path("own.frag"), "\nout vec4 r;\nvoid main() { r = vec4(1.0); }\n")?;
    let ended = program.run("kernel own.frag --size 2x1")?;
    assert!(ended.err.contains("own.frag:2") && ended.err.contains("is drawn as it is"), "{}", ended.err);
    // An undeclared name is declared as the kind of input that the command gives.
    let bare = "DOMAIN c; RANGE float r; void main() {\n";
    for (text, flags, line) in [
        (
            format!("{bare}r = value2(x, c).x;\n}}\n"),
            "--stream x=1,2",
            "own.frag:2: `r = value2(x, c).x;`: x is not declared: --stream gives it, so write uniform Stream x; above main().",
        ),
        (
            format!("{bare}r = c.x > t.x ? 1.0 : 0.0;\n}}\n"),
            "--size 2x1 --float t=0.5,1",
            "t is not declared: --float gives it, so write uniform vec2 t; above main().",
        ),
        (
            format!("uniform float x;\n{bare}r = x;\n}}\n"),
            "--stream x=1,2",
            "own.frag:1: `uniform float x;`: x is declared as float, and --stream gives it as Stream: write uniform Stream x;\n",
        ),
        (
            format!("uniform int t;\n{bare}r = c.x * float(t);\n}}\n"),
            "--size 2x1 --float t=0.5",
            "own.frag:1: `uniform int t;`: t is declared as int, and --float gives it as float: write uniform float t;\n",
        ),
        (
            format!("{bare}float t = 0.5;\nr = c.x * t;\n}}\n"),
            "--size 2x1 --float t=0.5",
            "own.frag:2: `float t = 0.5;`: This makes a variable of main(), and --float gives t from outside: take this out, and write uniform float t; above main().\n",
        ),
        (
            format!("{bare}r = c.x;\n}}\n"),
            "--size 2x1 --float t=0.5",
            "own.frag: t is not declared, and --float gives it: write uniform float t; above main().",
        ),
        ("DOMAIN c;\nvoid main() { }\n".to_owned(), "--size 2x1", "a RANGE, as in RANGE float result;"),
        (
            "DOMAIN c;\nrange float r;\nvoid main() { r = c.x; }\n".to_owned(),
            "--size 2x1",
            "own.frag:2: `range float r;`: The word is RANGE: letters count.",
        ),
        (
            format!("uniform Stream x; {bare}r = value2(x, c).x;\n}}\n"),
            "",
            "the kernel reads x: give it, as in --stream x=1,2,3",
        ),
    ] {
        std::fs::write(program.path("own.frag"), &text)?;
        let ended = program.run(&format!("kernel own.frag {flags}"))?;
        assert!(ended.err.lines().count() == 1 && ended.err.contains(line), "{text}{flags}: {}", ended.err);
    }
    // OpenGL converts it and compiles; OpenGL ES refuses it. The sentence is the same.
    for (body, said) in [
        ("r = max(value2(a, c).x, 0);", "0 is an int. Write 0.0"),
        ("r = clamp(value2(a, c).x, 0, 1);", "0 is an int. Write 0.0"),
        ("r = value2(a, c).x; r = r < 0.5 ? 0 : r > 2.5 ? 1 : r;", "0 is an int. Write 0.0"),
        ("float k = 1/4; r = k + value2(a, c).x;", "1/4 of two whole numbers is 0"),
    ] {
        std::fs::write(program.path("own.frag"), format!("{head}{body}\n}}\n"))?;
        for (api, status) in [("gl", 0), ("gles", 1)] {
            let ended = program.run(&format!("kernel own.frag --stream a=1,2 --api {api}"))?;
            let lines = ended.err.lines().count();
            assert_eq!((ended.status, lines), (Some(status), 1), "{body}: {}", ended.err);
            assert!(ended.err.contains(said), "{body}: {}", ended.err);
        }
    }
    // The reason why nothing comes of a stream is the one line.
    for (body, said) in [
        ("r = float(1 / 2) * value2(a, c).x;", "1/2 of two whole numbers is 0"),
        ("r = 1.0; while (true) { r += value2(a, c).x; }", "This loop never ends"),
        ("r = 1.0;", "never uses it: it uses none; or leave --stream a=... out of the command"),
    ] {
        std::fs::write(program.path("own.frag"), format!("{head}{body}\n}}\n"))?;
        let ended = program.run("kernel own.frag --stream a=1,2")?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1), "{body}: {}", ended.err);
        assert!(ended.err.contains(said), "{body}: {}", ended.err);
    }
    // A kernel that is half written runs without what it does not read yet.
    std::fs::write(program.path("own.frag"), format!("uniform float low; {head}r = value2(a, c).x;\n}}\n"))?;
    assert_eq!(program.succeed("kernel own.frag --stream a=1,2")?, "  1  2\n");
    let given = program.run("kernel own.frag --stream a=1,2 --float low=1")?;
    assert!(
        given.status == Some(1) && given.err.ends_with("or leave --float low=... out of the command\n"),
        "{}",
        given.err
    );
    // Inputs that are missing, or stand without a flag.
    std::fs::write(
        program.path("own.frag"),
        format!("uniform float low; {head}r = low * value2(a, c).x;\n}}\n"),
    )?;
    let unbound = program.run("kernel own.frag --stream a=1,2")?;
    assert!(
        unbound.err.ends_with("\"low\" is not bound: give it, as in --float low=0.5\n"),
        "{}",
        unbound.err
    );
    for bare in ["low=0.2", "--low=0.2", "--low 0.2", "--const low=0.2"] {
        let bare = program.run(&format!("kernel own.frag --stream a=1,2 {bare}"))?;
        assert!(bare.status == Some(2) && bare.err.contains("'--float low=0.2'"), "{}", bare.err);
    }
    let apart = program.run("kernel own.frag --stream a=1,2 --float low = 0.2")?;
    assert!(apart.status == Some(2) && apart.err.contains("stand without spaces"), "{}", apart.err);
    std::fs::write(program.path("own.frag"), format!("{head}float v = value2(a, c).x; r = c.x;\n}}\n"))?;
    let page = program.run("kernel own.frag --stream a=1,2")?;
    assert!(page.err.contains("see \"The kernel language\" in the book"), "{}", page.err);
    std::fs::write(program.path("own.frag"), format!("{head}r = 2.0 * value2(a, c).x;\n}}\n"))?;
    let silent = program.run("kernel own.frag --stream a=1,2")?;
    assert_eq!((silent.status, silent.err.as_str(), silent.out.as_str()), (Some(0), "", "  2  4\n"));
    std::fs::write(program.path("own.frag"), "DOMAIN c; RANGE float r; void main() { r = c.x; }\n")?;
    let size = program.run("kernel own.frag")?;
    assert!(
        size.status == Some(2) && size.err.ends_with("so --size WxH is needed, as --size 4x1\n"),
        "{}",
        size.err
    );
    Ok(())
}

/// Neighbours at −2 to 2 of a row 1 2 3, under each rule: the one of all streams, and one's own.
#[test]
fn each_stream_has_its_own_edges() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("a.npy"), npy("1, 3", [1.0, 2.0, 3.0]))?;
    std::fs::write(program.path("b.npy"), npy("1, 3", [10.0, 20.0, 30.0]))?;
    std::fs::write(
        program.path("far.frag"),
        "uniform Stream a, b; DOMAIN c; RANGE vec2 r;
         void main() { vec2 at = c - vec2(2.0, 0.0); r = vec2(value2(a, at).x, value2(b, at).x); }",
    )?;
    let rows = |flags: &str| -> Result<[Vec<f32>; 2], Box<dyn std::error::Error>> {
        let files = "--stream a=a.npy --stream b=b.npy --size 7x1 --domain c=0,0,7,1 --out r.npy";
        program.succeed(&format!("kernel far.frag {files} {flags}"))?;
        let r = values(&program.bytes("r.npy")?);
        Ok([0, 1].map(|k| r.iter().skip(k).step_by(2).copied().collect()))
    };
    let mirror = [2.0, 1.0, 1.0, 2.0, 3.0, 3.0, 2.0];
    let clamp = [1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 3.0];
    let repeat = [2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0];
    let tens = |row: [f32; 7]| row.map(|v| 10.0 * v);
    assert_eq!(rows("")?, [clamp.to_vec(), tens(clamp).to_vec()]);
    assert_eq!(rows("--edges mirror")?, [mirror.to_vec(), tens(mirror).to_vec()]);
    assert_eq!(rows("--edges b=repeat --edges mirror")?, [mirror.to_vec(), tens(repeat).to_vec()]);
    assert_eq!(rows("--edges a=mirror")?, [mirror.to_vec(), tens(clamp).to_vec()]);
    Ok(())
}

/// Two outputs that feed two streams: a Fibonacci pair, and an output that is not kept.
#[test]
fn several_outputs_go_to_several_files_and_streams() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("a.npy"), npy("2, 3", [1.0; 6]))?;
    std::fs::write(program.path("b.npy"), npy("2, 3", [1.0; 6]))?;
    std::fs::write(
        program.path("pair.frag"),
        "uniform Stream a, b; DOMAIN c; RANGE float sum; RANGE vec2 both; RANGE float old;
         void main() {
             float x = value2(a, c).x, y = value2(b, c).x;
             sum = x + y; old = x; both = vec2(x, y);
         }",
    )?;
    let run =
        "kernel pair.frag --stream a=a.npy --stream b=b.npy --feedback a=sum --feedback b=old --iterate 10";
    let said = program.succeed(&format!("{run} --out sum=sum.npy --out both=both.npy --out old=old.npy"))?;
    assert_eq!(values(&program.bytes("sum.npy")?), [144.0; 6]);
    assert_eq!(values(&program.bytes("old.npy")?), [89.0; 6]);
    assert_eq!(values(&program.bytes("both.npy")?), [89.0, 55.0].repeat(6));
    assert!(
        said.contains("wrote both.npy (2 x 3 x 2)\n") && said.contains("wrote sum.npy (2 x 3)\n"),
        "{said}"
    );
    program.succeed(&format!("{run} --range 1,0,2,1 --out old=part.npy"))?;
    // Outside the range the output keeps what its stream began with.
    assert_eq!(values(&program.bytes("part.npy")?), [1.0, 89.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(
        program.files()?,
        ["a.npy", "b.npy", "both.npy", "old.npy", "pair.frag", "part.npy", "sum.npy"]
    );
    for (flags, line) in [
        ("--out o.npy", "pair.frag writes sum, both, old: --out NAME=FILE says which is meant"),
        ("--out sun=o.npy", "--out: pair.frag has no output \"sun\": it has sum, both, old"),
        ("--out sum=o.npy --out old=./o.npy", "--out and --out would both write "),
        ("--out sum=o.npy --out sum=p.npy", "\"sum\" has --out twice"),
        ("--out sum=o.npy --components 2", "pair.frag writes sum, both, old: --components NAME=N says"),
        ("--out sum=o.npy --edges c=mirror", "--edges c=: there is no --stream c"),
        (
            "--out sum=o.npy --edges repeat --edges clamp",
            "--edges is given 2 times: NAME= says what each is of",
        ),
    ] {
        let ended = program.run(&format!("{run} {flags}"))?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(2), 1), "{flags}: {}", ended.err);
        assert!(ended.err.contains(line), "{flags}: {}", ended.err);
    }
    let ended = program
        .run("kernel pair.frag --stream a=a.npy --stream b=b.npy --feedback a --iterate 2 --out sum=o.npy")?;
    assert!(ended.err.contains("--feedback STREAM=NAME says which is meant"), "{}", ended.err);
    Ok(())
}

/// 5003 is a prime: the last row of the texture that it is folded into is part empty.
#[test]
fn arrays_of_one_dimension_are_read_by_index_and_written_as_such() -> Outcome {
    let program = Program::new()?;
    let n = 5003;
    let value = |i: usize| (i as f32 * 0.5).sin();
    std::fs::write(program.path("a.npy"), npy(&format!("{n},"), (0..n).map(value)))?;
    std::fs::write(program.path("i.npy"), npy(&format!("{n},"), (0..n).map(|i| (n - 1 - i) as f32)))?;
    std::fs::write(
        program.path("gather.frag"),
        "uniform Stream a, i; DOMAIN c; RANGE float r; void main() { r = value(a, value2(i, c).x).x; }",
    )?;
    let run = "kernel gather.frag --stream i=i.npy --stream a=a.npy";
    let said = program.succeed(&format!("{run} --out r.npy"))?;
    assert_eq!(said, format!("wrote r.npy ({n})\n"));
    assert_eq!(values(&program.bytes("r.npy")?), (0..n).rev().map(value).collect::<Vec<_>>());
    let text = program.bytes("r.npy")?;
    assert!(text.windows(8).any(|part| part == b"(5003,),"), "the shape is that of one dimension");
    program.succeed(&format!("{run} --feedback a --iterate 2 --out back.npy"))?;
    assert_eq!(program.bytes("back.npy")?, {
        let mut whole = npy(&format!("{n},"), (0..n).map(value));
        whole.splice(..128, text[..128].iter().copied());
        whole
    });
    std::fs::write(program.path("count.frag"), "DOMAIN c; RANGE float r; void main() { r = c.x; }")?;
    program.succeed("kernel count.frag --size 3 --out c.npy")?;
    assert_eq!(values(&program.bytes("c.npy")?).len(), 3);
    for (arguments, line) in [
        (
            "kernel gather.frag --stream i=i.npy --stream a=a.npy --out r.png",
            "r.png: r is an array of one dimension",
        ),
        ("kernel count.frag --size 3 --components 2 --out c.npy", "c.npy: r has 2 components"),
        ("kernel count.frag --size 3 --range 0,0,1,1 --out c.npy", "--range: the output is an array"),
        (
            "kernel gather.frag --stream i=i.npy --stream a=a.npy --edges a=mirror --out r.npy",
            "which has no edges",
        ),
    ] {
        let ended = program.run(arguments)?;
        assert!(ended.status != Some(0) && ended.err.contains(line), "{arguments}: {}", ended.err);
    }
    Ok(())
}

#[test]
fn pictures_are_read_and_written_with_all_their_channels() -> Outcome {
    let program = Program::new()?;
    std::fs::write(
        program.path("copy.frag"),
        "uniform Stream a; DOMAIN c; RANGE vec4 r; void main() { r = value2(a, c); }",
    )?;
    for components in 1..=4 {
        let numbers = (0..7 * 5 * components).map(|i| ((i * 37) % 256) as f32 / 255.0);
        std::fs::write(program.path("a.npy"), npy(&format!("5, 7, {components}"), numbers.clone()))?;
        let copy = format!("kernel copy.frag --components {components}");
        program.succeed(&format!("{copy} --stream a=a.npy --out a.png"))?;
        assert!(program.bytes("a.png")?.starts_with(b"\x89PNG"));
        let said = program.succeed(&format!("{copy} --stream a=a.png --out b.npy"))?;
        let channels = if components == 1 { String::new() } else { format!(" x {components}") };
        assert_eq!(said, format!("wrote b.npy (5 x 7{channels})\n"));
        assert_eq!(values(&program.bytes("b.npy")?), numbers.collect::<Vec<_>>(), "{components}");
        // A picture of a picture has its bytes.
        program.succeed(&format!("{copy} --stream a=a.png --out b.png"))?;
        assert_eq!(program.bytes("a.png")?, program.bytes("b.png")?);
    }
    let strange = [-1.0, 2.0, f32::NAN, f32::INFINITY, 0.5 / 255.0, 0.4999 / 255.0];
    std::fs::write(program.path("a.npy"), npy("1, 6", strange))?;
    program.succeed("kernel copy.frag --components 1 --stream a=a.npy --out a.png")?;
    program.succeed("kernel copy.frag --components 1 --stream a=a.png --out b.npy")?;
    let levels: Vec<f32> = values(&program.bytes("b.npy")?).iter().map(|v| v * 255.0).collect();
    assert_eq!(levels, [0.0, 255.0, 0.0, 255.0, 1.0, 0.0]);
    std::fs::write(program.path("cut.png"), &program.bytes("a.png")?[..40])?;
    let ended = program.run("kernel copy.frag --stream a=cut.png --out b.npy")?;
    assert_eq!(ended.status, Some(1));
    assert!(ended.err.starts_with("quadrille: cut.png: "), "{}", ended.err);
    Ok(())
}

/// A first kernel needs one file and one command.
#[test]
fn numbers_and_noise_need_no_file_and_small_results_are_printed() -> Outcome {
    let program = Program::new()?;
    std::fs::write(
        program.path("double.frag"),
        "uniform Stream x; DOMAIN here; RANGE float result; void main() { result = 2.0 * value2(x, here).x; }",
    )?;
    let double = "kernel double.frag --stream";
    assert_eq!(program.succeed(&format!("{double} x=1,2.5,-3"))?, "   2   5  -6\n");
    assert_eq!(program.succeed(&format!("{double} x=1,2;30,4 --edges repeat"))?, "   2   4\n  60   8\n");
    assert_eq!(program.succeed(&format!("{double} x=0.05,8388608"))?, "       0.1  16777216\n");
    let noise = program.succeed(&format!("{double} x=noise:5x3:seed7:-4..9"))?;
    assert_eq!(noise, program.succeed(&format!("{double} x=noise:5x3:seed7:-4..9"))?);
    let rows: Vec<Vec<i32>> =
        noise.lines().map(|line| line.split_whitespace().filter_map(|n| n.parse().ok()).collect()).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.len() == 5), "{noise}");
    assert!(rows.iter().flatten().all(|n| n % 2 == 0 && (-8..=18).contains(n)), "{noise}");
    // The same numbers, from the command line and through a file.
    program.succeed(&format!("{double} x=noise:41x3:seed2 --out a.npy"))?;
    assert!(values(&program.bytes("a.npy")?).iter().all(|v| (0.0..2.0).contains(v)));
    std::fs::write(
        program.path("pair.frag"),
        "uniform Stream c; DOMAIN here; RANGE vec2 next; RANGE float sum;
         void main() { next = value2(c, here).yx; sum = next.x + next.y; }",
    )?;
    assert_eq!(
        program.succeed("kernel pair.frag --stream c=1:0,2:0.5")?,
        "next (1 x 2 x 2)\n    0:1  0.5:2\nsum (1 x 2)\n    1  2.5\n"
    );
    for (stream, status, line) in [
        ("x=1,,2", 2, "--stream x: \"\" is no number: expected numbers"),
        ("x=1,2;3", 2, "--stream x: row 2 has 1 number, row 1 has 2"),
        ("x=1:2,3", 2, "--stream x: \"3\": expected 2 numbers to an element"),
        ("x=noise:5x", 2, "noise:5x: expected a width, WIDTHxHEIGHT"),
        ("x=noise:5:sead1", 2, "\"sead1\" is neither seedN nor LOW..HIGH"),
        ("x=noise:3x99999", 1, "--stream x: is 3x99999: the limit is"),
        ("x=numbers", 2, "--stream x=numbers: expected numbers, as in 1,2,3"),
        ("x=noise:17x17", 2, "17 x 17 elements are too many to print (at most 256): --out FILE.npy"),
    ] {
        let ended = program.run(&format!("{double} {stream}"))?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(status), 1), "{stream}: {}", ended.err);
        assert!(ended.err.contains(line), "{stream}: {}", ended.err);
    }
    Ok(())
}

/// Numbers of a command are what the kernel declares: whole ones for an `int`, four in a row for a `mat2`.
#[test]
fn constants_of_all_types_are_given_as_numbers() -> Outcome {
    let program = Program::new()?;
    let text = "uniform int n; uniform bool on; uniform mat2 turn; RANGE float r;\nvoid main() { r = on ? float(n / 2) + turn[1].x : 0.0; }";
    std::fs::write(program.path("typed.frag"), text)?;
    let found =
        program.succeed("kernel typed.frag --size 1x1 --float n=7 --float on=1 --float turn=1,2,30,4")?;
    assert_eq!(found.trim(), "33");
    Ok(())
}
