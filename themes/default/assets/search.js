"use strict";
// Searching: a dialog on every page, the same on the page of its own, and the found words on the target.
(() => {
  const WORDS = {
    en: {
      search: "Search", close: "Close", everywhere: "Whole shelf", none: "Nothing found", page: "p.", failed: "The search data could not be read",
      found: (n) => `${n} ${n === 1 ? "section" : "sections"}`, more: "the best ones", typed: "Type words, a command or a part number",
      here: (n) => `Found here: ${n}`, next: "Next place",
    },
    ru: {
      search: "Поиск", close: "Закрыть", everywhere: "Вся полка", none: "Ничего не найдено", page: "с.", failed: "Не удалось прочитать данные поиска",
      found: (n) => `Разделов: ${n}`, more: "лучшие", typed: "Слова, команда или обозначение",
      here: (n) => `Найдено здесь: ${n}`, next: "Следующее место",
    },
  };
  const LIMIT = 20;
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const { element, showDialog } = window.docshelfPage;
  const core = new URL(document.currentScript.dataset.core, location.href).href;
  const root = document.body.dataset.root;

  let opened = null;
  function open() {
    opened ||= new Promise((resolve, reject) => {
      const script = element("script", { src: core });
      script.addEventListener("load", () => resolve(window.docshelfSearch.open(root)));
      script.addEventListener("error", () => { opened = null; reject(new Error(core)); });
      document.head.append(script);
    });
    return opened;
  }

  // Places to search in: what this page stands in, or the categories it shows.
  function scopes() {
    const base = new URL(root || "./", location.href).pathname;
    const found = new Map();
    for (const link of document.querySelectorAll(".breadcrumbs a, .card h3 a, .scopes a, .tree .top")) {
      const path = decodeURIComponent(link.pathname.slice(base.length)).replace(/\/?(sub)?index\.html$/, "");
      if (path && link.pathname.startsWith(base)) found.set(path, link.textContent.trim());
    }
    return [...found];
  }

  const marked = (text, spans, tag) => {
    const parts = [];
    let at = 0;
    for (const [start, end] of spans) {
      parts.push(text.slice(at, start), element(tag, { textContent: text.slice(start, end) }));
      at = end;
    }
    return [...parts, text.slice(at)];
  };

  function hitItem(hit, found, query) {
    const [first, last] = hit.labels;
    const marks = (text) => window.docshelfSearch.marks(text, found);
    const where = `${hit.document === hit.title ? "" : `${hit.document} · `}${words.page}\u00a0${first === last ? first : `${first}\u2060–\u2060${last}`}`;
    const href = `${root}${hit.path.replace(/\.md$/, ".html").split("/").map(encodeURIComponent).join("/")}?hl=${encodeURIComponent(query)}`;
    const snippet = element("span", {}, ...marked(hit.extract, marks(hit.extract), "mark"));
    const link = element("a", { href },
      element("b", {}, ...marked(hit.title, marks(hit.title), "mark")), element("small", { textContent: where }), snippet);
    return { item: element("li", {}, link), snippet, hit };
  }

  // Over http the words around the found ones come from the section itself, once a reader stops typing.
  const texts = new Map();
  const load = async (path) => {
    const answer = await fetch(root + path).catch(() => null);
    return answer && answer.ok ? answer.text() : "";
  };
  async function tellMore({ hit, snippet }, found) {
    if (!texts.has(hit.path)) texts.set(hit.path, load(hit.path));
    const { text, marks } = window.docshelfSearch.snippet(await texts.get(hit.path), found);
    if (text) snippet.replaceChildren(...marked(text, marks, "mark"));
  }

  function panel(onClose) {
    const input = element("input", { type: "search", autocomplete: "off", spellcheck: false, placeholder: words.typed });
    input.setAttribute("aria-label", words.search);
    const field = element("div", { className: "seek-field" }, input);
    const status = element("p", { className: "seek-status", textContent: words.typed });
    status.setAttribute("role", "status");
    const hits = element("ol", { className: "seek-hits" });
    const chips = element("div", { className: "seek-scopes" });
    let scope = "", asked = 0, timer = 0;

    async function ask() {
      const query = input.value.trim(), number = ++asked;
      if (!query) { hits.replaceChildren(); status.textContent = words.typed; return; }
      let answer;
      try {
        answer = await (await open()).search(query, { limit: LIMIT, path: scope });
      } catch {
        answer = null;
      }
      if (number !== asked) return;
      if (!answer) { status.textContent = words.failed; return; }
      const items = answer.hits.map((hit) => hitItem(hit, answer.words, query));
      hits.replaceChildren(...items.map(({ item }) => item));
      const count = words.found(items.length);
      status.textContent = items.length ? (items.length < LIMIT ? count : `${count}, ${words.more}`) : words.none;
      if (location.protocol === "file:") return;
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (number === asked) for (const item of items.slice(0, 6)) void tellMore(item, answer.words);
    }
    const later = () => { clearTimeout(timer); timer = setTimeout(ask, 60); };
    input.addEventListener("input", later);

    const places = scopes();
    for (const [path, title] of places.length ? [["", words.everywhere], ...places] : []) {
      const chip = element("button", { type: "button", textContent: title, title });
      chip.setAttribute("aria-pressed", String(path === scope));
      chip.addEventListener("click", () => {
        scope = path;
        for (const other of chips.children) other.setAttribute("aria-pressed", String(other === chip));
        void ask();
      });
      chips.append(chip);
    }

    const box = element("div", { className: "seek-box" }, field, chips, status, hits);
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && onClose) {
        // The field would only lose its words.
        event.preventDefault();
        return onClose();
      }
      const links = [...hits.querySelectorAll("a")];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && links.length) {
        event.preventDefault();
        const at = links.indexOf(document.activeElement) + step;
        (at < 0 ? input : links[Math.min(at, links.length - 1)]).focus();
      } else if (event.key === "Enter" && event.target === input && links.length) {
        event.preventDefault();
        links[0].click();
      }
    });
    if (onClose) {
      const close = element("button", { type: "button", textContent: words.close });
      close.addEventListener("click", onClose);
      field.append(close);
    }
    return { box, input, ask };
  }

  function showSearch() {
    let dialog = null;
    const { box, input, ask } = panel(() => dialog.close());
    dialog = showDialog("seek", words.search, box);
    input.focus();
    void open().catch(() => ask());
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest("a.find") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showSearch();
  });

  const own = document.getElementById("_search");
  if (own) {
    const { box, input, ask } = panel(null);
    own.replaceChildren(box);
    input.value = new URLSearchParams(location.search).get("q") || "";
    input.focus();
    if (input.value) void ask();
  }

  // The found words on the page that a hit leads to.
  const query = new URLSearchParams(location.search).get("hl");
  if (query) void markFound(query);
  async function markFound(query) {
    let found;
    try { found = (await (await open()).search(query, { limit: 1, path: "" })).words; } catch { return; }
    const texts = [];
    for (const part of document.querySelectorAll("main h1, .text")) {
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) texts.push(walker.currentNode);
    }
    const marks = texts.flatMap((node) => {
      const spans = window.docshelfSearch.marks(node.data, found);
      if (!spans.length) return [];
      const parts = marked(node.data, spans, "mark");
      node.replaceWith(...parts);
      return parts.filter((part) => part instanceof HTMLElement);
    });
    if (marks.length) showFound(marks);
  }
  function showFound(marks) {
    let at = -1;
    const go = () => {
      marks[at]?.classList.remove("now");
      at = (at + 1) % marks.length;
      marks[at].classList.add("now");
      marks[at].scrollIntoView({ block: "center" });
    };
    const next = element("button", { type: "button", textContent: "↓", title: words.next });
    next.setAttribute("aria-label", words.next);
    const close = element("button", { type: "button", textContent: "×", title: words.close });
    close.setAttribute("aria-label", words.close);
    const bar = element("div", { className: "found-here" }, words.here(marks.length), next, close);
    next.addEventListener("click", go);
    close.addEventListener("click", () => {
      for (const mark of marks) mark.replaceWith(...mark.childNodes);
      bar.remove();
    });
    document.body.append(bar);
    if (!location.hash) go();
  }
})();
