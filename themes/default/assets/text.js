"use strict";
// Copying, citing and looking closer.
(() => {
  const WORDS = {
    en: {
      copy: "Copy", copied: "Copied", failed: "Not copied: select the text instead", cite: "Cite this place",
      page: "p.", release: "release", close: "Close", figure: "Picture", copyCode: "Copy the listing", link: "Copy the link",
    },
    ru: {
      copy: "Копировать", copied: "Скопировано", failed: "Не скопировано: выделите текст", cite: "Сослаться на это место",
      page: "с.", release: "выпуск", close: "Закрыть", figure: "Рисунок", copyCode: "Копировать листинг", link: "Копировать ссылку",
    },
  };
  const words = WORDS[document.documentElement.lang] || WORDS.en;
  const { element, showDialog } = window.docshelfPage;
  const main = document.querySelector("main");

  // The clipboard's interface is there on https and file only; plain http inside a network has the old command.
  async function copy(text) {
    if (navigator.clipboard) {
      try { await navigator.clipboard.writeText(text); return true; } catch { /* no permission: the old way */ }
    }
    const field = element("textarea", { value: text, readOnly: true });
    (document.querySelector("dialog[open]") || document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
  async function copyWith(button, text) {
    const shown = button.textContent ? "textContent" : "title";
    const label = button[shown];
    const done = await copy(await text());
    button.classList.toggle("done", done);
    button[shown] = done ? words.copied : words.failed;
    setTimeout(() => {
      button.classList.remove("done");
      button[shown] = label;
    }, 2000);
  }

  for (const pre of main.querySelectorAll("pre")) {
    const button = element("button", { type: "button", className: "copy-code", title: words.copyCode });
    button.setAttribute("aria-label", words.copyCode);
    button.addEventListener("click", () => copyWith(button, () => pre.textContent.replace(/\n$/, "")));
    const box = element("div", { className: "listing" });
    pre.replaceWith(box);
    box.append(pre, button);
  }

  // Markdown: the file itself; of a whole document, which no file holds, and from a disk, where no page may
  // read it, from what the page shows.
  const markdownUrl = document.querySelector('link[rel="alternate"][type="text/markdown"]').href;
  async function markdown() {
    if (location.protocol !== "file:" && !document.body.matches(".whole")) {
      const answer = await fetch(markdownUrl, { headers: { Accept: "text/markdown" } }).catch(() => null);
      if (answer && answer.ok) return answer.text();
    }
    return asMarkdown(main);
  }
  const copyButton = document.querySelector("button.copy");
  copyButton?.addEventListener("click", () => copyWith(copyButton, markdown));

  const escape = (text) => text.replace(/[\\`*[]|\](?=[([])|<(?=[A-Za-z/!?])/g, "\\$&");
  const twin = (link) => link.getAttribute("href").replace(/\.html(?=#|$)/, ".md");
  function inline(node) {
    if (node.nodeType === Node.TEXT_NODE) return escape(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches("button, figcaption")) return "";
    const inside = () => [...node.childNodes].map(inline).join("");
    const name = node.localName;
    if (name === "a" && !node.matches(".anchor, .picture")) return `[${inside()}](${twin(node)})`;
    if (name === "code") return `\`${node.textContent}\``;
    if (name === "img") {
      // The picture of a page is named by its caption, any other described by its labels, if it has some.
      const caption = node.closest("figure.scan")?.querySelector("figcaption");
      const labels = node.matches(".labelled") ? node.alt : "";
      return `![${escape(caption ? caption.textContent : labels)}](${node.getAttribute("src")})`;
    }
    if (name === "strong") return `**${inside()}**`;
    if (name === "em") return `*${inside()}*`;
    return name === "br" ? "\\\n" : inside();
  }
  const row = (cells) => `| ${cells.join(" | ")} |`;
  function tableRows(table) {
    const rows = [...table.rows].map((line) => row([...line.cells].map((cell) => inline(cell).replace(/\|/g, "\\|"))));
    return [rows[0], row([...table.rows[0].cells].map(() => "---")), ...rows.slice(1)].join("\n");
  }
  const isList = (node) => node.localName === "ul" || node.localName === "ol";
  // A list inside of an item stands under the item's text.
  const listLines = (list) => [...list.children].flatMap((item, at) => {
    const sign = list.localName === "ul" ? "-" : `${Number(list.getAttribute("start") || 1) + at}.`;
    const inside = [...item.childNodes];
    const text = inside.filter((it) => !isList(it)).map(inline).join("").trim();
    const below = inside.filter(isList).flatMap(listLines).map((line) => " ".repeat(sign.length + 1) + line);
    return [`${sign} ${text}`, ...below];
  });
  function block(node) {
    const name = node.localName;
    if (/^h[1-6]$/.test(name)) return [`${"#".repeat(Number(name[1]))} ${inline(node).trim()}`];
    if (node.matches(".page")) return [`<!-- ${node.id.replace(/^n\d+-/, "") || `p${node.textContent.trim()}`} -->`];
    if (node.matches(".place")) return [`> ${inline(node)}`];
    if (name === "p") return [inline(node).trim()];
    if (name === "figure") {
      // A caption that was printed below is a paragraph there.
      const printed = [...node.querySelectorAll("figcaption.printed")].flatMap((it) => [...it.childNodes]);
      return [inline(node).trim(), printed.map(inline).join("").trim()];
    }
    if (name === "pre") return ["```" + (node.firstChild.className || "").replace(/^language-/, "") + "\n" + node.textContent + "```"];
    if (name === "table") return [tableRows(node)];
    if (isList(node)) return [listLines(node).join("\n")];
    if (name === "blockquote") return blocks(node).map((text) => `> ${text}`);
    return node.matches("nav, aside, details, .aside, .tools, button, noscript") ? [] : blocks(node);
  }
  const blocks = (parent) => [...parent.children].flatMap(block);
  const asMarkdown = (parent) => `${blocks(parent).filter(Boolean).join("\n\n")}\n`;
  // A page of the shelf that searches and may not read this one, since both come from a disk (search.js).
  if (location.protocol === "file:" && window.parent !== window) window.parent.postMessage(asMarkdown(main), "*");

  // The page of the source that is under the reader's eyes, for citing.
  function place() {
    const marks = [...main.querySelectorAll(".page[id]")];
    const passed = marks.filter((mark) => mark.getBoundingClientRect().top < window.innerHeight / 3);
    return passed.pop() || marks[0] || null;
  }
  function cite() {
    const mark = place();
    // A page of a whole document holds many sections, each with ids of its own.
    const section = mark?.closest("section[data-name]");
    const path = document.body.dataset.path;
    const file = section ? path.replace(/[^/]*$/, section.dataset.name) : path;
    const anchor = mark ? `#${mark.id}` : "";
    const title = (section || main).querySelector("h1").textContent.trim();
    const above = document.querySelector(section ? "main h1" : ".section .tree .top");
    const titles = above && above.textContent !== title ? [above.textContent.trim(), title] : [title];
    const named = [...titles, mark ? `${words.page} ${mark.textContent.trim()}` : ""].filter(Boolean).join(", ");
    const release = window.docshelfRelease ? `, ${words.release} ${window.docshelfRelease}` : "";
    const text = `${named}. ${file}${anchor.replace(/^#n\d+-/, "#")}${release}`;
    const quoted = element("p", { className: "quoted", textContent: text });
    const button = element("button", { type: "button", textContent: words.copy });
    const link = element("button", { type: "button", textContent: words.link });
    const close = element("button", { type: "button", textContent: words.close });
    const dialog = showDialog("note-dialog", words.cite,
      element("h2", { textContent: words.cite }), quoted, button, " ", link, " ", close);
    button.addEventListener("click", () => copyWith(button, () => text));
    link.addEventListener("click", () => copyWith(link, () => location.href.replace(/[?#].*/, "") + anchor));
    close.addEventListener("click", () => dialog.close());
  }
  document.querySelector("button.cite")?.addEventListener("click", cite);

  // Pictures in full size; a second click shows them larger, Esc or a third one closes.
  main.addEventListener("click", (event) => {
    const link = event.target.closest("a.picture");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const picture = element("img", { src: link.href, alt: link.querySelector("img").alt });
    const button = element("button", { type: "button", className: "zoom-close", textContent: words.close });
    const dialog = showDialog("zoom", words.figure, picture, button);
    button.addEventListener("click", () => dialog.close());
    picture.addEventListener("click", () => {
      if (dialog.classList.contains("natural")) dialog.close();
      else dialog.classList.add("natural");
    });
  });
})();
