const form = document.querySelector("form.filter");
const articles = [...document.querySelectorAll("article")];
function show() {
  const kinds = new Set([...form.querySelectorAll("[name=kind]:checked")].map((box) => box.value));
  const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const article of articles) {
    const text = article.textContent.toLowerCase();
    article.hidden = !kinds.has(article.dataset.kind) || !words.every((word) => text.includes(word));
    shown += article.hidden ? 0 : 1;
  }
  form.elements.shown.value = `${shown} of ${articles.length} entries`;
}
form.addEventListener("input", show);
form.addEventListener("submit", (event) => event.preventDefault());
show();
