"use strict";
// The page reads the same without this file.
(() => {
  const typing = (element) =>
    element instanceof HTMLElement &&
    (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName));

  // Keys by place, not by letter: they work under a Russian layout too.
  const turns = { KeyP: 'a[rel="prev"]', KeyN: 'a[rel="next"]' };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || typing(event.target)) return;
    const link = turns[event.code] && document.querySelector(turns[event.code]);
    if (link) link.click();
  });

  const release = document.getElementById("_release");
  if (release && typeof window.docshelfRelease === "string") {
    release.querySelector("code").textContent = window.docshelfRelease;
    release.hidden = false;
  }

  // The page's own contents are folded until there is room beside the text.
  const here = document.querySelector("details.here");
  if (!here) return;
  const wide = window.matchMedia("(min-width: 68rem)");
  const fold = () => { here.open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();

  const links = new Map();
  for (const link of here.querySelectorAll("a")) links.set(link.hash.slice(1), link);
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    const above = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
    const current = links.get((above.pop() || { id: "" }).id);
    for (const link of links.values()) {
      if (link === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  let waiting = false;
  document.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, { passive: true });
  mark();
})();
