"use strict";
const panel = document.querySelector("#panel");
const parts = [...document.querySelectorAll(".part")];
const hint = panel.innerHTML;
let kept = null;

// Cards that differ only by the iteration of a loop, the first iteration first.
function families(cards) {
  const found = new Map();
  for (const card of cards) {
    const name = card.querySelector("h3").textContent.replace(/\.\d+/g, ".");
    const key = `${name} ${card.querySelector(".shape")?.textContent ?? ""}`;
    found.set(key, [card, ...(found.get(key) ?? [])]);
  }
  return [...found.values()];
}

// The line that names the other iterations.
function others(cards) {
  const line = element("p", "The same in the other iterations: ");
  line.className = "soft same";
  cards.forEach((card, at) => {
    const link = element("a", card.querySelector("h3").textContent);
    link.href = `#${card.id}`;
    line.append(at > 0 ? ", " : "", link);
  });
  return line;
}

// The cards of a part of the program, the one that was made last first: it is the value of the part.
function show(part) {
  const numbers = part.dataset.tensors.split(" ").filter(Boolean).reverse();
  const cards = numbers.map((number) => document.querySelector(`#t${number}`)).filter(Boolean);
  if (cards.length === 0) return;
  panel.replaceChildren(...families(cards).flatMap(([card, ...same]) => {
    const copy = card.cloneNode(true);
    copy.removeAttribute("id");
    copy.hidden = false;
    return same.length === 0 ? [copy] : [copy, others(same)];
  }));
  parts.forEach((each) => each.classList.toggle("chosen", each === part));
}
function clear() {
  panel.innerHTML = hint;
  parts.forEach((each) => each.classList.remove("chosen"));
}
function keep(part) {
  kept = part;
  parts.forEach((each) => each.setAttribute("aria-pressed", each === part));
  if (part) {
    show(part);
    history.replaceState(null, "", `#t${part.dataset.tensors.split(" ").pop()}`);
  } else {
    clear();
    history.replaceState(null, "", location.pathname + location.search);
  }
}
for (const part of parts) {
  part.addEventListener("mouseover", (event) => { event.stopPropagation(); if (!kept) show(part); });
  part.addEventListener("focus", () => { if (!kept) show(part); });
  part.addEventListener("click", (event) => { event.stopPropagation(); keep(kept === part ? null : part); });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && kept) { keep(null); return; }
  const at = parts.indexOf(document.activeElement);
  if (at < 0) return;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step) { event.preventDefault(); parts[Math.min(parts.length - 1, Math.max(0, at + step))].focus(); }
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); keep(kept === parts[at] ? null : parts[at]); }
});

// A link to a tensor shows it where it stands in the program, too.
const linked = /^#t(\d+)$/.exec(location.hash);
if (linked) {
  const own = parts.filter((part) => part.dataset.tensors.split(" ").includes(linked[1]));
  if (own.length > 0) {
    keep(own[0]);
    requestAnimationFrame(() => own[0].scrollIntoView({ block: "center" }));
  }
}

// The search in the list of tensors. Those that the program does not name are shown on request, or where it names none.
const form = document.querySelector("#tensors form");
const cards = [...document.querySelectorAll("#tensors article")];
function search() {
  const all = form.elements.all.checked || cards.every((card) => !("named" in card.dataset));
  const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0, unnamed = 0;
  for (const card of cards) {
    const text = card.textContent.toLowerCase();
    const found = words.every((word) => text.includes(word));
    card.hidden = !found || !(all || "named" in card.dataset);
    shown += card.hidden ? 0 : 1;
    unnamed += found && card.hidden ? 1 : 0;
  }
  const more = words.length > 0 && unnamed > 0 ? `, and ${unnamed} unnamed parts` : "";
  form.elements.shown.value = `${shown} of ${cards.length} tensors${more}`;
}
form.addEventListener("input", search);
form.addEventListener("submit", (event) => event.preventDefault());
search();

// Solving, forward and back. What is known after a step is what the steps up to it have bound.
const run = JSON.parse(document.querySelector("#run").textContent);
const stepper = document.querySelector(".stepper");
const slider = stepper.querySelector("[name=at]");
const effect = document.querySelector("#effect");
const table = document.querySelector("#bindings");
function element(tag, text, title) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (title) made.title = title;
  return made;
}
function known(at) {
  const bound = new Map();
  for (const step of run.steps.slice(0, at)) for (const [name, value] of step.bound) bound.set(name, value);
  return bound;
}
function go(at) {
  at = Math.min(run.steps.length, Math.max(0, at));
  slider.value = at;
  const step = run.steps[at - 1];
  const new_names = new Set((step?.bound ?? []).map(([name]) => name));
  stepper.querySelector("[name=step]").value = step
    ? `step ${at} of ${run.steps.length}, ${step.left} requirements left, ${step.bounds} bounds kept`
    : `before the first of ${run.steps.length} steps`;
  effect.replaceChildren(...(step?.lines ?? []).map((line) => {
    const made = element("p", "");
    made.append(element("strong", line.rule, run.rules[line.rule]), ` ${line.on}`, document.createElement("br"), line.effect);
    made.append(document.createElement("br"), Object.assign(element("span", run.rules[line.rule]), { className: "soft" }));
    return made;
  }));
  table.replaceChildren(...[...known(at)].map(([name, value]) => {
    const row = document.createElement("tr");
    row.classList.toggle("new", new_names.has(name));
    row.append(element("td", name), element("td", value));
    return row;
  }));
}
const moves = { first: () => 0, back: () => +slider.value - 1, forward: () => +slider.value + 1, last: () => run.steps.length };
for (const [name, to] of Object.entries(moves)) stepper.querySelector(`[name=${name}]`).addEventListener("click", () => go(to()));
slider.addEventListener("input", () => go(+slider.value));
stepper.hidden = false;
document.querySelector(".configuration").hidden = false;
go(0);
