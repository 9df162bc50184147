//! `quadrille exercise` as a learner and as a teacher meet it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use crate::program::{Outcome, Program};

/// Solutions pass, starts fail, and every collected mistake gets its own words: a mistake that gets none, or those of another one, is
/// a fault.
#[test]
fn every_exercise_holds_what_it_promises() -> Outcome {
    let program = Program::new()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises");
    let said = program.succeed(&format!("exercise test {}", folder.display()))?;
    let numbers: Vec<usize> =
        said.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    let [exercises, cases, wrong, broken] = numbers[..] else { return Err(said.into()) };
    assert!(exercises >= 25 && cases >= 4 * exercises && wrong + broken >= 400, "{said}");
    Ok(())
}

#[test]
fn a_learner_goes_from_init_to_the_next_exercise() -> Outcome {
    let program = Program::new()?;
    let ended = program.run("exercise run")?;
    assert_eq!((ended.status, ended.err.lines().count()), (Some(2), 1), "{}", ended.err);
    assert!(ended.err.contains("`quadrille exercise init`"), "{}", ended.err);
    let said = program.succeed("exercise init")?;
    assert!(said.contains("exercises/double.frag") && said.contains("# double: twice each number"), "{said}");
    std::fs::create_dir(program.path("above"))?;
    program.succeed("exercise init above/learn")?;
    let above = program.command("exercise run").current_dir(program.path("above")).output()?;
    let said = String::from_utf8_lossy(&above.stderr);
    assert!(
        above.status.code() == Some(2) && said.contains("they are in learn, so `cd learn` first"),
        "{said}"
    );
    let again = program.run("exercise init")?;
    assert!(again.status == Some(2) && again.err.contains("is there already"), "{}", again.err);

    let wrong = program.run("exercise run")?;
    assert_eq!((wrong.status, wrong.err.as_str()), (Some(1), ""), "{}", wrong.out);
    for line in [
        "double  case 1 of 4: 5 texels -> 5                                  0 of 25 done",
        "  x           3   1   4   1   5",
        "  expected    6   2   8   2  10",
        "  yours       3   1   4   1   5   <- texel 0",
    ] {
        assert!(wrong.out.lines().any(|found| found == line), "{line}\n{}", wrong.out);
    }

    let file = program.path("exercises/double.frag");
    let start = std::fs::read_to_string(&file)?;
    std::fs::write(&file, start.replace("= value2", "= 2 * value2"))?;
    let refused = program.run("exercise run double")?;
    assert_eq!(refused.status, Some(1));
    let lines: Vec<&str> = refused.out.lines().collect();
    assert!(
        lines[0].starts_with("double.frag:") && lines[0].ends_with("result = 2 * value2(x, here).x;"),
        "{lines:?}"
    );
    assert_eq!(lines[1].find('^'), lines[0].find("2 *"));
    assert_eq!(lines[2], "  2 is an int. Write 2.0: OpenGL ES and WebGL do not convert.");

    std::fs::write(&file, start.replace("= value2", "= 2.0 * value2"))?;
    assert_eq!(program.succeed("exercise run --case 2")?, "double: case 2 of 4 is right. 0 of 25 done.\n");
    let solved =
        "double: solved, all 4 cases are right. 1 of 25 done.\n  `quadrille exercise next` goes on.\n";
    assert_eq!(program.succeed("exercise run")?, solved);
    assert!(program.succeed("exercise next")?.contains("# axpy"), "the next one");
    let json = program.run("exercise run --json")?;
    assert!(
        json.status == Some(1) && json.out.contains("\"hint\":\"At texel 0 you have a (x + y)"),
        "{}",
        json.out
    );
    assert!(program.succeed("exercise hint")?.starts_with("  hint 1 of 2: "), "a hint");
    assert!(program.succeed("exercise hint")?.starts_with("  hint 2 of 2: "), "the next one");
    let list = program.succeed("exercise list")?;
    assert!(list.contains("  double        done") && list.contains("> axpy"), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    // A file that was edited is not called done before it is checked again.
    let right = std::fs::read_to_string(&file)?;
    std::fs::write(&file, &start)?;
    let list = program.succeed("exercise list")?;
    assert!(list.contains("  double        changed") && list.ends_with("0 of 25 done\n"), "{list}");
    let all = program.run("exercise check-all")?;
    assert!(all.status == Some(1) && all.out.ends_with("0 of 25 are solved\n"), "{}", all.out);
    std::fs::write(&file, right)?;
    assert!(program.succeed("exercise list")?.ends_with("1 of 25 done\n"), "right again");

    assert!(
        program.succeed("exercise solution double")?.contains("2.0 * value2(x, here).x"),
        "done, so shown"
    );
    let hidden = program.run("exercise solution pull")?;
    assert!(hidden.status == Some(2) && hidden.err.contains("--give-up"), "{}", hidden.err);
    assert!(program.succeed("exercise solution pull --give-up")?.contains("far > 0.0"), "given up");
    assert!(
        program.succeed("exercise reset double")?.contains("your text is in exercises/double.1.old"),
        "kept"
    );
    assert_eq!(std::fs::read_to_string(&file)?, start);

    // Texels that are not written are told from those that are wrong, whatever the output held before.
    let unwritten = program.run("exercise run always")?.out;
    assert!(unwritten.contains("\n  yours      ?  ?  4  ?  5   <- texel 0\n"), "{unwritten}");
    let json = program.run("exercise run always --json")?.out;
    assert!(
        json.contains("\"not_written\":3") && json.contains("Every path through main() has to write"),
        "{json}"
    );

    for (arguments, line) in [
        ("exercise run dubble", "no exercise \"dubble\": there are double, axpy"),
        ("exercise run --case 9", "--case 9: axpy has cases 1 to 4"),
        ("exercise new exercises", "exercises: is there already"),
    ] {
        let ended = program.run(arguments)?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(2), 1), "{arguments}: {}", ended.err);
        assert!(ended.err.contains(line), "{arguments}: {}", ended.err);
    }
    std::fs::remove_file(program.path("exercises/axpy.frag"))?;
    let gone = program.run("exercise run")?;
    assert!(gone.status == Some(1) && gone.err.contains("`quadrille exercise reset axpy`"), "{}", gone.err);
    std::fs::write(program.path("exercises/.quadrille-exercises.toml"), "current = ")?;
    let spoilt = program.run("exercise list")?;
    assert_eq!((spoilt.status, spoilt.err.lines().count()), (Some(1), 1), "{}", spoilt.err);
    Ok(())
}

