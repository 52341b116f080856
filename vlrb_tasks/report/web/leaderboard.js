"use strict";
// Tables are sorted by a click on a heading; rows without a value stay below.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    const was = head.getAttribute("aria-sort");
    const up = was === "none" ? place < 2 : was === "descending";
    for (const other of heads) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => row.cells[place].dataset.value;
    const rows = [...body.rows].sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      const order = place === 0 ? x.localeCompare(y) : Number(x) - Number(y);
      return up ? order : -order;
    });
    body.append(...rows);
  }));
}
