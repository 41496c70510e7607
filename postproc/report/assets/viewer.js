"use strict";
// The motion in space: lines, balls, surfaces and planes on a canvas, without perspective.
const viridis = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];
// Colours of what stands beside the bodies.
const markTones = { disks: "faint", supports: "faint", links: "soft", joints: "soft", bearings: "sky", rings: "blue" };
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
  return { count: spec.count, rest: numbers(spec.rest), moved: numbers(spec.moved), grow: spec.grow, parts };
}

class View {
  constructor(canvas, motion, camera) {
    Object.assign(this, { canvas, motion, camera, ink: canvas.getContext("2d"), frame: 0, scale: 1, field: 0 });
    this.times = numbers(motion.times);
    this.points = numbers(motion.points);
    this.moved = numbers(motion.moved);
    this.grown = motion.grown === null ? this.moved : numbers(motion.grown);
    this.fields = motion.fields.map(f => ({ ...f, values: numbers(f.values) }));
    this.lines = numbers(motion.lines);
    this.sizes = numbers(motion.sizes);
    this.sides = motion.sides === null ? null : numbers(motion.sides);
    this.balls = numbers(motion.balls);
    this.radii = numbers(motion.radii);
    this.triangles = numbers(motion.triangles);
    this.bodies = numbers(motion.bodies);
    this.impulse = Object.fromEntries(["frame", "point", "vector", "length", "out", "slips"].map(name => [name, numbers(motion.impulse[name])]));
    this.count = this.points.length / 3;
    this.marks = marksOf(motion.marks);
    // where a chain of lines ends: there it is cut off straight
    const ends = new Map();
    for (const i of this.lines) ends.set(i, (ends.get(i) || 0) + 1);
    this.loose = new Set([...ends].filter(([, n]) => n === 1).map(([i]) => i));
  }
  nearest(t) {
    let low = 0, high = this.times.length - 1;
    while (high - low > 1) { const m = (low + high) >> 1; this.times[m] <= t ? low = m : high = m; }
    return Math.abs(this.times[low] - t) <= Math.abs(this.times[high] - t) ? low : high;
  }
  place(i) {
    // of bodies that move far only the deformation is drawn larger
    const k = 3 * (this.frame * this.count + i), more = this.scale - 1;
    return [0, 1, 2].map(x => this.points[3 * i + x] + this.moved[k + x] + more * this.grown[k + x]);
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
  colour(x) { if (!Number.isFinite(x)) return this.tone("faint"); const [low, high] = this.fields[this.field].limits; return colourAt(high > low ? (x - low) / (high - low) : 0); }
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
    this.k = c.zoom * Math.min((this.w - Math.min(130, 0.25 * this.w)) / (2 * c.half[0]), (this.h - 90) / (2 * c.half[1]));
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
      // the way to the plane is drawn as much longer as the displacements are, so that what touches does so here too,
      // and the plane so much further away as what touches it is thick
      const scale = plane.grows ? this.scale : 1, offset = plane.foot + scale * (numbers(plane.offsets)[this.frame] - plane.foot) - plane.reach;
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
    const ink = this.ink, at = i => this.project([this.points[3 * i], this.points[3 * i + 1], this.points[3 * i + 2]]);
    ink.strokeStyle = ink.fillStyle = this.tone("faint");
    ink.lineWidth = 1.5;
    ink.globalAlpha = 0.45;
    ink.beginPath();
    for (let k = 0; k < this.lines.length; k += 2) {
      const a = at(this.lines[k]), b = at(this.lines[k + 1]);
      ink.moveTo(a[0], a[1]);
      ink.lineTo(b[0], b[1]);
    }
    this.balls.forEach((i, k) => { const p = at(i), r = this.ballSize(k); ink.moveTo(p[0] + r, p[1]); ink.arc(p[0], p[1], r, 0, 7); });
    ink.stroke();
    // all triangles go around the same way, so that they are one flat patch
    ink.globalAlpha = 0.18;
    ink.beginPath();
    for (let k = 0; k < this.triangles.length; k += 3) {
      const [a, b, c] = [0, 1, 2].map(j => at(this.triangles[k + j])), right = (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]);
      (right ? [a, b, c] : [a, c, b]).forEach((p, j) => j ? ink.lineTo(p[0], p[1]) : ink.moveTo(p[0], p[1]));
      ink.closePath();
    }
    ink.fill();
    ink.globalAlpha = 1;
  }
  drawBodies() {
    const parts = [], P = this.now; // with how far in front they are: of what is round its front
    for (let k = 0; k < this.lines.length; k += 2) parts.push([(P[this.lines[k]][2] + P[this.lines[k + 1]][2] + this.sizes[k]) / 2, 0, k / 2]);
    for (let k = 0; k < this.balls.length; k++) parts.push([P[this.balls[k]][2] + this.radii[k], 1, k]);
    for (let k = 0; k < this.triangles.length; k += 3) parts.push([(P[this.triangles[k]][2] + P[this.triangles[k + 1]][2] + P[this.triangles[k + 2]][2]) / 3, 2, k]);
    const marks = this.markParts();
    marks.forEach((part, k) => parts.push([part.depth, 3, k]));
    this.drawMark = k => marks[k].draw();
    parts.sort((a, b) => a[0] - b[0]);
    const edge = pass => parts.forEach(([, kind, k]) => { if (kind < 3 || !pass) [this.drawLine, this.drawBall, this.drawTriangle, this.drawMark][kind].call(this, k, pass); });
    if (!this.triangles.length) edge(true);
    edge(false);
  }
  // Half the width of a line as it is seen, in pixels: of a rectangle what it reaches to across the line in the picture.
  halfWidth(k, across) {
    const [height, width] = [this.sizes[2 * k], this.sizes[2 * k + 1]];
    if (this.motion.round[k]) return Math.max(2, height * this.k);
    const [p, q] = [this.place(this.lines[2 * k]), this.place(this.lines[2 * k + 1])], at = 3 * (this.frame * this.lines.length / 2 + k);
    const t = unit(plus(q, p, -1)), y = [0, 1, 2].map(x => this.sides[at + x]), seen = plus(this.camera.right.map(x => x * across[0]), this.camera.up, -across[1]);
    const side = unit(plus(y, t, -dot(y, t)));
    return Math.max(2, 0.5 * this.k * (height * Math.abs(dot(seen, side)) + width * Math.abs(dot(seen, crossed(t, side)))));
  }
  drawLine(k, edge) {
    const i = this.lines[2 * k], j = this.lines[2 * k + 1], a = this.now[i], b = this.now[j];
    const d = unit([b[0] - a[0], b[1] - a[1], 0]), across = [-d[1], d[0]], half = this.halfWidth(k, across) + (edge ? 1 : 0);
    // pieces lie a little over each other, and are rounded where the chain goes on, so that no gap is seen
    const more = 0.6, from = [a[0] - more * d[0], a[1] - more * d[1]], to = [b[0] + more * d[0], b[1] + more * d[1]];
    const corner = (p, s) => [p[0] + s * half * across[0], p[1] + s * half * across[1]];
    this.ink.fillStyle = edge ? this.tone("faint") : this.colour(this.valueOfLine(k));
    this.path([corner(from, 1), corner(to, 1), corner(to, -1), corner(from, -1)], true);
    this.ink.fill();
    if (Math.hypot(b[0] - a[0], b[1] - a[1]) < 2 * half) return; // of short pieces it would hide the colour of the next
    for (const [point, p] of [[i, a], [j, b]]) if (!this.loose.has(point)) {
      this.ink.beginPath();
      this.ink.arc(p[0], p[1], half, 0, 7);
      this.ink.fill();
    }
  }
  ballSize(k) { return Math.max(4, this.radii[k] * this.k); }
  drawBall(k, edge) {
    const i = this.balls[k], p = this.now[i], r = this.ballSize(k);
    this.ink.beginPath();
    this.ink.arc(p[0], p[1], edge ? r + 1 : r, 0, 7);
    this.ink.fillStyle = edge ? this.tone("faint") : this.colour(this.value(i));
    this.ink.fill();
  }
  drawTriangle(k) {
    const corners = [0, 1, 2].map(j => this.triangles[k + j]), field = this.fields[this.field];
    const light = this.lightOn(corners.map(i => this.place(i)));
    const mean = corners.reduce((sum, i) => sum + this.value(i) / 3, 0);
    const base = field.solids ? this.colour(mean).match(/\d+/g).map(Number) : rgb(this.tone(bodyColours[this.bodies[corners[0]] % bodyColours.length]));
    this.ink.fillStyle = this.ink.strokeStyle = `rgb(${base.map(x => Math.round(x * light)).join(",")})`;
    this.ink.lineWidth = 0.7;
    this.path(corners.map(i => this.now[i]), true);
    this.ink.fill();
    this.ink.stroke();
  }
  // Polygons and lines of disks, bearings, supports, springs and rings, with how far in front they are.
  markParts() {
    const { count, rest, moved, grow, parts } = this.marks, out = [], ink = this.ink;
    const vector = (mark, j) => [0, 1, 2].map(x => {
      const k = 12 * mark + 3 * j + x;
      return rest[k] + (grow[mark] ? this.scale : 1) * moved[12 * count * this.frame + k];
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
  // Arrows end where they push: at the surface around a point.
  drawImpulses() {
    const ink = this.ink, { frame, point, vector, length, out, slips } = this.impulse;
    ink.lineWidth = 2.5;
    ink.lineCap = "butt";
    for (let k = 0; k < frame.length; k++) {
      if (frame[k] !== this.frame) continue;
      ink.strokeStyle = ink.fillStyle = this.tone(slips[k] ? "purple" : "vermillion");
      const place = this.place(point[k]), v = unit([0, 1, 2].map(x => vector[3 * k + x]));
      const [from, to] = [out[k] + length[k], out[k]].map(way => this.project(plus(place, v, -way)));
      const size = Math.hypot(to[0] - from[0], to[1] - from[1]), head = Math.min(0.5 * size, Math.max(9, 0.2 * size)), wide = Math.max(3.5, 0.42 * head);
      const d = unit([to[0] - from[0], to[1] - from[1], 0]), neck = [to[0] - head * d[0], to[1] - head * d[1]];
      this.path([from, neck]);
      ink.stroke();
      this.path([to, [neck[0] - wide * d[1], neck[1] + wide * d[0]], [neck[0] + wide * d[1], neck[1] - wide * d[0]]], true);
      ink.fill();
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
    ink.textAlign = "left";
    const end = this.times[this.times.length - 1];
    if (now > end + 1e-9 * Math.abs(end)) ink.fillText("shown up to t = " + shown(end) + " s", 12, 42);
    if (this.fields[this.field].coloured) this.drawColourBar();
  }
  drawColourBar() {
    const ink = this.ink, f = this.fields[this.field], [low, high] = f.limits, x = this.w - 24, top = 54, h = Math.min(190, this.h - 120);
    for (let k = 0; k < h; k++) { ink.fillStyle = colourAt(1 - k / h); ink.fillRect(x, top + k, 12, 1.5); }
    ink.fillStyle = this.tone("soft");
    ink.textAlign = "right";
    ink.fillText(shown(high), x - 5, top + 9);
    ink.fillText(shown(low), x - 5, top + h);
    ink.fillText(f.label, this.w - 12, top - 12);
  }
}

// From where a view is looked at.
class Camera {
  constructor(start) { this.start = start; this.reset(); }
  reset() {
    for (const name of ["right", "up", "out", "centre", "half"]) this[name] = [...this.start[name]];
    this.zoom = 1;
    this.shift = [0, 0];
  }
  move(dx, dy) {
    this.shift[0] += dx;
    this.shift[1] += dy;
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
