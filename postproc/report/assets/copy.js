"use strict";
// Buttons that copy the table or text beside them.
document.querySelectorAll(".copy").forEach(button => button.addEventListener("click", async () => {
  const source = button.parentElement.querySelector("table, pre");
  const text = source.tagName === "PRE" ? source.textContent : [...source.rows].map(row => [...row.cells].map(cell => cell.textContent).join("\t")).join("\n");
  try { await navigator.clipboard.writeText(text); }
  catch { getSelection().selectAllChildren(source); document.execCommand("copy"); }
  button.textContent = "copied";
  setTimeout(() => { button.textContent = "copy"; }, 1200);
}));
