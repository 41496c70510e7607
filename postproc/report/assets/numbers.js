"use strict";
// Arrays of the page: base + factor * stored, decoded when first asked for.
const page = JSON.parse(document.getElementById("page").textContent);
const bytes = Uint8Array.from(atob(document.getElementById("numbers").textContent.trim()), c => c.charCodeAt(0)).buffer;
const kinds = { f8: Float64Array, f4: Float32Array, u2: Uint16Array, i4: Int32Array };
const decoded = new Map();
function numbers(k) {
  if (!decoded.has(k)) {
    const [kind, first, count, base, factor] = page.numbers[k];
    const stored = new kinds[kind](bytes, first, count);
    decoded.set(k, kind === "i4" ? stored : Float64Array.from(stored, x => base + factor * x));
  }
  return decoded.get(k);
}
const superscript = n => String(n).replace(/[-0-9]/g, c => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
const escaped = s => String(s).replace(/[&<>"']/g, c => "&#" + c.charCodeAt(0) + ";");
const tidy = x => Object.is(x, -0) ? "0" : String(x).replace("-", "−");
// A number in a few digits, with a true minus and powers of ten.
function shown(x, digits = 5) {
  if (!Number.isFinite(x)) return "no number";
  const size = Math.abs(x);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) {
    const e = Math.floor(Math.log10(size));
    return tidy(+(x / 10 ** e).toPrecision(digits)) + "·10" + superscript(e);
  }
  return tidy(+x.toPrecision(digits));
}
function download(name, text) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
