//! The page in a browser, where there is one.

use std::path::Path;
use std::process::Command;

use quadrille::trace::{Card, Recorder, Trace, Watch};
use quadrille::{Gpu, Result};

use crate::support::on_gpu;

/// Asks the page what a reader would: values of an output, the texels that one was made of, and who wrote them.
const QUESTIONS: &str = "<script>
openPass(passes[1]);
const target = images[passes[1].targets[0]], found = sourcesOf(passes[1], [0, 2]).get(0);
const writers = found.map(texel => writerOf(images[passes[1].streams[0].image], texel)?.number ?? 0);
document.title = JSON.stringify({
    part: partOf(images[passes[0].targets[0]]), whole: partOf(images[passes[1].targets[0]]),
    heirs: [...heirs.values()].map(place => trace.steps[images[place].by].number),
    readers: passes.map(pass => readersOf(images[pass.targets[0]]).map(reader => reader.number)),
    values: Array.from(valuesOf(target)), from: found, writers, first: writerOf(target, [1, 1]).number,
    beyond: sourcesOf(passes[2], [0, 0]).get(0), marked: document.querySelectorAll('code.fetch').length,
    off: [...document.querySelectorAll('code.off')].map(line => line.textContent), floor: passes.every(pass => pass.floor > 0),
    open: document.querySelector('h2').textContent, frames: document.querySelectorAll('.frame').length,
});
</script>";

const SHIFT: &str = "uniform Stream source; DOMAIN at; RANGE float shifted;\nvoid main() {\n\
                     #ifdef FAR\nshifted = 7.0;\n#endif\n\
                     shifted = value2(source, at + vec2(-1.0, 0.0)).x + 1.0;\n}";
const FAR: &str = "uniform Stream source; DOMAIN at; RANGE float found;\n\
                   void main() { found = value(source, value2(source, at).x).x; }";

/// Three passes, the second by a kernel of its own text, and what that wrote.
fn trace(gpu: &Gpu, second: &str) -> Result<(Trace, Vec<f32>)> {
    watched(gpu, second, Watch::page())
}

fn watched(gpu: &Gpu, second: &str, watch: Watch) -> Result<(Trace, Vec<f32>)> {
    let numbers: Vec<f32> = (0..20).map(|i| i as f32).collect();
    let source = gpu.buffer(5, 4).init(&numbers)?;
    let [a, b] = [gpu.buffer(5, 4).build()?, gpu.buffer(5, 4).build()?];
    let (mut shift, mut far) = (gpu.program("shift.frag", SHIFT)?, gpu.program("far.frag", FAR)?);
    let mut second = gpu.program("shift.frag", second)?;
    let recorder = Recorder::start(gpu, watch)?;
    let _scope = gpu.scope("</script><b>&");
    shift.bind_stream("source", &source)?.run_over(&a, quadrille::Rect::new(0, 0, 4, 4))?;
    second.bind_stream("source", &a)?.run(&b)?;
    far.bind_stream("source", &b)?.run(&a)?;
    Ok((recorder.end(), b.data()?))
}

#[test]
fn a_page_shows_values_and_where_they_came_from() -> Result<()> {
    on_gpu(|gpu| {
        let (trace, values) = trace(gpu, SHIFT)?;
        let text = trace.page();
        assert!(!text.contains("http://") && !text.contains("https://"), "no network");
        let Some(title) = asked(&text.replace("</body>", &format!("{QUESTIONS}</body>"))) else {
            println!("skipped: no chromium on this machine");
            return Ok(());
        };
        let values: Vec<String> = values.iter().map(f32::to_string).collect();
        for part in [
            format!("\"values\":[{}]", values.join(",")),
            "\"from\":[[0,2]]".to_owned(), // clamped
            "\"writers\":[1]".to_owned(),
            "\"first\":2".to_owned(),
            "\"part\":[0,0,4,4],\"whole\":null".to_owned(),
            "\"readers\":[[2],[3],[]]".to_owned(),
            "\"heirs\":[1]".to_owned(),
            "\"beyond\":\"anywhere\"".to_owned(),
            "\"marked\":1".to_owned(),
            "\"off\":[\"shifted = 7.0;\"]".to_owned(),
            format!("\"floor\":{}", trace.card.is_some()),
            "\"open\":\"2. shift.frag \"".to_owned(),
        ] {
            assert!(title.contains(&part), "{part} is not in {title}");
        }
        Ok(())
    })
}

/// Asks what differs from the earlier trace: which passes, by how much, which line of the kernel; and between two passes.
const DIFFERENCES: &str = "<script>
openPass(passes[1]);
const told = document.querySelector('.answer').textContent, marked = [...document.querySelectorAll('code.new')];
against = passes[0];
openPass(passes[1]);
document.title = JSON.stringify({
    differing: differingPasses().map(pass => pass.number), frames: document.querySelectorAll('.frame.differs').length,
    told, line: marked.map(line => line.dataset.line), head: document.getElementById('against').textContent,
    two: document.querySelectorAll('.answer')[1].textContent,
});
</script>";

