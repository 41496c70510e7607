"use strict";
// Puts charts and views to work, and moves time.
let now = null, views = [];
document.querySelectorAll("figure[data-chart]").forEach(figure => {
  const spec = page.charts[+figure.dataset.chart];
  charts.push(spec.kind === "bars" ? new BarFrame(figure, spec) : new CurveFrame(figure, spec));
});
if (page.motions.length) animate();

function animate() {
  const $ = id => document.getElementById(id), slider = $("slider"), play = $("play");
  views = page.motions.map((motion, k) => new View(document.querySelectorAll(".view canvas")[k], motion, new Camera(motion.camera)));
  const first = Math.min(...views.map(v => v.times[0])), last = Math.max(...views.map(v => v.times[v.times.length - 1]));
  slider.max = String(Math.max(1, ...views.map(v => v.times.length - 1))); // an arrow key goes to the next picture
  fillSpeeds($("speed"), (last - first) / 8);
  let playing = false, before = 0;
  const redraw = () => views.forEach(v => v.draw());
  const turnAll = change => { views.forEach(v => change(v.camera)); redraw(); }; // all views are looked at alike
  function show(t) {
    now = Math.min(last, Math.max(first, t));
    views.forEach(v => { v.frame = v.nearest(now); });
    slider.value = String(last > first ? Math.round((now - first) / (last - first) * +slider.max) : 0);
    $("clock").textContent = "t = " + shown(now) + " s";
    slider.setAttribute("aria-valuetext", shown(now) + " s");
    redraw();
    charts.forEach(c => { if (c.cursor) c.cursor(now); });
  }
  function advance(stamp) {
    if (!playing) return;
    const next = now + Math.min(0.1, (stamp - before) / 1000) * +$("speed").value;
    before = stamp;
    show(next >= last ? first : next);
    requestAnimationFrame(advance);
  }
  function toggle() {
    playing = !playing;
    play.textContent = playing ? "Pause" : "Play";
    before = performance.now();
    if (playing) requestAnimationFrame(advance);
  }
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => show(first + (last - first) * +slider.value / +slider.max));
  $("field").addEventListener("change", () => { views.forEach(v => { v.field = +$("field").value; }); redraw(); });
  if ($("scale")) $("scale").addEventListener("change", () => { views.forEach(v => { if (v.motion.scalable) v.scale = +$("scale").value; }); redraw(); });
  $("reset").addEventListener("click", () => turnAll(camera => camera.reset()));
  views.forEach(view => {
    const canvas = view.canvas;
    canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", event => {
      if (!event.buttons) return;
      const [dx, dy] = [event.movementX, event.movementY];
      turnAll(camera => event.shiftKey || event.buttons > 1 ? camera.move(dx, dy) : camera.turn(dx, dy));
    });
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("wheel", event => {
      if (document.activeElement !== canvas) return; // the page scrolls until the view was clicked
      event.preventDefault();
      turnAll(camera => { camera.zoom *= Math.exp(-event.deltaY * 0.0015); });
    }, { passive: false });
    canvas.addEventListener("keydown", event => {
      const step = (last - first) / Math.max(1, view.times.length - 1);
      const turn = event.shiftKey && { ArrowRight: [20, 0], ArrowLeft: [-20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] }[event.key];
      if (event.key === " ") toggle();
      else if (turn) turnAll(camera => camera.turn(...turn));
      else if (event.key === "ArrowRight") show(now + step);
      else if (event.key === "ArrowLeft") show(now - step);
      else if (event.key === "+" || event.key === "-") turnAll(camera => { camera.zoom *= event.key === "+" ? 1.15 : 1 / 1.15; });
      else return;
      event.preventDefault();
    });
    new ResizeObserver(redraw).observe(canvas);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // a frame has the impulses since the one before: that at or after a time shows what acts then
  const known = views[0].times.find(t => t >= page.shown - 1e-9 * Math.abs(last));
  show(known === undefined ? page.shown : known);
}

// Speeds in seconds of the run per second: round ones around that with which the run takes about eight seconds.
function fillSpeeds(select, rate) {
  const power = 10 ** Math.floor(Math.log10(rate || 1)), middle = [5, 2, 1].find(m => m * power <= (rate || 1) * (1 + 1e-9)) * power;
  const about = [1, 2, 5].flatMap(m => [-2, -1, 0, 1].map(e => +(m * power * 10 ** e).toPrecision(3))).sort((a, b) => a - b);
  const at = about.findIndex(x => x >= middle * (1 - 1e-9));
  for (const x of about.slice(at - 4, at + 4)) select.add(new Option(shown(x) + " s/s", String(x), false, x === about[at]));
}