#[test]
fn a_learner_chooses_an_exercise_and_sees_all_that_goes_in() -> Outcome {
    let program = Program::new()?;
    program.succeed("exercise init")?;
    assert!(
        program.succeed("exercise hint mean4")?.starts_with("  hint 1 of 2: You need four reads"),
        "of the one named"
    );
    // The context may be named behind the word.
    let wrong = program.run("exercise run axpy --api gles")?;
    assert!(wrong.status == Some(1) && wrong.out.contains("\n  a = 2\n"), "{}{}", wrong.out, wrong.err);
    let reverse = program.run("exercise run reverse")?.out;
    assert!(reverse.contains("\n  n = 5\n  x is folded into 2 rows of 3\n"), "{reverse}");
    let pack = program.run("exercise run pack")?.out;
    assert!(pack.lines().any(|line| line.split_whitespace().eq("x 3 1 4 1 | 5".split(' '))), "{pack}");

    let mut command = program.command("exercise life");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no stdin")?.write_all(b"q")?;
    let watched = String::from_utf8(child.wait_with_output()?.stdout)?;
    assert!(watched.contains("# life") && watched.contains("life  case 1 of 5"), "{watched}");
    assert!(program.succeed("exercise list")?.contains("> life"), "the current one");

    // The mark stands below its letter, however long the line is.
    let file = program.path("exercises/mean4.frag");
    let start = std::fs::read_to_string(&file)?;
    let long = format!("+ 0.0{} + (1.0, 0.0)", " * value2(image, here).x".repeat(5));
    std::fs::write(&file, start.replace(".x;", &format!(".x {long};")))?;
    let refused = program.run("exercise run mean4")?.out;
    let lines: Vec<&str> = refused.lines().collect();
    let mark = lines[1].find('^').ok_or(refused.clone())?;
    assert!(lines[0].len() <= 80 && lines[0][mark..].starts_with("(1.0, 0.0)"), "{refused}");
    assert_eq!(lines[2], "  (a, b) is no vector: write vec2(...).");

    std::fs::create_dir_all(program.path("checkout/double"))?;
    std::fs::write(program.path("checkout/double/exercise.toml"), "")?;
    for (arguments, line) in [
        ("exercise init checkout", "checkout/double: is the folder of an exercise with its solution"),
        ("exercise mean4 run", "mean4: an exercise is named behind its command"),
        ("exercise mean5", "no exercise \"mean5\": there are double, axpy"),
    ] {
        let ended = program.run(arguments)?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(2), 1), "{arguments}: {}", ended.err);
        assert!(ended.err.contains(line), "{arguments}: {}", ended.err);
    }
    assert!(!program.path("checkout/double.frag").exists(), "nothing was written");
    Ok(())
}

