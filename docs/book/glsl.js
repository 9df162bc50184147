// mdBook colours no GLSL: its words are near enough to those of C++.
document.querySelectorAll("code.language-glsl").forEach(code => {
  code.className = code.className.replace("language-glsl", "language-cpp");
  hljs.highlightBlock(code);
});
