// Pictures of textures by false colour: each channel on its own, from its least number to its greatest.
const MAP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]; // viridis

function colour(share) {
  const at = Math.max(0, Math.min(1, share)) * (MAP.length - 1), low = Math.min(MAP.length - 2, Math.floor(at));
  return [0, 1, 2].map(c => MAP[low][c] + (at - low) * (MAP[low + 1][c] - MAP[low][c]));
}

// Draws a channel; row 0 at the bottom. `share` tells a texel's place in the range, NaN what is not finite.
function paint(canvas, width, height, share) {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d"), pixels = context.createImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const value = share(x, y), at = 4 * ((height - 1 - y) * width + x);
      pixels.data.set(Number.isNaN(value) ? [255, 0, 0, 255] : [...colour(value), 255], at);
    }
  }
  context.putImageData(pixels, 0, 0);
}

function paintImage(canvas, image, channel, whole) {
  const values = whole && valuesOf(image), levels = levelsOf(image);
  if (values) {
    const [least, most] = image.ranges[channel] ?? [0, 0], span = most - least;
    paint(canvas, image.width, image.height, (x, y) => {
      const value = values[(y * image.width + x) * image.channels + channel];
      return Number.isFinite(value) ? (span > 0 ? (value - least) / span : 0.5) : NaN;
    });
  } else if (levels) {
    const { width, height } = image.thumbnail;
    paint(canvas, width, height, (x, y) => {
      const level = levels[(y * width + x) * image.channels + channel];
      return level === 255 ? NaN : level / 254;
    });
  }
}

// Marks texels of an image in its picture.
function markTexels(canvas, image, texels) {
  const context = canvas.getContext("2d"), side = canvas.width / image.width;
  context.fillStyle = "#ff2d95";
  for (const [x, y] of texels) {
    const [left, top] = [x * side, canvas.height - (y + 1) * side];
    const grown = image.width > 128 ? 1 : 0; // a single texel of a large picture is not seen
    context.fillRect(left - grown, top - grown, Math.max(1, side) + 2 * grown, Math.max(1, side) + 2 * grown);
  }
}

// Veils what lies outside of a range.
function veil(canvas, image, [x0, y0, x1, y1]) {
  const context = canvas.getContext("2d"), side = canvas.width / image.width, { width, height } = canvas;
  const [left, right, top, bottom] = [x0 * side, x1 * side, height - y1 * side, height - y0 * side];
  context.fillStyle = "rgba(130, 126, 118, .7)";
  for (const box of [[0, 0, width, top], [0, bottom, width, height - bottom], [0, top, left, bottom - top], [right, top, width - right, bottom - top]]) {
    context.fillRect(...box);
  }
}

const tip = document.getElementById("tip");

// A figure of an image: its channels, its range, values on hovering; `clicked` is told the texel. Texels outside of `part` are veiled.
function figure(image, name, detail, clicked, part = null) {
  const canvas = element("canvas"), place = element("figcaption"), pick = element("span", { class: "pick" });
  let channel = 0;
  const draw = (marked = []) => {
    paintImage(canvas, image, channel, true);
    if (part) veil(canvas, image, part);
    markTexels(canvas, image, marked);
    const range = image.ranges?.[channel];
    bounds.textContent = range ? ` ${number(range[0])} to ${number(range[1])}` : image.ranges ? " nothing finite" : " not read";
    [...pick.children].forEach((button, c) => button.classList.toggle("on", c === channel));
  };
  const bounds = element("span", { class: "number" });
  for (let c = 0; c < image.channels && image.channels > 1; c++) {
    pick.append(element("button", { onclick: () => { channel = c; draw(); } }, "rgba"[c]));
  }
  place.append(element("b", {}, name), ` ${image.width}×${image.height} ${image.format} `, detail, element("br"), pick, bounds);
  if (image.not_finite) place.append(element("br"), `${image.not_finite} numbers are not finite (red)`);
  const texelAt = event => {
    const box = canvas.getBoundingClientRect(), scale = Math.min(box.width / canvas.width, box.height / canvas.height);
    const left = (box.width - canvas.width * scale) / 2, top = (box.height - canvas.height * scale) / 2;
    const x = Math.floor((event.clientX - box.left - left) / scale / canvas.width * image.width);
    const y = image.height - 1 - Math.floor((event.clientY - box.top - top) / scale / canvas.height * image.height);
    return x >= 0 && y >= 0 && x < image.width && y < image.height ? [x, y] : null;
  };
  canvas.onmousemove = event => {
    const texel = texelAt(event), found = texel && texelOf(image, ...texel);
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = `(${texel}) ${found[1] ? "" : "about "}${found[0].map(number).join("  ")}`;
    const box = tip.getBoundingClientRect(), before = event.clientX + 14 + box.width > innerWidth, above = event.clientY + 14 + box.height > innerHeight;
    tip.style.left = Math.max(0, before ? event.clientX - 14 - box.width : event.clientX + 14) + "px";
    tip.style.top = Math.max(0, above ? event.clientY - 14 - box.height : event.clientY + 14) + "px";
  };
  canvas.onmouseleave = () => { tip.hidden = true; };
  canvas.onclick = event => { const texel = texelAt(event); if (texel && clicked) clicked(texel); };
  draw();
  const made = element("figure", {}, canvas, place);
  made.mark = draw;
  return made;
}