#[test]
fn a_page_beside_an_earlier_trace_marks_what_differs() -> Result<()> {
    on_gpu(|gpu| {
        let (earlier, before) = trace(gpu, SHIFT)?;
        // The second has passes 4 to 6 of the context.
        let (later, after) = trace(gpu, &SHIFT.replace("+ 1.0", "+ 3.5"))?;
        assert!(before.iter().zip(&after).all(|(before, after)| after - before == 2.5));
        let with = |page: String| page.replace("</body>", &format!("{DIFFERENCES}</body>"));
        let Some(title) = asked(&with(later.page_against(&earlier.json()))) else {
            println!("skipped: no chromium on this machine");
            return Ok(());
        };
        for part in [
            "\"differing\":[5,6]",
            "\"frames\":2",
            "against pass 2 of the earlier trace: the largest difference is 2.5 at (0,0); 20 texels differ",
            "the kernel was another",
            "gone: shifted = value2(source, at + vec2(-1.0, 0.0)).x + 1.0;",
            "Its inputs are the same.",
            "\"line\":[\"6\"]",
            "2 of 3 passes differ from the earlier trace: the first is pass 5",
            "\"two\":\"against pass 4: the largest difference is ",
        ] {
            assert!(title.contains(part), "{part} is not in {title}");
        }
        let same = asked(&with(earlier.page_against(&earlier.json()))).unwrap_or_default();
        assert!(same.contains("All passes have the outputs of the earlier trace."), "{same}");
        Ok(())
    })
}

/// Asks what is said of the passes and of the second of them.
const SAID: &str = "<script>
openPass(passes[1]);
document.title = [document.getElementById('against'), ...document.querySelectorAll('.answer')].map(said => said.textContent).join(' | ');
</script>";

#[test]
fn of_outputs_that_were_not_read_no_page_says_that_they_are_alike() -> Result<()> {
    on_gpu(|gpu| {
        let said = |later: &Trace, earlier: &Trace| {
            let page = later.page_against(&earlier.json());
            asked(&page.replace("</body>", &format!("{SAID}</body>")))
        };
        let hashes = Watch { hashes: true, ..Watch::default() };
        let (counts, _) = watched(gpu, SHIFT, Watch::default())?;
        let (hashed, _) = watched(gpu, SHIFT, hashes.clone())?;
        let (other, _) = watched(gpu, &SHIFT.replace("+ 1.0", "+ 3.5"), hashes)?;
        let (mut longer, _) = trace(gpu, SHIFT)?;
        longer.scopes[1].name = "elsewhere".to_owned();
        for (later, earlier, expected) in [
            (
                &counts,
                &hashed,
                &[
                    "3 cannot be compared, for their outputs were not read in both. | ",
                    "it may differ, but neither trace has kept its numbers",
                    "Its inputs were not read in both.",
                ][..],
            ),
            (
                &other,
                &hashed,
                &[
                    "2 of 3 passes differ from the earlier trace: the first is pass ",
                    "it differs, but neither trace has kept its numbers",
                ],
            ),
            (&longer, &hashed, &["3 are not in it; 3 of its passes are not here: the first is pass "]),
        ] {
            let Some(title) = said(later, earlier) else {
                println!("skipped: no chromium on this machine");
                return Ok(());
            };
            for part in expected {
                assert!(title.contains(part), "{part} is not in {title}");
            }
        }
        Ok(())
    })
}

/// Asks what the tables of kernels and of cards say of the GPU at hand.
const CARDS_SAID: &str = "<script>
const said = view => { document.querySelector(`[data-view=${view}]`).click(); return document.getElementById('table').textContent; };
document.title = said('kernels') + said('cards');
</script>";

#[test]
fn a_page_has_the_floors_that_were_measured_or_says_how_to_measure_them() -> Result<()> {
    on_gpu(|gpu| {
        let (mut trace, _) = trace(gpu, SHIFT)?;
        let measured = Card {
            name: "made-up".into(),
            pass: 1e-9,
            written: 1e15,
            fetches: 1e15,
            fetched: 1e15,
            bytes: 1e15,
            source: "measured somewhere".into(),
        };
        for (card, expected) in [
            (Some(measured), &["others / floor of made-up", "made-up (this one)", "measured somewhere"][..]),
            (None, &["The floors of this GPU are not known: quadrille bench costs measures them"]),
        ] {
            let is_known = card.is_some();
            trace.card = card;
            let page = trace.page().replace("</body>", &format!("{CARDS_SAID}</body>"));
            let Some(title) = asked(&page) else {
                println!("skipped: no chromium on this machine");
                return Ok(());
            };
            for part in expected {
                assert!(title.contains(part), "{part} is not in {title}");
            }
            assert_eq!(title.contains("(this one)"), is_known, "{title}");
            assert_eq!(title.contains("are not known"), !is_known, "{title}");
        }
        Ok(())
    })
}

/// The title of a page once its scripts have run.
fn asked(text: &str) -> Option<String> {
    let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let browser = browser.into_iter().find(|path| Path::new(path).exists())?;
    let folder = std::env::temp_dir().join(format!("quadrille-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let file = folder.join("trace.html");
    std::fs::write(&file, text).ok()?;
    let shown = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-quic"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(["--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("file://{}", file.display()))
        .output();
    let _ = std::fs::remove_dir_all(&folder);
    let page = String::from_utf8_lossy(&shown.ok()?.stdout).into_owned();
    let title = page.split("<title>").nth(1)?.split("</title>").next()?;
    Some(title.replace("&quot;", "\"").replace("&gt;", ">"))
}
