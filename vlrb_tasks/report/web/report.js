"use strict";
// The item browser. Data reaches the page as text nodes alone: nothing of it is ever parsed as HTML.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const list = $("list"), pane = $("item");
  const byKey = new Map(data.items.map((item) => [item.key, item]));
  let shown = [], current = null;

  function node(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    for (const child of children) if (child !== null && child !== undefined) made.append(child);
    return made;
  }

  const STATES = {
    all: ["all items", () => true],
    wrong: ["wrong", (run) => run.right === false],
    right: ["right", (run) => run.right === true],
    undecided: ["undecided", (run) => run.undecided],
    unparsed: ["with unparsed votes", (run) => run.unparsed > 0],
    failed: ["with failed votes", (run) => run.failed > 0],
    flips: ["vote flips with the order", (run) => run.flips],
    disagree: ["judges disagree", (run, item) => item.disagree],
  };
  function options(select, pairs) { for (const [value, text] of pairs) select.append(node("option", { value }, text)); }
  options($("state"), Object.entries(STATES).filter(([name]) => name !== "disagree" || data.runs.length > 1).map(([name, [text]]) => [name, text]));
  options($("run"), [["any", data.runs.length > 1 ? "any judge" : data.runs[0]], ...(data.runs.length > 1 ? data.runs.map((name, i) => [String(i), name]) : [])]);
  options($("group"), [["", "all"], ...data.groups.map((group) => [group, group])]);
  options($("tag"), [["", "all"], ...data.tags.map((tag) => [tag, tag])]);
  $("tag-label").hidden = data.tags.length === 0;

  for (const item of data.items) {
    const texts = [item.id, item.question || item.input || "", ...(item.responses || [])];
    for (const run of item.runs) if (run) for (const vote of run.votes) texts.push(vote.text);
    item.texts = texts;
  }
  const holds = (item, words) => words.every((word) => item.texts.some((text) => text.toLowerCase().includes(word)));

  const eye = "IntersectionObserver" in window ? new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { entry.target.src = data.images[entry.target.dataset.image]; eye.unobserve(entry.target); }
  }, { root: list, rootMargin: "300px" }) : null;

  function marks(item) {
    const made = node("span", { class: "s" });
    for (const run of item.runs) {
      const [sign, told, kind] = run === null ? ["·", "not judged", "quiet"] : run.undecided ? ["?", "undecided", "quiet"] : run.right === true ? ["✓", "right", "good"] : run.right === false ? ["✗", "wrong", "bad"] : ["•", "judged", "quiet"];
      made.append(node("span", { class: kind, title: told, role: "img", "aria-label": told }, sign), " ");
    }
    return made;
  }

  function row(item) {
    const button = node("button", { type: "button", "data-key": item.key });
    if (item.images && item.images.length) {
      const image = node("img", { alt: "", "data-image": item.images[0], width: 40, height: 40 });
      if (eye) eye.observe(image); else image.src = data.images[item.images[0]];
      button.append(image);
    }
    button.append(node("span", { class: "t" }, item.question || item.id), marks(item));
    return node("li", {}, button);
  }

  function filter() {
    const [, test] = STATES[$("state").value];
    const which = $("run").value, group = $("group").value, tag = $("tag").value;
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = data.items.filter((item) => {
      if (group && item.group !== group) return false;
      if (tag && !item.tags.includes(tag)) return false;
      const runs = (which === "any" ? item.runs : [item.runs[Number(which)]]).filter(Boolean);
      return runs.some((run) => test(run, item)) && holds(item, words);
    });
    list.replaceChildren(...shown.map(row));
    $("count").textContent = `${shown.length.toLocaleString("en")} of ${data.items.length.toLocaleString("en")} items`;
    mark();
  }

  function mark() {
    for (const button of list.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    const button = current && list.querySelector(`[data-key="${CSS.escape(current.key)}"]`);
    if (button) {
      button.setAttribute("aria-current", "true");
      // within the list alone: the page itself stays where it is
      const top = button.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + button.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + button.offsetHeight - list.clientHeight;
    }
    return button;
  }

  const letter = (index) => index === "tie" ? "a tie" : `response ${index + 1}`;
  function said(value) {
    if (value === null || value === undefined) return "nothing decided";
    if (Array.isArray(value)) return value.map((index) => index + 1).join(" > ");
    return data.family.startsWith("pairwise") ? letter(value) : String(Math.round(value * 100) / 100);
  }
  function people(item) {
    if (item.score !== null) return `People's score: ${item.score}`;
    if (item.ranking !== null) return `People's order: ${said(item.ranking)}`;
    return `People prefer ${item.preferred === null ? "neither: a tie" : letter(item.preferred)}`;
  }

  function text(vote) {
    const made = node("div", { class: "said" });
    if (!vote.text) made.append(node("span", { class: "quiet" }, "no text is kept"));
    else if (vote.span) made.append(vote.text.slice(0, vote.span[0]), node("mark", {}, vote.text.slice(vote.span[0], vote.span[1])), vote.text.slice(vote.span[1]));
    else made.append(vote.text);
    return made;
  }

  function votes(run, name) {
    const part = node("section", {}, node("h3", {}, name));
    if (run === null) return node("section", {}, node("h3", {}, name), node("p", { class: "quiet" }, "not judged"));
    const verdict = run.undecided ? "undecided" : `decides ${said(run.decision)}`;
    part.append(node("p", {}, `${run.votes.length} vote${run.votes.length === 1 ? "" : "s"}: ${verdict}`, run.right === null ? "" : node("span", { class: run.right ? "good" : "bad" }, run.right ? ", right" : ", wrong"), run.flips ? "; votes change with the order" : ""));
    for (const vote of run.votes) {
      const told = vote.score !== undefined ? `score ${vote.score}` : vote.ranking !== undefined ? said(vote.ranking) : vote.outcome === "tie" ? "tie" : vote.choice !== null ? `${vote.outcome} slot: ${letter(vote.choice)}` : vote.outcome;
      const order = vote.order.length > 1 ? `, order ${vote.order.map((index) => index + 1).join(", ")}` : "";
      part.append(node("div", { class: "vote" }, node("p", { class: "quiet" }, `Draw ${vote.draw + 1}${order}: ${told}`), text(vote)));
    }
    return part;
  }

  function show(item, focus) {
    current = item;
    const parts = [node("h3", {}, item.id), node("p", { class: "quiet" }, [item.group, ...item.tags].join(" · "), " · ", node("a", { href: "#item=" + encodeURIComponent(item.key) }, "link to this item"))];
    if (item.images && item.images.length) parts.push(node("div", { class: "pictures" }, ...item.images.map((index, i) => { const image = node("img", { alt: `Image ${i + 1} of the item`, loading: "lazy" }); image.src = data.images[index]; return image; })));
    if (item.question !== undefined) parts.push(node("h3", {}, "Question"), node("div", { class: "said" }, item.question));
    else if (item.input) parts.push(node("h3", {}, "What was asked, in the order of the data"), node("div", { class: "said" }, item.input));
    if (item.responses && item.responses.length) {
      parts.push(node("div", { class: "two" }, ...item.responses.map((response, i) => node("div", { class: "response" + (item.preferred === i ? " better" : "") }, node("h3", {}, `Response ${i + 1}` + (item.models[i] ? ` (${item.models[i]})` : "") + (item.preferred === i ? ", preferred by people" : "")), node("div", { class: "said" }, response || "(empty)")))));
    }
    parts.push(node("p", {}, people(item)));
    item.runs.forEach((run, i) => parts.push(votes(run, data.runs[i])));
    pane.replaceChildren(...parts);
    mark();
    const hash = "#item=" + encodeURIComponent(item.key);
    if (location.hash !== hash) history.replaceState(null, "", hash);
    if (focus) { pane.focus({ preventScroll: true }); if (matchMedia("(max-width: 50rem)").matches) pane.scrollIntoView(); }
  }

  function step(by) {
    if (!shown.length) return;
    const at = current ? shown.indexOf(current) : -1;
    show(shown[Math.min(shown.length - 1, Math.max(0, at + by))], false);
  }

  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) show(byKey.get(button.dataset.key), true);
  });
  list.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    step(event.key === "ArrowDown" ? 1 : -1);
    const button = mark();
    if (button) button.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    if (event.key === "/") { event.preventDefault(); $("search").focus(); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });
  let wait = 0;
  $("search").addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(filter, 120); });
  $("filters").addEventListener("change", filter);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  function follow() {
    const found = location.hash.startsWith("#item=") && byKey.get(decodeURIComponent(location.hash.slice(6)));
    if (found) { show(found, false); $("items").scrollIntoView(); }
    return found;
  }
  addEventListener("hashchange", follow);
  filter();
  if (!follow() && shown.length) { current = null; const first = shown[0]; const hash = location.hash; show(first, false); history.replaceState(null, "", hash || location.pathname + location.search); }
})();
