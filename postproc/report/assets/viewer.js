"use strict";
// The motion in space: lines, balls, surfaces and planes on a canvas, without perspective.
const viridis = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];
// Colours of what stands beside the bodies.
const markTones = { disks: "faint", supports: "faint", links: "soft", bearings: "sky", rings: "blue" };
const bodyColours = ["blue", "vermillion", "green", "purple", "orange", "sky"];
const rgb = hex => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16));
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const crossed = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const n = Math.hypot(...a) || 1; return a.map(x => x / n); };
function colourAt(part) {
  const x = Math.min(1, Math.max(0, part)) * (viridis.length - 1), k = Math.min(viridis.length - 2, Math.floor(x));
  const a = rgb(viridis[k]), b = rgb(viridis[k + 1]);
  return `rgb(${a.map((c, j) => Math.round(c + (x - k) * (b[j] - c))).join(",")})`;
}

// Cells stored as counts, each followed by so many numbers.
function cellsOf(flat) {
  const out = [];
  for (let k = 0; k < flat.length; k += flat[k] + 1) out.push(Array.from(flat.slice(k + 1, k + 1 + flat[k])));
  return out;
}
function marksOf(spec) {
  const parts = spec.parts.map(p => ({ ...p, points: numbers(p.points), owner: numbers(p.owner), faces: cellsOf(numbers(p.faces)), lines: cellsOf(numbers(p.lines)) }));
  return { count: spec.count, rest: numbers(spec.rest), moved: numbers(spec.moved), parts };
}

