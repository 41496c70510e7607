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
  const camera = new Camera(page.motions[0].camera);
  views = page.motions.map((motion, k) => new View(document.querySelectorAll(".view canvas")[k], motion, camera));
  const first = Math.min(...views.map(v => v.times[0])), last = Math.max(...views.map(v => v.times[v.times.length - 1]));
  const common = views[0].limits.map((_, f) => [Math.min(...views.map(v => v.limits[f][0])), Math.max(...views.map(v => v.limits[f][1]))]);
  views.forEach(v => { v.limits = common; });
  slider.max = String(Math.max(1, ...views.map(v => v.times.length - 1)) * 4);
  let playing = false, before = 0;
  const redraw = () => views.forEach(v => v.draw());
  function show(t) {
    now = Math.min(last, Math.max(first, t));
    views.forEach(v => { v.frame = v.nearest(now); });
    slider.value = String(last > first ? Math.round((now - first) / (last - first) * +slider.max) : 0);
    $("clock").textContent = "t = " + shown(now) + " s";
    redraw();
    charts.forEach(c => { if (c.cursor) c.cursor(now); });
  }
  function advance(stamp) {
    if (!playing) return;
    const next = now + Math.min(0.1, (stamp - before) / 1000) * (last - first) / 8 * +$("speed").value;
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
  if ($("scale")) $("scale").addEventListener("change", () => { views.forEach(v => { v.scale = +$("scale").value; }); redraw(); });
  $("reset").addEventListener("click", () => { camera.reset(); redraw(); });
  views.forEach(view => {
    const canvas = view.canvas;
    canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", event => {
      if (!event.buttons) return;
      if (event.shiftKey || event.buttons > 1) { camera.shift[0] += event.movementX; camera.shift[1] += event.movementY; }
      else camera.turn(event.movementX, event.movementY);
      redraw();
    });
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("wheel", event => {
      if (document.activeElement !== canvas) return; // the page scrolls until the view was clicked
      event.preventDefault();
      camera.zoom *= Math.exp(-event.deltaY * 0.0015);
      redraw();
    }, { passive: false });
    canvas.addEventListener("keydown", event => {
      const step = (last - first) / Math.max(1, view.times.length - 1);
      if (event.key === " ") toggle();
      else if (event.key === "ArrowRight") show(now + step);
      else if (event.key === "ArrowLeft") show(now - step);
      else if (event.key === "+" || event.key === "-") { camera.zoom *= event.key === "+" ? 1.15 : 1 / 1.15; redraw(); }
      else return;
      event.preventDefault();
    });
    new ResizeObserver(redraw).observe(canvas);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  show(page.shown);
}
