"use strict";
// Charts: curves, bands and bars in SVG. Drag chooses a stretch of x (of time: in all charts), a double click shows all.
const charts = [];
let stretch = null; // of time, shared by all charts over time
const pad = { left: 58, right: 14, top: 10, bottom: 40 };

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
  while (at.length < 2) ({ at, step } = ticksOf(low, high, count *= 2));
  const most = Math.max(Math.abs(low), Math.abs(high)), e = Math.floor(Math.log10(most) + 1e-9);
  const power = e >= 5 || e <= -3 ? 3 * Math.floor(e / 3) : 0;
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / 10 ** power) + 1e-9) + (/^2\.5/.test((step / 10 ** Math.floor(Math.log10(step) + 1e-9)).toFixed(2)) ? 1 : 0)));
  return { at, words: at.map(x => tidy((x / 10 ** power).toFixed(digits).replace(/^-(0\.?0*)$/, "$1"))), power };
}
const withPower = (label, power) => !power ? label
  : label.includes("[") ? label.replace("[", "[10" + superscript(power) + " ") : label + " [10" + superscript(power) + "]";

// Ticks at powers of ten between 10^low and 10^high.
function decades(low, high, place) {
  const at = [], first = Math.ceil(low), last = Math.floor(high), step = Math.max(1, Math.ceil((last - first) / 6));
  for (let k = first; k <= last; k += step) at.push(k);
  return { at: at.map(place), words: at.map(k => "10" + superscript(k)), power: 0 };
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
    if (csv) csv.addEventListener("click", () => download(spec.title.replace(/[^\w.-]+/g, "_") + ".csv", this.csv()));
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }
  size() {
    this.width = Math.max(220, this.plot.clientWidth);
    this.height = this.spec.equal ? Math.min(420, this.width) : 250;
    this.inner = { w: this.width - pad.left - pad.right, h: this.height - pad.top - pad.bottom };
  }
  // Along x, too, a chart may be logarithmic.
  along(x) { return this.logX ? Math.log10(Math.max(x, 1e-300)) : x; }
  px(x) { return pad.left + (this.along(x) - this.along(this.x0)) / (this.along(this.x1) - this.along(this.x0)) * this.inner.w; }
  xAt(pixel) {
    const s = this.along(this.x0) + (pixel - pad.left) / this.inner.w * (this.along(this.x1) - this.along(this.x0));
    return this.logX ? 10 ** s : s;
  }
  py(y) { return pad.top + (this.y1 - y) / (this.y1 - this.y0) * this.inner.h; }
  axes(xLabel, yLabel, xs, ys) {
    const { left, top } = pad, { w, h } = this.inner, out = [];
    const many = Math.max(...ys.words.map(s => s.length), 0);
    ys.at.forEach((y, k) => out.push(`<line class="tick" x1="${left}" x2="${left + w}" y1="${this.py(y)}" y2="${this.py(y)}"/>`,
      `<text x="${left - 6}" y="${this.py(y) + 4}" text-anchor="end">${ys.words[k]}</text>`));
    (xs ? xs.at : []).forEach((x, k) => out.push(`<line class="tick" x1="${this.px(x)}" x2="${this.px(x)}" y1="${top}" y2="${top + h}"/>`,
      `<text x="${this.px(x)}" y="${top + h + 15}" text-anchor="middle">${xs.words[k]}</text>`));
    out.push(`<path class="axis" d="M${left} ${top}V${top + h}H${left + w}"/>`);
    if (xs) out.push(`<text class="label" x="${left + w / 2}" y="${top + h + 33}" text-anchor="middle">${escaped(withPower(xLabel, xs.power))}</text>`);
    const at = many > 6 ? 9 : 13;
    out.push(`<text class="label" transform="translate(${at} ${top + h / 2}) rotate(-90)" text-anchor="middle">${escaped(withPower(yLabel, ys.power))}</text>`);
    return out.join("");
  }
}