class View {
  constructor(canvas, motion, camera) {
    Object.assign(this, { canvas, motion, camera, ink: canvas.getContext("2d"), frame: 0, scale: 1, field: 0 });
    this.times = numbers(motion.times);
    this.points = numbers(motion.points);
    this.moved = numbers(motion.moved);
    this.fields = motion.fields.map(f => ({ ...f, values: numbers(f.values) }));
    this.lines = numbers(motion.lines);
    this.widths = numbers(motion.widths);
    this.balls = numbers(motion.balls);
    this.radii = numbers(motion.radii);
    this.triangles = numbers(motion.triangles);
    this.bodies = numbers(motion.bodies);
    this.impulse = { frame: numbers(motion.impulse.frame), point: numbers(motion.impulse.point), vector: numbers(motion.impulse.vector) };
    this.largest = 0;
    for (let k = 0; k < this.impulse.frame.length; k++) this.largest = Math.max(this.largest, Math.hypot(...this.impulse.vector.slice(3 * k, 3 * k + 3)));
    this.count = this.points.length / 3;
    this.marks = marksOf(motion.marks);
    this.limits = this.fields.map(f => f.values.reduce((r, x) => [Math.min(r[0], x), Math.max(r[1], x)], [Infinity, -Infinity]));
  }
  nearest(t) {
    let low = 0, high = this.times.length - 1;
    while (high - low > 1) { const m = (low + high) >> 1; this.times[m] <= t ? low = m : high = m; }
    return Math.abs(this.times[low] - t) <= Math.abs(this.times[high] - t) ? low : high;
  }
  place(i) {
    const k = 3 * (this.frame * this.count + i), p = this.points, m = this.moved, s = this.scale;
    return [p[3 * i] + s * m[k], p[3 * i + 1] + s * m[k + 1], p[3 * i + 2] + s * m[k + 2]];
  }
  project(p) {
    const c = this.camera, d = plus(p, c.centre, -1);
    return [this.w / 2 + this.k * dot(d, c.right) + c.shift[0], this.h / 2 - this.k * dot(d, c.up) + c.shift[1], dot(d, c.out)];
  }
  value(i) { const f = this.fields[this.field]; return f.lines ? NaN : f.values[this.frame * this.count + i]; }
  valueOfLine(k) {
    const f = this.fields[this.field];
    if (!f.lines) return (this.value(this.lines[2 * k]) + this.value(this.lines[2 * k + 1])) / 2;
    return f.known[k] ? f.values[this.frame * this.lines.length / 2 + k] : NaN;
  }
  colour(x) { if (!Number.isFinite(x)) return this.tone("faint"); const [low, high] = this.limits[this.field]; return colourAt(high > low ? (x - low) / (high - low) : 0); }
  draw() {
    const ratio = window.devicePixelRatio || 1, css = getComputedStyle(document.documentElement), ink = this.ink;
    this.tone = name => css.getPropertyValue("--" + name).trim();
    this.w = this.canvas.clientWidth;
    this.h = this.canvas.clientHeight;
    if (this.canvas.width !== Math.round(this.w * ratio) || this.canvas.height !== Math.round(this.h * ratio)) {
      this.canvas.width = Math.round(this.w * ratio);
      this.canvas.height = Math.round(this.h * ratio);
    }
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.clearRect(0, 0, this.w, this.h);
    const c = this.camera;
    this.k = c.zoom * Math.min((this.w - 130) / (2 * c.half[0]), (this.h - 90) / (2 * c.half[1]));
    this.now = Array.from({ length: this.count }, (_, i) => this.project(this.place(i)));
    this.drawPlanes();
    this.drawGhost();
    this.drawBodies();
    this.drawImpulses();
    this.drawMarks();
  }
  path(points, closed) {
    this.ink.beginPath();
    points.forEach((p, k) => k ? this.ink.lineTo(p[0], p[1]) : this.ink.moveTo(p[0], p[1]));
    if (closed) this.ink.closePath();
  }
  drawPlanes() {
    for (const plane of this.motion.planes) {
      // the way to the plane is drawn as much longer as the displacements are, so that what touches does so here too
      const offset = plane.foot + this.scale * (numbers(plane.offsets)[this.frame] - plane.foot);
      this.path(plane.spans.map(s => this.project(plus(s, plane.normal, offset))), true);
      this.ink.fillStyle = this.tone("faint");
      this.ink.globalAlpha = 0.22;
      this.ink.fill();
      this.ink.globalAlpha = 0.8;
      this.ink.lineWidth = 1;
      this.ink.strokeStyle = this.tone("faint");
      this.ink.stroke();
      this.ink.globalAlpha = 1;
    }
  }
  drawGhost() {
    const at = i => this.project([this.points[3 * i], this.points[3 * i + 1], this.points[3 * i + 2]]);
    this.ink.strokeStyle = this.tone("faint");
    this.ink.globalAlpha = 0.45;
    this.ink.lineWidth = 1.5;
    this.ink.beginPath();
    for (let k = 0; k < this.lines.length; k += 2) {
      const a = at(this.lines[k]), b = at(this.lines[k + 1]);
      this.ink.moveTo(a[0], a[1]);
      this.ink.lineTo(b[0], b[1]);
    }
    for (const i of this.balls) { const p = at(i); this.ink.moveTo(p[0] + 5, p[1]); this.ink.arc(p[0], p[1], 5, 0, 7); }
    this.ink.stroke();
    this.ink.globalAlpha = 1;
  }
  drawBodies() {
    const parts = [], P = this.now;
    for (let k = 0; k < this.lines.length; k += 2) parts.push([(P[this.lines[k]][2] + P[this.lines[k + 1]][2]) / 2, 0, k / 2]);
    for (let k = 0; k < this.balls.length; k++) parts.push([P[this.balls[k]][2], 1, k]);
    for (let k = 0; k < this.triangles.length; k += 3) parts.push([(P[this.triangles[k]][2] + P[this.triangles[k + 1]][2] + P[this.triangles[k + 2]][2]) / 3, 2, k]);
    const marks = this.markParts();
    marks.forEach((part, k) => parts.push([part.depth, 3, k]));
    this.drawMark = k => marks[k].draw();
    parts.sort((a, b) => a[0] - b[0]);
    const edge = pass => parts.forEach(([, kind, k]) => { if (kind < 3 || !pass) [this.drawLine, this.drawBall, this.drawTriangle, this.drawMark][kind].call(this, k, pass); });
    if (!this.triangles.length) edge(true);
    edge(false);
  }
  drawLine(k, edge) {
    const i = this.lines[2 * k], j = this.lines[2 * k + 1], a = this.now[i], b = this.now[j];
    const width = Math.min(16, Math.max(4, 2 * this.widths[k] * this.k));
    this.ink.strokeStyle = edge ? this.tone("faint") : this.colour(this.valueOfLine(k));
    this.ink.lineWidth = edge ? width + 2 : width;
    // pieces shorter than they are wide have flat ends, or each would round off the colour of the next
    const d = unit([b[0] - a[0], b[1] - a[1], 0]), flat = Math.hypot(b[0] - a[0], b[1] - a[1]) < width;
    this.ink.lineCap = flat ? "butt" : "round";
    const more = flat ? 0.6 : 0;
    this.path([[a[0] - more * d[0], a[1] - more * d[1]], [b[0] + more * d[0], b[1] + more * d[1]]]);
    this.ink.stroke();
  }
  drawBall(k, edge) {
    const i = this.balls[k], p = this.now[i], r = Math.max(6, this.radii[k] * this.k);
    this.ink.beginPath();
    this.ink.arc(p[0], p[1], edge ? r + 1 : r, 0, 7);
    this.ink.fillStyle = edge ? this.tone("faint") : this.colour(this.value(i));
    this.ink.fill();
  }
  drawTriangle(k) {
    const corners = [0, 1, 2].map(j => this.triangles[k + j]), p = corners.map(i => this.place(i));
    const light = this.lightOn(p);
    const base = rgb(this.tone(bodyColours[this.bodies[corners[0]] % bodyColours.length]));
    this.ink.fillStyle = this.ink.strokeStyle = `rgb(${base.map(x => Math.round(x * light)).join(",")})`;
    this.ink.lineWidth = 0.7;
    this.path(corners.map(i => this.now[i]), true);
    this.ink.fill();
    this.ink.stroke();
  }
  // Polygons and lines of disks, bearings, supports, springs and rings, with how far in front they are.
  markParts() {
    const { count, rest, moved, parts } = this.marks, out = [], ink = this.ink, s = this.scale;
    const vector = (mark, j) => [0, 1, 2].map(x => {
      const k = 12 * mark + 3 * j + x;
      return rest[k] + s * moved[12 * count * this.frame + k];
    });
    const frames = Array.from({ length: count }, (_, mark) => [0, 1, 2, 3].map(j => vector(mark, j)));
    for (const part of parts) {
      const corners = Array.from(part.owner, (mark, i) => {
        const [o, t, y, z] = frames[mark], p = part.points;
        return plus(plus(plus(o, t, p[3 * i]), y, p[3 * i + 1]), z, p[3 * i + 2]);
      }), P = corners.map(p => this.project(p)), tone = this.tone(markTones[part.look]), base = rgb(tone);
      const mean = cells => cells.reduce((sum, i) => sum + P[i][2], 0) / cells.length;
      for (const face of part.faces) {
        const shade = this.lightOn(face.slice(0, 3).map(i => corners[i]));
        out.push({ depth: mean(face), draw: () => {
          ink.fillStyle = ink.strokeStyle = `rgb(${base.map(x => Math.round(x * shade)).join(",")})`;
          ink.globalAlpha = part.opacity;
          ink.lineWidth = 0.5;
          this.path(face.map(i => P[i]), true);
          ink.fill();
          if (part.opacity === 1) ink.stroke();
          ink.globalAlpha = 1;
        } });
      }
      for (const line of part.lines) out.push({ depth: mean(line), draw: () => {
        ink.strokeStyle = tone;
        ink.lineWidth = 1.4;
        this.path(line.map(i => P[i]));
        ink.stroke();
      } });
    }
    return out;
  }
  lightOn(p) {
    const normal = unit(crossed(plus(p[1], p[0], -1), plus(p[2], p[0], -1)));
    return 0.45 + 0.55 * Math.abs(dot(normal, unit(plus(plus(this.camera.out, this.camera.up, 0.5), this.camera.right, 0.3))));
  }
  drawImpulses() {
    this.ink.strokeStyle = this.ink.fillStyle = this.tone("vermillion");
    this.ink.lineWidth = 2.5;
    for (let k = 0; k < this.impulse.frame.length; k++) {
      if (this.impulse.frame[k] !== this.frame) continue;
      const a = this.place(this.impulse.point[k]), v = this.impulse.vector.slice(3 * k, 3 * k + 3), size = Math.hypot(...v);
      const length = (22 + 48 * size / this.largest) / this.k, rim = this.motion.impulse.rim[k];
      // an arrow begins where it pushes; one on what is inside a ring ends there, at the rim
      const [from, to] = (rim ? [-rim - length, -rim] : [0, length]).map(way => this.project(plus(a, v, way / size)));
      const d = unit([to[0] - from[0], to[1] - from[1], 0]), side = [-d[1], d[0]];
      this.path([from, to]);
      this.ink.stroke();
      this.path([to, [to[0] - 9 * d[0] + 4 * side[0], to[1] - 9 * d[1] + 4 * side[1]], [to[0] - 9 * d[0] - 4 * side[0], to[1] - 9 * d[1] - 4 * side[1]]], true);
      this.ink.fill();
    }
  }
  drawMarks() {
    const ink = this.ink, c = this.camera, foot = [34, this.h - 34];
    ink.font = "12px system-ui, sans-serif";
    ink.fillStyle = ink.strokeStyle = this.tone("soft");
    ink.lineWidth = 1.2;
    ink.textAlign = "center";
    ["x", "y", "z"].forEach((name, j) => {
      const e = [0, 0, 0];
      e[j] = 22;
      const x = dot(e, c.right), y = -dot(e, c.up);
      if (Math.hypot(x, y) < 6) return;
      this.path([foot, [foot[0] + x, foot[1] + y]]);
      ink.stroke();
      ink.fillText(name, foot[0] + 1.4 * x, foot[1] + 1.4 * y + 4);
    });
    const raw = 110 / this.k, power = 10 ** Math.floor(Math.log10(raw)), length = [5, 2, 1].find(m => m * power <= raw) * power, x = 90;
    this.path([[x, this.h - 20], [x, this.h - 15], [x + length * this.k, this.h - 15], [x + length * this.k, this.h - 20]]);
    ink.stroke();
    ink.fillText(shown(length) + " m", x + length * this.k / 2, this.h - 22);
    if (this.lines.length || this.balls.length) this.drawColourBar();
  }
  drawColourBar() {
    const ink = this.ink, [low, high] = this.limits[this.field], f = this.fields[this.field], x = this.w - 24, top = 54, h = Math.min(190, this.h - 120);
    for (let k = 0; k < h; k++) { ink.fillStyle = colourAt(1 - k / h); ink.fillRect(x, top + k, 12, 1.5); }
    ink.fillStyle = this.tone("soft");
    ink.textAlign = "right";
    ink.fillText(shown(high), x - 5, top + 9);
    ink.fillText(shown(low), x - 5, top + h);
    ink.fillText(f.label, this.w - 12, top - 12);
  }
}

// One camera for all views of the page: they turn together.
class Camera {
  constructor(start) { this.start = start; this.reset(); }
  reset() {
    for (const name of ["right", "up", "out", "centre", "half"]) this[name] = [...this.start[name]];
    this.zoom = 1;
    this.shift = [0, 0];
  }
  turn(dx, dy) {
    const about = (v, axis, angle) => {
      const c = Math.cos(angle), s = Math.sin(angle), d = dot(axis, v) * (1 - c), x = crossed(axis, v);
      return unit([0, 1, 2].map(k => v[k] * c + x[k] * s + axis[k] * d));
    };
    for (const [axis, angle] of [[this.start.upright || this.up, -dx * 0.008], [this.right, -dy * 0.008]]) {
      this.out = about(this.out, axis, angle);
      this.up = about(this.up, axis, angle);
      this.right = crossed(this.up, this.out);
    }
  }
}
