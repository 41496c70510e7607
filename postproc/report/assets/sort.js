"use strict";
// Tables whose heads sort their rows: a click upwards, another one downwards; numbers as numbers, empty cells last.
document.querySelectorAll(".sorted table").forEach(table => {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const key = (row, k) => { const text = row.cells[k].textContent, x = Number(text); return text !== "" && !Number.isNaN(x) ? x : text; };
  const order = (a, b) => a === "" || b === "" ? 0 : typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  heads.forEach((head, k) => {
    const button = head.querySelector("button");
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down > 0 ? "ascending" : "descending");
      const rows = [...body.rows].map(row => [key(row, k), row]);
      rows.sort((a, b) => (a[0] === "") - (b[0] === "") || down * order(a[0], b[0]));
      body.append(...rows.map(pair => pair[1]));
    });
  });
});
