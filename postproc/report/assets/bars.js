"use strict";
// Bars that hang where the one before ended: upright, or lying where words and numbers have no room beside each other.
const prefixes = ["a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T"];
// A number with its unit, which has a prefix: the same whatever the axis shows.
function withUnit(x, unit) {
  const k = x === 0 ? 0 : Math.floor(Math.log10(Math.abs(+x.toPrecision(4))) / 3 + 1e-9), prefix = prefixes[k + 6];
  return prefix === undefined ? shown(x, 4) + " " + unit : tidy(+(x / 10 ** (3 * k)).toPrecision(4)) + " " + prefix + unit;
}

class BarFrame extends Frame {
  draw() {
    const { bars } = this.spec, n = bars.length, all = bars.flatMap(b => [b.from, b.to]), most = Math.max(...all.map(Math.abs));
    const unit = (/\[(.*)\]/.exec(this.spec.y) || ["", ""])[1];
    const values = bars.map((b, k) => k > 0 && k < n - 1 ? b.to - b.from : b.to).map(x => Math.abs(x) <= 1e-12 * most ? 0 : x); // less is round-off
    this.values = values.map((x, k) => (x > 0 && k > 0 && k < n - 1 ? "+" : "") + withUnit(x, unit));
    this.ends = [Math.min(0, ...all), Math.max(0, ...all)];
    if (this.ends[1] === this.ends[0]) this.ends[1] += 1;
    this.size();
    const words = bars.flatMap(b => b.label.split(" "));
    if (widest([...this.values, ...words]) + 8 < this.inner.w / n) this.upright();
    else this.lying();
  }
  upright() {
    const room = 0.1 * (this.ends[1] - this.ends[0]);
    this.y1 = this.ends[1] + room;
    this.y0 = this.ends[0] < 0 ? this.ends[0] - room : 0;
    const ys = axisOf(this.y0, this.y1, 5), { bars } = this.spec;
    this.size(ys.words);
    [this.x0, this.x1] = [0, bars.length];
    let body = "";
    bars.forEach((b, k) => {
      const x = this.px(k + 0.18), w = this.px(k + 0.82) - x, top = this.py(Math.max(b.from, b.to)), h = Math.max(2, this.py(Math.min(b.from, b.to)) - top);
      body += `<rect class="bar" x="${x}" y="${top}" width="${w}" height="${h}" style="fill:var(--${b.colour})"/>`;
      body += `<text x="${x + w / 2}" y="${top - 5}" text-anchor="middle" style="fill:var(--ink)">${this.values[k]}</text>`;
      if (k < bars.length - 1) body += `<line class="zero" stroke-dasharray="2 2" x1="${x + w}" x2="${this.px(k + 1.18)}" y1="${this.py(b.to)}" y2="${this.py(b.to)}"/>`;
      b.label.split(" ").forEach((word, j) => { body += `<text x="${x + w / 2}" y="${pad.top + this.inner.h + 15 + 13 * j}" text-anchor="middle">${escaped(word)}</text>`; });
    });
    this.plot.innerHTML = this.svg(this.axes("", this.spec.y, null, ys) + body);
  }
  lying() {
    const { bars } = this.spec, row = 27, h = row * bars.length;
    this.left = widest(bars.map(b => b.label)) + 8;
    this.height = pad.top + h + pad.bottom;
    this.inner = { w: this.width - this.left - widest(this.values) - 10, h };
    [this.x0, this.x1] = this.ends;
    const xs = this.alongX(this.x0, this.x1, this.inner.w), bottom = pad.top + h;
    let body = "";
    xs.at.forEach((x, k) => { body += `<line class="tick" x1="${this.px(x)}" x2="${this.px(x)}" y1="${pad.top}" y2="${bottom}"/><text x="${this.px(x)}" y="${bottom + 15}" text-anchor="middle">${xs.words[k]}</text>`; });
    bars.forEach((b, k) => {
      const y = pad.top + row * (k + 0.18), x = this.px(Math.min(b.from, b.to)), w = Math.max(2, this.px(Math.max(b.from, b.to)) - x), middle = y + 0.32 * row + 4;
      body += `<rect class="bar" x="${x}" y="${y}" width="${w}" height="${0.64 * row}" style="fill:var(--${b.colour})"/>`;
      body += `<text x="${this.left - 6}" y="${middle}" text-anchor="end">${escaped(b.label)}</text><text x="${x + w + 5}" y="${middle}" style="fill:var(--ink)">${this.values[k]}</text>`;
      if (k < bars.length - 1) body += `<line class="zero" stroke-dasharray="2 2" x1="${this.px(b.to)}" x2="${this.px(b.to)}" y1="${y + 0.64 * row}" y2="${y + row}"/>`;
    });
    body += `<path class="axis" d="M${this.left} ${pad.top}V${bottom}H${this.left + this.inner.w}"/><text class="label" x="${this.left + this.inner.w / 2}" y="${bottom + 33}" text-anchor="middle">${escaped(withPower(this.spec.y, xs.power))}</text>`;
    this.plot.innerHTML = this.svg(body);
  }
  csv() { return ["part", "from [J]", "to [J]"].join(",") + "\n" + this.spec.bars.map(b => [quoted(b.label), b.from, b.to].join(",")).join("\n") + "\n"; }
}
