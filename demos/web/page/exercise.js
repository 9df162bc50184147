// All else of this page is WebAssembly (demos/web/exercises).
load("exercise.bin").then(() => document.body.classList.add("begun"), error => {
  document.getElementById("said").textContent = "The exercises cannot be checked here: " + (error.message ?? error)
    + (location.protocol === "file:" ? ". A browser reads no files beside a page from a folder: `make serve` shows it at an address." : "");
});
