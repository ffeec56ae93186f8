"use strict";
// What a page can do beside being read; it reads the same without this file.
(() => {
  const WORDS = {
    en: {
      colours: { auto: "Colours of the system", light: "Light colours", dark: "Dark colours" },
      keys: "Keys", search: "Search", next: "Next section", previous: "Previous section", help: "This list",
      close: "Close", single: "Use the keys without Ctrl",
    },
    ru: {
      colours: { auto: "Цвета как в системе", light: "Светлые цвета", dark: "Тёмные цвета" },
      keys: "Клавиши", search: "Поиск", next: "Следующий раздел", previous: "Предыдущий раздел", help: "Этот список",
      close: "Закрыть", single: "Использовать клавиши без Ctrl",
    },
  };
  const root = document.documentElement;
  const words = WORDS[root.lang] || WORDS.en;
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // Storage may be switched off; then a choice holds for the page only.
  const stored = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const store = (key, value) => { try { localStorage.setItem(key, value); } catch { /* see above */ } };

  // Parts for the other scripts of the theme.
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  // A dialog that closes by Esc, by a click beside it, and leaves the page when it does.
  const showDialog = (className, label, ...children) => {
    const dialog = element("dialog", { className }, ...children);
    dialog.setAttribute("aria-label", label);
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  };
  window.docshelfPage = { element, showDialog };

  const release = document.getElementById("_release");
  if (release && typeof window.docshelfRelease === "string") {
    one("code", release).textContent = window.docshelfRelease;
    release.hidden = false;
  }

  // Colours: as the system says, light, dark.
  const colours = one("button.colours");
  if (colours) {
    const name = () => {
      const text = words.colours[root.dataset.colours || "auto"];
      colours.title = text;
      colours.setAttribute("aria-label", text);
    };
    colours.addEventListener("click", () => {
      const next = { auto: "light", light: "dark", dark: "auto" }[root.dataset.colours || "auto"];
      if (next === "auto") delete root.dataset.colours;
      else root.dataset.colours = next;
      store("docshelf-colours", next);
      name();
    });
    name();
  }

  // Keys by place, not by letter: they work under a Russian layout too.
  const SEARCH = ".find, main input[type=search]";
  const mirrored = root.dir === "rtl";
  const actions = {
    KeyS: SEARCH, Slash: SEARCH,
    KeyN: 'a[rel="next"]', KeyP: 'a[rel="prev"]',
    [mirrored ? "ArrowLeft" : "ArrowRight"]: 'a[rel="next"]',
    [mirrored ? "ArrowRight" : "ArrowLeft"]: 'a[rel="prev"]',
  };
  const isBusy = (event) =>
    event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]") ||
    (event.target instanceof HTMLElement && event.target.closest("input, textarea, select, [contenteditable]")) ||
    (event.code.startsWith("Arrow") && event.target.closest("pre, .table"));
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.code === "KeyK" && one(".find") && !one("dialog[open]")) {
      event.preventDefault();
      return one(".find").click();
    }
    if (isBusy(event) || stored("docshelf-keys") === "off") return;
    if (event.key === "?" || (event.code === "Slash" && event.shiftKey)) return showKeys();
    const target = !event.shiftKey && one(event.key === "/" ? SEARCH : actions[event.code] || "none");
    if (!target) return;
    event.preventDefault();
    target.focus();
    target.click();
  });

  function showKeys() {
    const rows = [
      ["/ s Ctrl+K", words.search], ["→ n", words.next], ["← p", words.previous], ["?", words.help], ["Esc", words.close],
    ].flatMap(([keys, text]) => [
      element("dt", {}, ...keys.split(" ").flatMap((key) => [element("kbd", { textContent: key }), " "])),
      element("dd", { textContent: text }),
    ]);
    const single = element("input", { type: "checkbox", checked: stored("docshelf-keys") !== "off" });
    single.addEventListener("change", () => store("docshelf-keys", single.checked ? "on" : "off"));
    const close = element("button", { type: "button", textContent: words.close });
    const dialog = showDialog("note-dialog", words.keys,
      element("h2", { textContent: words.keys }), element("dl", {}, ...rows),
      element("label", {}, single, words.single), close);
    close.addEventListener("click", () => dialog.close());
  }
  one("button.keys")?.addEventListener("click", showKeys);

  // The document's tree: a drawer where it stands below the text, else scrolled to where the reader is.
  const tree = document.getElementById("_tree");
  if (tree) {
    const menu = one(".bar .menu");
    menu?.addEventListener("click", (event) => {
      event.preventDefault();
      const place = document.createComment("tree");
      tree.replaceWith(place);
      const close = element("button", { type: "button", className: "drawer-close", textContent: words.close });
      const drawer = showDialog("drawer", menu.getAttribute("aria-label"), close, tree);
      close.addEventListener("click", () => drawer.close());
      drawer.addEventListener("close", () => place.replaceWith(tree));
      one("[aria-current]", tree)?.scrollIntoView({ block: "center" });
      tree.addEventListener("click", (click) => { if (click.target.closest("a")) drawer.close(); });
    });
    const current = one("[aria-current]", tree);
    const below = current ? current.offsetTop + current.offsetHeight - tree.clientHeight : 0;
    if (below > 0) tree.scrollTop = below + tree.clientHeight / 2;
  }

  // The page's own contents: open where there is room beside the text; they follow the scroll.
  const here = one("details.here");
  if (!here) return;
  const wide = window.matchMedia("(min-width: 78rem)");
  const fold = () => { here.open = wide.matches && getComputedStyle(here.parentElement).position === "absolute"; };
  wide.addEventListener("change", fold);
  fold();

  const links = new Map(all("a", here).map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  let marked = null;
  const follow = () => {
    const above = headings.filter((heading) => heading.getBoundingClientRect().top < 110);
    const atEnd = window.innerHeight + window.scrollY >= root.scrollHeight - 2 && window.scrollY > 0;
    const heading = atEnd ? headings[headings.length - 1] : above.pop();
    const current = heading && links.get(heading.id);
    if (current === marked) return;
    marked?.removeAttribute("aria-current");
    current?.setAttribute("aria-current", "true");
    marked = current;
    if (current && here.scrollHeight > here.clientHeight) {
      here.scrollTop = current.offsetTop - here.clientHeight / 2;
    }
  };
  let waiting = false;
  document.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; follow(); });
  }, { passive: true });
  follow();
})();
