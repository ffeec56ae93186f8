"use strict";
// Searching: a dialog on every page, the same on the page of its own, and the found words on the target.
(() => {
  const WORDS = {
    en: {
      search: "Search", close: "Close", everywhere: "Whole shelf", none: "Nothing found. Try fewer words or other ones.", page: "p.", failed: "The search data could not be read",
      found: (n) => `${n} ${n === 1 ? "section" : "sections"}`, best: (n) => `The ${n} best sections`, more: "Show more", typed: "Type words, a command or a part number",
      here: (at, n) => `Found here: ${at} of ${n}`, next: "Next place", previous: "Previous place",
    },
    ru: {
      search: "Поиск", close: "Закрыть", everywhere: "Вся полка", none: "Ничего не найдено. Попробуйте меньше слов или другие.", page: "с.", failed: "Не удалось прочитать данные поиска",
      found: (n) => `Разделов: ${n}`, best: (n) => `Лучшие разделы: ${n}`, more: "Показать ещё", typed: "Слова, команда или обозначение",
      here: (at, n) => `Найдено здесь: ${at} из ${n}`, next: "Следующее место", previous: "Предыдущее место",
    },
  };
  // As many as the server gives by default: what is shown of a section costs a reader 3 KB.
  const LIMIT = 10, MOST = 50;
  // Whoever types on sooner is not done yet.
  const TYPING_MS = 120, READING_MS = 200;
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
    for (const link of document.querySelectorAll(".breadcrumbs a, .card .title a, .scopes a, .tree .top")) {
      const path = decodeURIComponent(link.pathname.slice(base.length)).replace(/\/?(sub)?index\.html$/, "");
      if (path && link.pathname.startsWith(base)) found.set(path, link.textContent.trim());
    }
    return [...found];
  }

  const marked = (text, spans) => {
    const parts = [];
    let at = 0;
    for (const [start, end] of spans) {
      parts.push(text.slice(at, start), element("mark", { textContent: text.slice(start, end) }));
      at = end;
    }
    return [...parts, text.slice(at)];
  };

  // A hit names the pages of its section, and links to it; once its text is known, the page of the words.
  function hitItem(hit, found, query) {
    const { marks, label } = window.docshelfSearch;
    const [first, last] = hit.labels;
    const pages = first === last ? first : `${first}\u2060–\u2060${last}`;
    const document = hit.document === hit.title ? "" : `${hit.document} · `;
    const where = element("small"), snippet = element("span");
    const title = element("b", {}, ...marked(hit.title, marks(hit.title, found)));
    const link = element("a", {}, title, where, snippet);
    const tell = (text, spans, number) => {
      where.textContent = `${document}${words.page}\u00a0${(number && label(hit, number)) || pages}`;
      link.href = `${root}${pageOf(hit.path)}?hl=${encodeURIComponent(query)}${number ? `#p${number}` : ""}`;
      snippet.replaceChildren(...marked(text, spans));
    };
    tell(hit.extract, marks(hit.extract, found), null);
    return { item: element("li", {}, link), hit, tell };
  }

  // The words around the found ones come from the section itself, once a reader stops typing and sees it.
  const texts = new Map();
  const pageOf = (path) => path.replace(/\.md$/, ".html").split("/").map(encodeURIComponent).join("/");
  const fetched = async (path) => {
    const answer = await fetch(root + path).catch(() => null);
    return answer && answer.ok ? answer.text() : "";
  };
  // From a disk no page may read another one; it may show it, unseen, and be told its text (text.js).
  const toldBy = (path) => new Promise((resolve) => {
    const frame = element("iframe", { src: root + pageOf(path), hidden: true });
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || typeof data !== "string") return;
      window.removeEventListener("message", hear);
      frame.remove();
      resolve(data);
    };
    window.addEventListener("message", hear);
    document.body.append(frame);
  });
  const load = location.protocol === "file:" ? toldBy : fetched;
  async function tellMore({ hit, tell }, found) {
    if (!texts.has(hit.path)) texts.set(hit.path, load(hit.path));
    const { text, marks, page } = window.docshelfSearch.snippet(await texts.get(hit.path), found);
    if (text) tell(text, marks, page);
  }

  function tellSeen(items, found) {
    const waiting = new Map(items.map((item) => [item.item, item]));
    const watch = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        void tellMore(waiting.get(target), found);
      }
    });
    for (const element of waiting.keys()) watch.observe(element);
  }

  // The way back to the page that searches leads to what was found; a page from a disk may not rename itself.
  function remember(query, scope) {
    const asked = `?q=${encodeURIComponent(query)}${scope ? `&in=${encodeURIComponent(scope)}` : ""}`;
    try { history.replaceState(null, "", query ? asked : location.pathname); } catch { /* see above */ }
  }

  // The field and what it finds; without `onClose` it is the page's own.
  function panel(onClose, within = "") {
    const input = element("input", { type: "search", autocomplete: "off", spellcheck: false, placeholder: words.typed });
    input.setAttribute("aria-label", words.search);
    const field = element("div", { className: "seek-field" }, input);
    const status = element("p", { className: "seek-status" });
    status.setAttribute("role", "status");
    const hits = element("ol", { className: "seek-hits" });
    const chips = element("div", { className: "seek-scopes" });
    let scope = "", asked = 0, timer = 0;

    async function ask(limit = LIMIT) {
      const query = input.value.trim(), number = ++asked;
      clearTimeout(timer);
      if (!onClose) remember(query, scope);
      if (!query) { hits.replaceChildren(); status.textContent = ""; return; }
      let answer;
      try {
        answer = await (await open()).search(query, { limit, path: scope });
      } catch {
        answer = null;
      }
      if (number !== asked) return;
      if (!answer) { status.textContent = words.failed; return; }
      const items = answer.hits.map((hit) => hitItem(hit, answer.words, query));
      hits.replaceChildren(...items.map(({ item }) => item));
      if (items.length === limit && limit < MOST) hits.append(element("li", {}, moreButton(limit)));
      const told = items.length < limit ? words.found : words.best;
      status.textContent = items.length ? told(items.length) : words.none;
      timer = setTimeout(() => tellSeen(items, answer.words), READING_MS);
    }
    function moreButton(limit) {
      const button = element("button", { type: "button", className: "seek-more", textContent: words.more });
      button.addEventListener("click", () =>
        ask(limit + LIMIT).then(() => hits.querySelectorAll("a")[limit]?.focus()));
      return button;
    }
    input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => ask(), TYPING_MS); });

    const places = scopes();
    if (places.some(([path]) => path === within)) scope = within;
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
      } else if (event.key === "Enter" && event.target === input) {
        // Of what stands in the field now, not of what was found before the last letters.
        event.preventDefault();
        void ask().then(() => hits.querySelector("a")?.click());
      }
    });
    if (onClose) {
      const close = element("button", { type: "button", textContent: words.close });
      close.addEventListener("click", onClose);
      field.append(close);
    }
    return { box, input, ask };
  }

  // What every query needs comes while a reader types; whoever then asks is told if it cannot be read.
  const prepare = () => void open().then((index) => index.search("")).catch(() => {});

  function showSearch() {
    let dialog = null;
    const { box, input } = panel(() => dialog.close());
    dialog = showDialog("seek", words.search, box);
    // A hit on the page that is open leads to no other.
    box.addEventListener("click", (event) => {
      if (event.target.closest(".seek-hits a")?.href.replace(/#.*/, "") === location.href.replace(/#.*/, "")) dialog.close();
    });
    input.focus();
    prepare();
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest("a.find") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showSearch();
  });

  const own = document.getElementById("_search");
  if (own) {
    const address = new URLSearchParams(location.search);
    const { box, input, ask } = panel(null, address.get("in") || "");
    own.replaceChildren(box);
    input.value = address.get("q") || "";
    input.focus();
    if (input.value) void ask();
    else prepare();
  }

  // The found words on the page that a hit leads to.
  const query = new URLSearchParams(location.search).get("hl");
  if (query) void markFound(query);
  async function markFound(query) {
    let found;
    try { found = (await (await open()).search(query, { limit: 1, path: "" })).words; } catch { return; }
    // Text, and pictures with the labels that stand in them.
    const nodes = [], said = (node) => node.data ?? (node.matches(".labelled") ? node.alt : "");
    for (const part of document.querySelectorAll("main h1, .text")) {
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
      while (walker.nextNode()) if (said(walker.currentNode)) nodes.push(walker.currentNode);
    }
    // Where most of the words stand together, as in the snippet; the title holds them often enough.
    const inText = nodes.filter((node) => node.parentNode.closest(".text"));
    const telling = inText[window.docshelfSearch.telling(inText.map(said), found)];
    const marks = [];
    let first = 0;
    for (const node of nodes) {
      const spans = joined(said(node), window.docshelfSearch.marks(said(node), found));
      if (!spans.length) continue;
      if (node === telling) first = marks.length;
      if (node.alt) {
        node.classList.add("found");
        marks.push(node);
        continue;
      }
      const parts = marked(node.data, spans);
      node.replaceWith(...parts);
      marks.push(...parts.filter((part) => part instanceof HTMLElement));
    }
    if (marks.length) showFound(marks, first);
  }
  // Found words that only spaces part are one place.
  function joined(text, spans) {
    const places = [];
    for (const [start, end] of spans) {
      const last = places[places.length - 1];
      if (last && !text.slice(last[1], start).trim()) last[1] = end;
      else places.push([start, end]);
    }
    return places;
  }
  function showFound(marks, first) {
    let at = first;
    const place = element("span");
    place.setAttribute("role", "status");
    const go = (step) => {
      marks[at].classList.remove("now");
      at = (at + step + marks.length) % marks.length;
      marks[at].classList.add("now");
      marks[at].scrollIntoView({ block: "center" });
      place.textContent = words.here(at + 1, marks.length);
    };
    const button = (sign, label, act) => {
      const made = element("button", { type: "button", textContent: sign, title: label });
      made.setAttribute("aria-label", label);
      made.addEventListener("click", act);
      return made;
    };
    const bar = element("aside", { className: "found-here" }, place,
      button("↑", words.previous, () => go(-1)), button("↓", words.next, () => go(1)), button("×", words.close, () => {
        for (const mark of marks) {
          if (mark.alt) mark.classList.remove("found", "now");
          else mark.replaceWith(...mark.childNodes);
        }
        bar.remove();
      }));
    bar.setAttribute("aria-label", words.search);
    document.body.append(bar);
    go(0);
  }
})();