/// Editors replace files; the check sees contents. It waits for the words, never for time.
#[test]
fn watching_answers_when_the_file_is_saved() -> Outcome {
    let program = Program::new()?;
    program.succeed("exercise init here")?;
    let mut command = program.command("exercise");
    command.current_dir(program.path("here")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut keys = child.stdin.take().ok_or("no stdin")?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no stdout")?).lines();
    let mut until = |words: &str| -> Outcome {
        for line in lines.by_ref() {
            if line?.contains(words) {
                return Ok(());
            }
        }
        Err(format!("ended before \"{words}\"").into())
    };
    until("[h]int 1/3  [i]nputs  [s]trip  [r]un  [n]ext  [l]ist  [q]uit")?;
    let file = program.path("here/double.frag");
    let text = std::fs::read_to_string(&file)?.replace("= value2", "= 2.0 * value2");
    std::fs::write(program.path("here/new"), text)?;
    std::fs::rename(program.path("here/new"), &file)?;
    until("double: solved, all 4 cases are right. 1 of 25 done.")?;
    keys.write_all(b"n")?;
    until("# axpy")?;
    until("axpy  case 1 of 4")?;
    keys.write_all(b"hs")?;
    until("hint 1 of 2")?;
    until("after pass 1 of 1")?;
    keys.write_all(b"l")?;
    until("> axpy")?;
    keys.write_all(b"q")?;
    assert!(child.wait()?.success());
    Ok(())
}

/// Nobody could end it with a key, so it says what came out and ends itself.
#[test]
fn watching_ends_where_the_input_does() -> Outcome {
    let program = Program::new()?;
    program.succeed("exercise init")?;
    let mut command = program.command("exercise");
    let ended = command.stdin(Stdio::null()).output()?;
    let (out, err) = (String::from_utf8(ended.stdout)?, String::from_utf8(ended.stderr)?);
    assert!(out.contains("double  case 1 of 4"), "{out}");
    assert_eq!((ended.status.code(), err.lines().count()), (Some(2), 1), "{err}");
    assert!(err.contains("the input has ended") && err.contains("`quadrille exercise run`"), "{err}");
    Ok(())
}

#[test]
fn a_teacher_begins_with_an_exercise_that_holds() -> Outcome {
    let program = Program::new()?;
    program.succeed("exercise new add-one")?;
    let said = program.succeed("exercise test add-one")?;
    assert_eq!(said, "1 exercise, 4 cases, 1 wrong answer, 0 kernels that do not compile\n");
    // Each of these is a fault that is named.
    let file = program.path("add-one/solution.frag");
    let solution = std::fs::read_to_string(&file)?;
    let toml = std::fs::read_to_string(program.path("add-one/exercise.toml"))?;
    for (name, text, fault) in [
        ("solution.frag", solution.replace("+ 1.0", "+ 3.0"), "the solution is wrong in case 1"),
        ("start.frag", solution.clone(), "the start is a solution already"),
        ("wrong/two.frag", solution.clone(), "wrong/two.frag is right"),
        ("start.frag", solution.replace("+ 1.0", "+ 1"), "the start is refused: 1 is an int"),
        ("exercise.toml", toml.replace("expect = [4, 2, 5, 2, 6]", ""), "no case says in numbers"),
        ("exercise.toml", toml.replace("{ x = \"noise:41:seed3\" },", ""), "3 cases, at least 4"),
        (
            "exercise.toml",
            toml.replace("\"noise:1:seed1\"", "[0, 1, 2]"),
            "a stream whose values are its indices",
        ),
    ] {
        let path = program.path(&format!("add-one/{name}"));
        let before = std::fs::read_to_string(&path)?;
        std::fs::write(&path, text)?;
        let ended = program.run("exercise test add-one")?;
        assert!(ended.status == Some(1) && ended.out.contains(fault), "{fault}: {}{}", ended.out, ended.err);
        std::fs::write(&path, before)?;
    }
    // An answer that is told by its body stands in the start, and is named as an entry.
    let entry = |body: &str| {
        let entry = format!("wrong = [{{ file = \"three\", body = \"{body}\", hint = \"3\" }}, {{");
        std::fs::write(
            program.path("add-one/exercise.toml"),
            toml.replace("\nwrong = [{", &format!("\n{entry}")),
        )
    };
    entry("result = value2(x, here).x + 3.0;")?;
    let said = program.succeed("exercise test add-one")?;
    assert_eq!(said, "1 exercise, 4 cases, 2 wrong answers, 0 kernels that do not compile\n");
    entry("result = value2(x, here).x + 1.0;")?;
    let ended = program.run("exercise test add-one")?;
    assert!(
        ended.out.contains("three (its body is in exercise.toml) is right"),
        "{}{}",
        ended.out,
        ended.err
    );
    let start = std::fs::read_to_string(program.path("add-one/start.frag"))?;
    for (text, line) in [
        (format!("{start}float behind() {{ return 1.0; }}\n"), "expected nothing behind main()"),
        (start.replace("main()", "main( )"), "expected void main() once, so written, found 0 of them"),
        (format!("// void main() is below.\n{start}"), "found 2 of them"),
    ] {
        std::fs::write(program.path("add-one/start.frag"), text)?;
        let ended = program.run("exercise test add-one")?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1), "{}", ended.err);
        assert!(
            ended.err.contains("add-one: start.frag takes no body of three: ") && ended.err.contains(line),
            "{}",
            ended.err
        );
    }
    std::fs::write(program.path("add-one/start.frag"), start)?;
    for (text, line) in [
        (toml.replace("chapter = 1", "chapter = \"one\""), "add-one/exercise.toml: "),
        (
            toml.replace("\"noise:1:seed1\"", "\"noise:1:sead1\""),
            "add-one/exercise.toml: case 2: x: noise:1:sead1",
        ),
        (toml.replace("two.frag", "three.frag"), "add-one: there is no wrong/three.frag"),
    ] {
        std::fs::write(program.path("add-one/exercise.toml"), text)?;
        let ended = program.run("exercise test add-one")?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(1), 1), "{}", ended.err);
        assert!(ended.err.contains(line), "{line}: {}", ended.err);
    }
    Ok(())
}
