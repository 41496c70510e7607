"use strict";
// Charts: curves and bands in SVG. Drag chooses a stretch of x (of time: in all charts), a double click shows all.
const charts = [];
let stretch = null; // of time, shared by all charts over time
const pad = { left: 58, right: 14, top: 10, bottom: 40 };
const ruler = document.createElement("canvas").getContext("2d");
// How wide the widest of some words is in a chart, in pixels.
function widest(words) {
  ruler.font = "11.5px " + getComputedStyle(document.body).fontFamily;
  return Math.max(0, ...words.map(word => ruler.measureText(word).width));
}

function ticksOf(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(m => m * power).find(s => s >= raw * 0.999);
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(k * step);
  return { at: out, step };
}
// Ticks with a common power of ten taken out of them, which goes into the label.
function axisOf(low, high, count) {
  let { at, step } = ticksOf(low, high, count);
  for (let k = 0; at.length < 2 && k < 8; k++) ({ at, step } = ticksOf(low, high, count *= 2));
  const most = Math.max(Math.abs(low), Math.abs(high)), e = Math.floor(Math.log10(most) + 1e-9);
  const power = e >= 5 || e <= -3 ? 3 * Math.floor(e / 3) : 0;
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / 10 ** power) + 1e-9) + (/^2\.5/.test((step / 10 ** Math.floor(Math.log10(step) + 1e-9)).toFixed(2)) ? 1 : 0)));
  return { at, words: at.map(x => tidy((x / 10 ** power).toFixed(digits).replace(/^-(0\.?0*)$/, "$1"))), power };
}
const withPower = (label, power) => !power ? label
  : label.includes("[") ? label.replace("[", "[10" + superscript(power) + " ") : label + " [10" + superscript(power) + "]";
const unitOf = label => escaped((/ \[(.*)\]$/.exec(label) || [, ""])[1].replace(/^(?=.)/, " "));

