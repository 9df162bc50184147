//! The page in a browser, where there is one.

use std::path::Path;
use std::process::Command;

use quadrille::trace::{Recorder, Watch};
use quadrille::{Gpu, Result};

use crate::support::on_gpu;

/// Asks the page what a reader would: values of an output, the texels that one was made of, and who wrote them.
const QUESTIONS: &str = "<script>
openPass(passes[1]);
const target = images[passes[1].targets[0]], found = sourcesOf(passes[1], [0, 2]).get(0);
const writers = found.map(texel => writerOf(images[passes[1].streams[0].image], texel)?.number ?? 0);
document.title = JSON.stringify({
    values: Array.from(valuesOf(target)), from: found, writers, first: writerOf(target, [1, 1]).number,
    beyond: sourcesOf(passes[2], [0, 0]).get(0), marked: document.querySelectorAll('code.fetch').length,
    open: document.querySelector('h2').textContent, frames: document.querySelectorAll('.frame').length,
});
</script>";

const SHIFT: &str = "uniform Stream source; DOMAIN at; RANGE float shifted;\nvoid main() {\n\
                     shifted = value2(source, at + vec2(-1.0, 0.0)).x + 1.0;\n}";
const FAR: &str = "uniform Stream source; DOMAIN at; RANGE float found;\n\
                   void main() { found = value(source, value2(source, at).x).x; }";

fn page(gpu: &Gpu) -> Result<(String, Vec<f32>)> {
    let numbers: Vec<f32> = (0..20).map(|i| i as f32).collect();
    let source = gpu.buffer(5, 4).init(&numbers)?;
    let [a, b] = [gpu.buffer(5, 4).build()?, gpu.buffer(5, 4).build()?];
    let (mut shift, mut far) = (gpu.program("shift.frag", SHIFT)?, gpu.program("far.frag", FAR)?);
    let recorder = Recorder::start(gpu, Watch::page())?;
    let _scope = gpu.scope("</script><b>&");
    shift.bind_stream("source", &source)?.run_over(&a, quadrille::Rect::new(0, 0, 4, 4))?;
    shift.bind_stream("source", &a)?.run(&b)?;
    far.bind_stream("source", &b)?.run(&a)?;
    let text = recorder.trace().page();
    drop(recorder);
    Ok((text, b.data()?))
}

#[test]
fn a_page_shows_values_and_where_they_came_from() -> Result<()> {
    on_gpu(|gpu| {
        let (text, values) = page(gpu)?;
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
            "\"beyond\":\"anywhere\"".to_owned(),
            "\"marked\":1".to_owned(),
            "\"open\":\"2. shift.frag \"".to_owned(),
        ] {
            assert!(title.contains(&part), "{part} is not in {title}");
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
