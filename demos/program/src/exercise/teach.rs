//! For teachers: a new exercise, and whether exercises hold what they promise.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use quadrille::Gpu;
use quadrille_exercises::judge::{Answer, Runner, Verdict, judge, wrong_texels};
use quadrille_exercises::show;
use quadrille_exercises::told::{self, Exercise};

use crate::files::shown;
use crate::output::{Usage, counted, say};

const PARTS: &[(&str, &str)] = &[
    (
        "exercise.toml",
        "chapter = 1
summary = \"what it is, in one line\"
hints = [\"A question that leads on.\"]
# Streams by their names: numbers, rows of numbers, or noise:WIDTHxHEIGHT:seedN:LOW..HIGH. Also size = \"4x1\", steps = 10,
# edges = \"repeat\", floats = { a = 2.0 }. One case says in numbers what is expected.
case = [
    { x = [3, 1, 4, 1, 5], expect = [4, 2, 5, 2, 6] },
    { x = \"noise:1:seed1\" },
    { x = \"noise:5x3:seed2\" },
    { x = \"noise:41:seed3\" },
]
# An answer that differs from the start in main() alone may have its statements as body; file is a name then, and no file.
# So have kernels that do not compile, with words of the line about them:
# broken = [{ file = \"int\", body = \"result = value2(x, here).x + 1;\", says = \"1 is an int\" }]
wrong = [{ file = \"two.frag\", hint = \"At texel {i} you add 2: how many are asked for?\" }]
",
    ),
    ("text.md", "# Add one\n\nAdd 1 to each x.\n"),
    (
        "start.frag",
        "uniform Stream x;\nDOMAIN here;\nRANGE float result;\n\nvoid main() {\n    result = value2(x, here).x;\n}\n",
    ),
    (
        "solution.frag",
        "uniform Stream x;\nDOMAIN here;\nRANGE float result;\n\nvoid main() {\n    result = value2(x, here).x + 1.0;\n}\n",
    ),
    (
        "wrong/two.frag",
        "uniform Stream x;\nDOMAIN here;\nRANGE float result;\n\nvoid main() {\n    result = value2(x, here).x + 2.0;\n}\n",
    ),
];

/// Makes a folder with the parts of an exercise, which passes `test` as it is.
///
/// # Errors
/// A folder that is there already; those of writing.
pub fn new(folder: &Path) -> Result<()> {
    if folder.exists() {
        return Err(Usage(format!("{}: is there already", shown(folder))).into());
    }
    fs::create_dir_all(folder.join("wrong")).with_context(|| shown(folder))?;
    for (name, text) in PARTS {
        fs::write(folder.join(name), text).with_context(|| shown(folder.join(name)))?;
    }
    say(&format!("{0}: change its parts, and run `quadrille exercise test {0}`", shown(folder)))
}

/// The exercises of a folder, or the one that it is.
fn of_folder(folder: &Path) -> Result<Vec<Exercise>> {
    if folder.join("exercise.toml").exists() {
        return Ok(vec![read(folder)?]);
    }
    let mut exercises = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| shown(folder))? {
        let path = entry?.path();
        if path.join("exercise.toml").exists() {
            exercises.push(read(&path)?);
        }
    }
    let found = shown(folder);
    ensure!(!exercises.is_empty(), "{found}: there is no exercise.toml, neither here nor one folder below");
    Ok(told::ordered(exercises))
}

fn read(folder: &Path) -> Result<Exercise> {
    let whole = folder.canonicalize().with_context(|| shown(folder))?;
    Exercise::of(&whole.file_name().unwrap_or_default().to_string_lossy(), &|file| {
        let path = folder.join(file);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some).with_context(|| shown(&path)),
        }
    })
}

/// Holds exercises to what they promise.
///
/// # Errors
/// Each fault is a line; the error counts them.
pub fn test(gpu: &Gpu, folder: Option<&Path>) -> Result<()> {
    let exercises = match folder {
        Some(folder) => of_folder(folder)?,
        None => told::built_in()?,
    };
    let (mut faults, mut wrong, mut broken) = (0, 0, 0);
    for exercise in &exercises {
        for fault in faults_of(gpu, exercise)? {
            faults += 1;
            say(&format!("{}: {fault}", exercise.name))?;
        }
        wrong += exercise.wrong.len();
        broken += exercise.broken.len();
    }
    let cases: usize = exercises.iter().map(|exercise| exercise.cases.len()).sum();
    say(&format!(
        "{}, {}, {}, {} that do not compile",
        counted(exercises.len() as u64, "exercise"),
        counted(cases as u64, "case"),
        counted(wrong as u64, "wrong answer"),
        counted(broken as u64, "kernel")
    ))?;
    match faults {
        0 => Ok(()),
        1 => bail!("1 fault"),
        _ => bail!("{faults} faults"),
    }
}

fn faults_of(gpu: &Gpu, exercise: &Exercise) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut check = |holds: bool, fault: String| {
        if !holds {
            faults.push(fault);
        }
    };
    check(exercise.cases.len() >= 4, format!("{} cases, at least 4 are expected", exercise.cases.len()));
    check(
        exercise.cases.iter().any(|case| case.expect.is_some()),
        "no case says in numbers what is expected".into(),
    );
    check(!exercise.hints.is_empty(), "there is no hint".into());
    let width = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    check(
        width(&exercise.begun()) <= 80,
        "a line of the text or of the start is wider than 80 columns".into(),
    );
    check(exercise.summary.chars().count() <= 50, "the summary is longer than 50 letters".into());
    let counts = |values: &[f32]| values.len() > 1 && values.iter().enumerate().all(|(i, v)| *v == i as f32);
    let indices =
        exercise.cases.iter().flat_map(|case| &case.streams).any(|(_, array)| counts(&array.values));
    check(!indices, "a stream whose values are its indices passes wrong answers".into());
    match judge(gpu, exercise, &exercise.solution, None)? {
        Verdict::Solved => {}
        Verdict::Refused(explained) => {
            check(false, format!("the solution is refused: {}", explained.sentence))
        }
        Verdict::Wrong(mistake) => {
            check(false, format!("the solution is wrong in case {}", mistake.case + 1));
            let lines = show::mistake(exercise, &mistake, "");
            lines.iter().try_for_each(|line| say(line))?;
        }
    }
    match judge(gpu, exercise, &exercise.start, None)? {
        Verdict::Solved => check(false, "the start is a solution already".into()),
        Verdict::Refused(explained) => {
            check(false, format!("the start is refused: {} {:?}", explained.sentence, explained.driver))
        }
        Verdict::Wrong(_) => {}
    }
    for known in &exercise.wrong {
        match judge(gpu, exercise, &known.text, None)? {
            Verdict::Solved => check(false, format!("{} is right", known.named())),
            Verdict::Refused(explained) => {
                check(
                    false,
                    format!("{} is refused: {} {:?}", known.named(), explained.sentence, explained.driver),
                );
            }
            Verdict::Wrong(mistake) => {
                let like = mistake.like.as_deref();
                check(like == Some(&known.file), format!("{} gets the hint of {like:?}", known.named()));
                let spare = mistake.hint.as_deref().unwrap_or_default().contains(['{', '}']);
                check(!spare, format!("{}: braces are left in {:?}", known.named(), mistake.hint));
                let wide = show::mistake(exercise, &mistake, "8 of 25 done");
                let wide = wide.iter().find(|line| line.chars().count() > 80);
                check(wide.is_none(), format!("{}: wider than 80 columns: {wide:?}", known.named()));
            }
        }
    }
    // Two wrong kernels with the same answers could not be told apart.
    let mut answers: Vec<(String, Vec<Answer>)> = Vec::new();
    for known in &exercise.wrong {
        let Ok(mut runner) = Runner::new(gpu, exercise, &known.text) else { continue };
        let all = exercise.cases.iter().map(|case| runner.answer(case)).collect::<Result<_, _>>()?;
        answers.push((known.named(), all));
    }
    for (i, (file, one)) in answers.iter().enumerate() {
        for (before, other) in &answers[..i] {
            let mut cases = one.iter().zip(other);
            let same = cases.all(|(a, b)| !wrong_texels(a, &b.result, exercise.ulps).contains(&true));
            check(!same, format!("{file} and {before} give the same answers"));
        }
    }
    for known in &exercise.broken {
        match judge(gpu, exercise, &known.text, None)? {
            Verdict::Refused(explained) => check(
                explained.sentence.contains(&known.says)
                    && known.line.is_none_or(|line| line == explained.line),
                format!(
                    "{}: told is line {} {:?}, and line {:?} {:?} is expected; {:?}",
                    known.named(),
                    explained.line,
                    explained.sentence,
                    known.line,
                    known.says,
                    explained.driver
                ),
            ),
            _ => check(false, format!("{} is not refused", known.named())),
        }
    }
    Ok(faults)
}