// Ticks at powers of ten between 10^low and 10^high, at most so many; at other numbers where there are none.
function decades(low, high, place, most) {
  const at = [], first = Math.ceil(low), last = Math.floor(high), step = Math.max(1, Math.ceil((last - first) / most));
  for (let k = first; k <= last; k += step) at.push(k);
  if (at.length > 1) return { at: at.map(place), words: at.map(k => "10" + superscript(k)), power: 0 };
  const even = axisOf(10 ** low, 10 ** high, 4);
  return { ...even, at: even.at.map(x => place(Math.log10(x))) };
}
const quoted = s => '"' + s.replace(/"/g, '""') + '"';
// The name of a chart's file: where it stands on the page, and its title; repeated ones are counted.
const saved = new Map();
function fileName(figure, title) {
  const above = figure.parentElement.previousElementSibling, head = above && above.tagName === "H3" ? above.textContent : "";
  const name = [figure.closest("section").id, head, title].filter(Boolean).join("_").replace(/[^\w.-]+/g, "_"), again = (saved.get(name) || 0) + 1;
  saved.set(name, again);
  return name + (again > 1 ? "_" + again : "") + ".csv";
}

class Frame {
  constructor(figure, spec) {
    this.figure = figure;
    this.spec = spec;
    this.plot = figure.querySelector(".plot");
    this.hidden = new Set();
    this.stretch = spec.shown || null;
    this.logX = false;
    figure.querySelectorAll(".legend button").forEach((button, k) => button.addEventListener("click", () => {
      this.hidden.has(k) ? this.hidden.delete(k) : this.hidden.add(k);
      button.setAttribute("aria-pressed", String(!this.hidden.has(k)));
      this.draw();
    }));
    const log = figure.querySelector(".logx");
    if (log) log.addEventListener("click", () => {
      this.logX = !this.logX;
      log.setAttribute("aria-pressed", String(this.logX));
      this.stretch = this.logX ? null : spec.shown;
      this.draw();
    });
    const csv = figure.querySelector(".csv");
    this.file = fileName(figure, spec.title);
    if (csv) csv.addEventListener("click", () => download(this.file, this.csv()));
    // drawing changes the height of the plot, which must not be watched while it is drawn
    let drawn = -1;
    const fit = () => { if (this.plot.clientWidth !== drawn) { drawn = this.plot.clientWidth; this.draw(); } };
    new ResizeObserver(() => requestAnimationFrame(fit)).observe(this.plot);
  }
  // The words beside the ticks of y need their room.
  size(words = []) {
    this.width = Math.max(220, this.plot.clientWidth);
    this.height = this.spec.equal ? Math.min(420, this.width) : this.spec.low ? 140 : 250;
    this.left = Math.max(pad.left, widest(words) + 28);
    this.inner = { w: this.width - this.left - pad.right, h: this.height - pad.top - pad.bottom };
  }
  // Along x, too, a chart may be logarithmic.
  along(x) { return this.logX ? Math.log10(Math.max(x, 1e-300)) : x; }
  px(x) { return this.left + (this.along(x) - this.along(this.x0)) / (this.along(this.x1) - this.along(this.x0)) * this.inner.w; }
  xAt(pixel) {
    const s = this.along(this.x0) + (pixel - this.left) / this.inner.w * (this.along(this.x1) - this.along(this.x0));
    return this.logX ? 10 ** s : s;
  }
  py(y) { return pad.top + (this.y1 - y) / (this.y1 - this.y0) * this.inner.h; }
  // Ticks along x, as many as have room for their words.
  alongX(low, high, size) {
    let count = Math.max(2, size / 70), axis = axisOf(low, high, count);
    const tight = () => (axis.at[1] - axis.at[0]) / (high - low) * size < widest(axis.words) + 8;
    for (; count > 1 && tight(); count *= 0.7) axis = axisOf(low, high, count);
    return axis;
  }
  axes(xLabel, yLabel, xs, ys) {
    const { left } = this, { top } = pad, { w, h } = this.inner, out = [];
    ys.at.forEach((y, k) => out.push(`<line class="tick" x1="${left}" x2="${left + w}" y1="${this.py(y)}" y2="${this.py(y)}"/>`,
      `<text x="${left - 6}" y="${this.py(y) + 4}" text-anchor="end">${ys.words[k]}</text>`));
    const most = this.width + 8 - (xs ? widest(xs.words) / 2 : 0); // no word leaves the figure
    (xs ? xs.at : []).forEach((x, k) => out.push(`<line class="tick" x1="${this.px(x)}" x2="${this.px(x)}" y1="${top}" y2="${top + h}"/>`,
      `<text x="${Math.min(most, this.px(x))}" y="${top + h + 15}" text-anchor="middle">${xs.words[k]}</text>`));
    out.push(`<path class="axis" d="M${left} ${top}V${top + h}H${left + w}"/>`);
    if (xs) out.push(`<text class="label" x="${left + w / 2}" y="${top + h + 33}" text-anchor="middle">${escaped(withPower(xLabel, xs.power))}</text>`);
    out.push(`<text class="label" transform="translate(12 ${top + h / 2}) rotate(-90)" text-anchor="middle">${escaped(withPower(yLabel, ys.power))}</text>`);
    return out.join("");
  }
  svg(inside) { return `<svg role="img" aria-label="${escaped(this.spec.title)}" viewBox="0 0 ${this.width} ${this.height}" height="${this.height}">${inside}</svg>`; }
}

class CurveFrame extends Frame {
  constructor(figure, spec) {
    super(figure, spec);
    this.curves = spec.curves.map(c => ({ ...c, x: numbers(c.x), y: numbers(c.y), low: "low" in c ? numbers(c.low) : null }));
    this.ordered = this.curves.every(c => { for (let k = 1; k < c.x.length; k++) if (c.x[k] < c.x[k - 1]) return false; return true; });
    this.confess();
    this.listen();
  }
  // Say what cannot be drawn.
  confess() {
    const lost = this.curves.reduce((sum, c) => sum + c.y.filter((y, k) => !Number.isFinite(y) || !Number.isFinite(c.x[k])).length, 0);
    if (!lost) return;
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = (lost === 1 ? "1 value is" : lost + " values are") + " left out: no finite number, or too large to draw.";
    this.figure.querySelector("figcaption").append(note);
  }
  scale(y) { return !this.spec.log ? y : y > 0 ? Math.log10(y) : NaN; }
  seen() { return this.curves.filter((_, k) => !this.hidden.has(k)); }
  range() {
    const chosen = this.spec.time ? stretch : this.stretch;
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    const curves = this.seen().length ? this.seen() : this.curves;
    for (const c of curves) for (const x of c.x) if (Number.isFinite(x)) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); }
    if (chosen) [x0, x1] = chosen;
    const see = s => { if (Number.isFinite(s)) { y0 = Math.min(y0, s); y1 = Math.max(y1, s); } };
    for (const c of curves) for (const ys of c.low ? [c.y, c.low] : [c.y]) for (let k = 0; k < c.x.length; k++) {
      const s = this.scale(ys[k]);
      if (c.x[k] >= x0 && c.x[k] <= x1) see(s);
      // a curve counts also where it crosses the edges of what is shown
      if (chosen && k) for (const edge of chosen) if ((c.x[k - 1] - edge) * (c.x[k] - edge) < 0) {
        const before = this.scale(ys[k - 1]);
        see(before + (s - before) * (this.along(edge) - this.along(c.x[k - 1])) / (this.along(c.x[k]) - this.along(c.x[k - 1])));
      }
    }
    if (!(x1 > x0)) { const x = Number.isFinite(x0) ? x0 : 0, d = Math.abs(x) * 0.01 || 1; x0 = x - d; x1 = x + d; }
    if (!Number.isFinite(y0)) { y0 = 0; y1 = 1; }
    const tiny = 1e-9 * Math.max(Math.abs(y0), Math.abs(y1)) || 0.5;
    if (y1 - y0 < tiny) { y0 -= tiny; y1 += tiny; }
    const side = 0.06 * (y1 - y0), stands = curves.some(c => c.low) && Math.abs(y0) < 1e-9 * (y1 - y0); // a stack stands on zero
    y1 += side;
    y0 = stands ? 0 : y0 - side;
    if (!this.spec.time && !chosen && !this.spec.log) { const side = 0.04 * (x1 - x0); x0 -= side; x1 += side; }
    if (this.spec.equal) {
      const unit = Math.max((x1 - x0) / this.inner.w, (y1 - y0) / this.inner.h), xm = (x0 + x1) / 2, ym = (y0 + y1) / 2;
      [x0, x1] = [xm - unit * this.inner.w / 2, xm + unit * this.inner.w / 2];
      [y0, y1] = [ym - unit * this.inner.h / 2, ym + unit * this.inner.h / 2];
    }
    Object.assign(this, { x0, x1, y0, y1 });
  }
  // Numbers of points one after the other where all is finite.
  pieces(...columns) {
    const out = [[]];
    for (let k = 0; k < columns[0].length; k++) {
      if (columns.every(c => Number.isFinite(c[k]))) out.at(-1).push(k);
      else if (out.at(-1).length) out.push([]);
    }
    return out.filter(piece => piece.length);
  }
  way(xs, ys, which) { return which.map(k => this.px(xs[k]).toFixed(1) + " " + this.py(ys[k]).toFixed(1)).join("L"); }
  line(c) {
    const ys = Array.from(c.y, y => this.scale(y));
    return this.pieces(c.x, ys).map(piece => "M" + this.way(c.x, ys, piece)).join("");
  }
  band(c) {
    const [high, low] = [c.y, c.low].map(ys => Array.from(ys, y => this.scale(y)));
    return this.pieces(c.x, high, low).map(piece => "M" + this.way(c.x, high, piece) + "L" + this.way(c.x, low, piece.slice().reverse()) + "Z").join("");
  }
  // Of a strip only whole numbers mean something, and of a single one none does.
  wholes() {
    const { at, words, power } = axisOf(this.y0, this.y1, 3), keep = at.map(y => this.y1 > 1.5 && Number.isInteger(y));
    return { at: at.filter((_, k) => keep[k]), words: words.filter((_, k) => keep[k]), power };
  }
  ticks() { return this.spec.low ? this.wholes() : this.spec.log ? decades(this.y0, this.y1, k => k, 6) : axisOf(this.y0, this.y1, 5); }
  draw() {
    this.size();
    this.range();
    this.size(this.ticks().words);
    this.range();
    const clip = "clip" + charts.indexOf(this), ys = this.ticks();
    const xs = this.logX ? decades(Math.log10(this.x0), Math.log10(this.x1), k => 10 ** k, this.inner.w / 45) : this.alongX(this.x0, this.x1, this.inner.w);
    let body = "";
    this.curves.forEach((c, k) => {
      if (this.hidden.has(k)) return;
      const d = this.line(c);
      if (c.low) body += `<path d="${this.band(c)}" style="fill:var(--${c.colour});fill-opacity:.55"/><path d="${d}" style="stroke:var(--${c.colour});stroke-width:1;fill:none"/>`;
      else body += `<path d="${d}" style="stroke:var(--${c.colour});stroke-width:${c.dashed ? 1.3 : 1.6};fill:none;stroke-linejoin:round${c.dashed ? ";stroke-dasharray:5 3" : ""}"/>`;
    });
    const zero = !this.spec.log && this.y0 < 0 && this.y1 > 0 ? `<line class="zero" x1="${this.left}" x2="${this.left + this.inner.w}" y1="${this.py(0)}" y2="${this.py(0)}"/>` : "";
    this.plot.innerHTML = this.svg(`<clipPath id="${clip}"><rect x="${this.left}" y="${pad.top}" width="${this.inner.w}" height="${this.inner.h}"/></clipPath>
      ${this.axes(this.spec.x, this.spec.y, xs, ys)}<g clip-path="url(#${clip})">${zero}${body}<line class="cursor" y1="${pad.top}" y2="${pad.top + this.inner.h}" visibility="hidden"/><rect class="chosen" y="${pad.top}" height="${this.inner.h}" width="0"/></g>`);
    this.cursor(now);
  }
  cursor(t) {
    const line = this.plot.querySelector(".cursor");
    if (!line || !this.spec.time || t === null) return;
    const x = this.px(t);
    line.setAttribute("visibility", t >= this.x0 && t <= this.x1 ? "visible" : "hidden");
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }
  listen() {
    let from = null;
    const at = event => this.xAt(event.clientX - this.plot.getBoundingClientRect().left);
    this.plot.addEventListener("pointermove", event => {
      this.tip(event, at(event));
      if (from === null) return;
      const box = this.plot.querySelector(".chosen"), a = this.px(Math.min(from, at(event))), b = this.px(Math.max(from, at(event)));
      box.setAttribute("x", a);
      box.setAttribute("width", b - a);
    });
    this.plot.addEventListener("pointerleave", () => { this.untip(); });
    this.plot.addEventListener("pointerdown", event => { if (this.ordered && event.button === 0 && event.pointerType === "mouse") { from = at(event); this.plot.setPointerCapture(event.pointerId); } });
    this.plot.addEventListener("pointerup", event => {
      if (from === null) return;
      const a = Math.min(from, at(event)), b = Math.max(from, at(event));
      from = null;
      if (this.px(b) - this.px(a) > 6) this.zoom([Math.max(a, this.x0), Math.min(b, this.x1)]);
      else this.plot.querySelector(".chosen").setAttribute("width", 0);
    });
    this.plot.addEventListener("dblclick", () => this.zoom(null));
  }
  zoom(to) {
    if (this.spec.time) { stretch = to; charts.forEach(c => { if (c.spec.time) c.draw(); }); }
    else { this.stretch = to; this.draw(); }
  }
  tip(event, x) {
    const box = this.plot.getBoundingClientRect(), inside = x >= this.x0 && x <= this.x1;
    if (!inside) return this.untip();
    // of a run that has ended, or has not begun, there is nothing to say
    const pixel = Math.abs(this.xAt(this.px(x) + 1) - x), known = c => c.x.length && x >= c.x[0] - pixel && x <= c.x.at(-1) + pixel;
    const units = [this.spec.x, this.spec.y].map(unitOf);
    const rows = this.ordered ? this.seen().filter(known).map(c => {
      let low = 0, high = c.x.length - 1;
      while (high - low > 1) { const m = (low + high) >> 1; c.x[m] <= x ? low = m : high = m; }
      const k = Math.abs(c.x[low] - x) <= Math.abs(c.x[high] - x) ? low : high;
      return `<span style="color:var(--${c.colour})">■</span> ${escaped(c.label)}: ${shown(c.low ? c.y[k] - c.low[k] : c.y[k])}${units[1]}`;
    }) : [];
    const y = this.y1 - (event.clientY - box.top - pad.top) / this.inner.h * (this.y1 - this.y0);
    rows.unshift(this.ordered ? `${escaped(this.spec.x.split(" [")[0])} ${shown(x)}${units[0]}` : `${shown(x)}${units[0]}, ${shown(this.spec.log ? 10 ** y : y)}${units[1]}`);
    let tip = this.plot.querySelector(".tip");
    if (!tip) { tip = document.createElement("div"); tip.className = "tip"; this.plot.append(tip); }
    tip.innerHTML = rows.join("<br>");
    const left = event.clientX - box.left;
    tip.style.left = Math.max(0, left > this.width / 2 ? left - tip.offsetWidth - 12 : left + 12) + "px";
    tip.style.top = Math.max(0, event.clientY - box.top - tip.offsetHeight - 8) + "px";
  }
  untip() { const tip = this.plot.querySelector(".tip"); if (tip) tip.remove(); }
  csv() {
    const head = this.curves.flatMap(c => [this.spec.x, c.label + ", " + this.spec.y]).map(quoted);
    const rows = [head.join(",")], most = Math.max(...this.curves.map(c => c.x.length));
    const value = (c, k) => c.low ? +(c.y[k] - c.low[k]).toPrecision(15) : c.y[k];
    for (let k = 0; k < most; k++) rows.push(this.curves.flatMap(c => k < c.x.length ? [c.x[k], value(c, k)] : ["", ""]).join(","));
    return rows.join("\n") + "\n";
  }
}
