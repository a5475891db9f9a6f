const form = document.querySelector("form.filter");
const rows = [...document.querySelectorAll("tr[data-target]")];
function search() {
  const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const kinds = [...form.querySelectorAll("[name=kind]:checked")].map((box) => box.value);
  let shown = 0;
  for (const row of rows) {
    const section = document.getElementById(row.dataset.target);
    const text = `${row.textContent} ${section.textContent}`.toLowerCase();
    const own = row.dataset.kinds.split(" ");
    const found = words.every((word) => text.includes(word)) && kinds.every((kind) => own.includes(kind));
    row.hidden = section.hidden = !found;
    shown += found ? 1 : 0;
  }
  form.elements.shown.value = `${shown} of ${rows.length} targets`;
}
form.addEventListener("input", search);
form.addEventListener("submit", (event) => event.preventDefault());
search();
