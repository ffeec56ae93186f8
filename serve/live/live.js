"use strict";
// Added to each page by `docshelf watch`: reloads it when it changed, and shows what the last build said.
(() => {
  const script = document.currentScript;
  const { page, version } = script.dataset;
  const address = new URL("live", script.src);
  address.searchParams.set("page", page);

  const style = new CSSStyleSheet();
  style.replaceSync(`
    :host { position: fixed; inset: auto 1rem 1rem auto; z-index: 2147483647; width: min(34rem, calc(100vw - 2rem));
            font: 0.875rem/1.4 system-ui, sans-serif; }
    div { margin-top: 0.5rem; padding: 0.6rem 0.9rem; max-height: 40vh; overflow: auto; overflow-wrap: anywhere;
          color: CanvasText; background: Canvas; border: 1px solid GrayText; border-radius: 0.4rem; }
    .failure { border: 2px solid #c5463c; }
    strong, summary { font-weight: 600; }
    summary { cursor: pointer; }
    p { margin: 0.3rem 0 0; white-space: pre-wrap; }
    @media print { :host { display: none; } }
  `);
  const panel = document.createElement("docshelf-live");
  const root = panel.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [style];
  document.body.append(panel);

  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const box = (part) => {
    const failed = part.kind === "failure";
    const frame = element("div", "");
    frame.className = part.kind;
    frame.setAttribute("role", failed ? "alert" : "status");
    const body = failed ? frame : element("details", "");
    body.append(element(failed ? "strong" : "summary", part.title));
    for (const line of part.lines) body.append(element("p", line));
    if (!failed) frame.append(body);
    return frame;
  };
  const hear = (event) => {
    const news = JSON.parse(event.data);
    if (news.version !== version) window.location.reload();
    else root.replaceChildren(...news.parts.map(box));
  };

  // A browser opens six connections to a server: pages that nobody looks at must not hold them all.
  let events = null;
  const follow = () => {
    if (document.hidden) {
      events?.close();
      events = null;
    } else if (!events) {
      events = new EventSource(address);
      events.addEventListener("message", hear);
    }
  };
  document.addEventListener("visibilitychange", follow);
  follow();
})();