class CurveFrame extends Frame {
  constructor(figure, spec) {
    super(figure, spec);
    this.curves = spec.curves.map(c => ({ ...c, x: numbers(c.x), y: numbers(c.y), low: "low" in c ? numbers(c.low) : null }));
    this.ordered = this.curves.every(c => { for (let k = 1; k < c.x.length; k++) if (c.x[k] < c.x[k - 1]) return false; return true; });
    this.listen();
  }
  scale(y) { return this.spec.log ? Math.log10(Math.max(y, 1e-300)) : y; }
  seen() { return this.curves.filter((_, k) => !this.hidden.has(k)); }
  range() {
    const chosen = this.spec.time ? stretch : this.stretch;
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    const curves = this.seen().length ? this.seen() : this.curves;
    for (const c of curves) for (const x of c.x) if (Number.isFinite(x)) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); }
    if (chosen) [x0, x1] = chosen;
    for (const c of curves) for (let k = 0; k < c.x.length; k++) {
      if (c.x[k] < x0 || c.x[k] > x1) continue;
      for (const y of c.low ? [c.y[k], c.low[k]] : [c.y[k]]) if (Number.isFinite(y)) { const s = this.scale(y); y0 = Math.min(y0, s); y1 = Math.max(y1, s); }
    }
    if (!(x1 > x0)) { const x = Number.isFinite(x0) ? x0 : 0, d = Math.abs(x) * 0.01 || 1; x0 = x - d; x1 = x + d; }
    if (!Number.isFinite(y0)) { y0 = 0; y1 = 1; }
    const tiny = 1e-9 * Math.max(Math.abs(y0), Math.abs(y1)) || 0.5;
    if (y1 - y0 < tiny) { y0 -= tiny; y1 += tiny; }
    const banded = curves.some(c => c.low), room = 0.06 * (y1 - y0);
    y1 += room;
    if (!(banded && y0 === 0)) y0 -= room;
    if (!this.spec.time && !chosen && !this.spec.log) { const side = 0.04 * (x1 - x0); x0 -= side; x1 += side; }
    if (this.spec.equal) {
      const unit = Math.max((x1 - x0) / this.inner.w, (y1 - y0) / this.inner.h), xm = (x0 + x1) / 2, ym = (y0 + y1) / 2;
      [x0, x1] = [xm - unit * this.inner.w / 2, xm + unit * this.inner.w / 2];
      [y0, y1] = [ym - unit * this.inner.h / 2, ym + unit * this.inner.h / 2];
    }
    Object.assign(this, { x0, x1, y0, y1 });
  }
  line(xs, ys) {
    let out = "", pen = false;
    for (let k = 0; k < xs.length; k++) {
      if (!Number.isFinite(ys[k]) || !Number.isFinite(xs[k])) { pen = false; continue; }
      out += (pen ? "L" : "M") + this.px(xs[k]).toFixed(1) + " " + this.py(this.scale(ys[k])).toFixed(1);
      pen = true;
    }
    return out;
  }
  band(c) {
    const back = Array.from(c.x.keys()).reverse();
    return this.line(c.x, c.y) + this.line(back.map(k => c.x[k]), back.map(k => c.low[k])).replace("M", "L") + "Z";
  }
  draw() {
    this.size();
    this.range();
    const clip = "clip" + charts.indexOf(this);
    const xs = this.logX ? decades(Math.log10(this.x0), Math.log10(this.x1), k => 10 ** k) : axisOf(this.x0, this.x1, Math.max(3, this.inner.w / 80));
    const ys = this.spec.log ? decades(this.y0, this.y1, k => k) : axisOf(this.y0, this.y1, 5);
    let body = "";
    this.curves.forEach((c, k) => {
      if (this.hidden.has(k)) return;
      if (c.low) body += `<path d="${this.band(c)}" style="fill:var(--${c.colour});fill-opacity:.55"/><path d="${this.line(c.x, c.y)}" style="stroke:var(--${c.colour});stroke-width:1;fill:none"/>`;
      else body += `<path d="${this.line(c.x, c.y)}" style="stroke:var(--${c.colour});stroke-width:${c.dashed ? 1.3 : 1.6};fill:none;stroke-linejoin:round${c.dashed ? ";stroke-dasharray:5 3" : ""}"/>`;
    });
    const zero = !this.spec.log && this.y0 < 0 && this.y1 > 0 ? `<line class="zero" x1="${pad.left}" x2="${pad.left + this.inner.w}" y1="${this.py(0)}" y2="${this.py(0)}"/>` : "";
    this.plot.innerHTML = `<svg role="img" aria-label="${escaped(this.spec.title)}" viewBox="0 0 ${this.width} ${this.height}" height="${this.height}">
      <clipPath id="${clip}"><rect x="${pad.left}" y="${pad.top}" width="${this.inner.w}" height="${this.inner.h}"/></clipPath>
      ${this.axes(this.spec.x, this.spec.y, xs, ys)}<g clip-path="url(#${clip})">${zero}${body}<line class="cursor" y1="${pad.top}" y2="${pad.top + this.inner.h}" visibility="hidden"/><rect class="chosen" y="${pad.top}" height="${this.inner.h}" width="0"/></g></svg>`;
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
    const rows = this.ordered ? this.seen().map(c => {
      let low = 0, high = c.x.length - 1;
      while (high - low > 1) { const m = (low + high) >> 1; c.x[m] <= x ? low = m : high = m; }
      const k = Math.abs(c.x[low] - x) <= Math.abs(c.x[high] - x) ? low : high;
      return `<span style="color:var(--${c.colour})">■</span> ${escaped(c.label)}: ${shown(c.low ? c.y[k] - c.low[k] : c.y[k])}`;
    }) : [];
    const y = this.y1 - (event.clientY - box.top - pad.top) / this.inner.h * (this.y1 - this.y0);
    rows.unshift(this.ordered ? `${escaped(this.spec.x.split(" [")[0])} ${shown(x)}` : `${shown(x)}, ${shown(this.spec.log ? 10 ** y : y)}`);
    let tip = this.plot.querySelector(".tip");
    if (!tip) { tip = document.createElement("div"); tip.className = "tip"; this.plot.append(tip); }
    tip.innerHTML = rows.join("<br>");
    const left = event.clientX - box.left;
    tip.style.left = Math.max(0, left > this.width / 2 ? left - tip.offsetWidth - 12 : left + 12) + "px";
    tip.style.top = Math.max(0, event.clientY - box.top - tip.offsetHeight - 8) + "px";
  }
  untip() { const tip = this.plot.querySelector(".tip"); if (tip) tip.remove(); }
  csv() {
    const head = this.curves.flatMap(c => [this.spec.x, c.label + ", " + this.spec.y]).map(s => '"' + s.replace(/"/g, '""') + '"');
    const rows = [head.join(",")], most = Math.max(...this.curves.map(c => c.x.length));
    for (let k = 0; k < most; k++) rows.push(this.curves.flatMap(c => k < c.x.length ? [c.x[k], c.low ? c.y[k] - c.low[k] : c.y[k]] : ["", ""]).join(","));
    return rows.join("\n") + "\n";
  }
}

class BarFrame extends Frame {
  draw() {
    this.size();
    const ys = () => axisOf(this.y0, this.y1, 5);
    const all = this.spec.bars.flatMap(b => [b.from, b.to]), n = this.spec.bars.length;
    this.y0 = Math.min(0, ...all);
    this.y1 = Math.max(0, ...all);
    if (this.y1 === this.y0) this.y1 = this.y0 + 1;
    const room = 0.1 * (this.y1 - this.y0);
    this.y1 += room;
    if (this.y0 < 0) this.y0 -= room;
    [this.x0, this.x1] = [0, n];
    let body = "";
    this.spec.bars.forEach((b, k) => {
      const x = this.px(k + 0.18), w = this.px(k + 0.82) - x, top = this.py(Math.max(b.from, b.to)), h = Math.max(2, this.py(Math.min(b.from, b.to)) - top);
      body += `<rect x="${x}" y="${top}" width="${w}" height="${h}" style="fill:var(--${b.colour});fill-opacity:.75"/>`;
      const step = b.from !== 0 && k > 0 && k < n - 1, value = step ? b.to - b.from : b.to;
      body += `<text x="${x + w / 2}" y="${top - 5}" text-anchor="middle" style="fill:var(--ink)">${step && value > 0 ? "+" : ""}${shown(value / 10 ** ys().power, 4)}</text>`;
      if (k < n - 1) body += `<line class="zero" stroke-dasharray="2 2" x1="${x + w}" x2="${this.px(k + 1.18)}" y1="${this.py(b.to)}" y2="${this.py(b.to)}"/>`;
      b.label.split(" ").forEach((word, j) => { body += `<text x="${x + w / 2}" y="${pad.top + this.inner.h + 15 + 13 * j}" text-anchor="middle">${escaped(word)}</text>`; });
    });
    this.plot.innerHTML = `<svg role="img" aria-label="${escaped(this.spec.title)}" viewBox="0 0 ${this.width} ${this.height}" height="${this.height}">${this.axes("", this.spec.y, null, ys())}${body}</svg>`;
  }
  csv() { return "part,from [J],to [J]\n" + this.spec.bars.map(b => `"${b.label}",${b.from},${b.to}`).join("\n") + "\n"; }
}
