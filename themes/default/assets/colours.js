"use strict";
// Before the first paint: the colours a reader chose, and that scripts run here.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const chosen = localStorage.getItem("docshelf-colours");
    if (chosen === "light" || chosen === "dark") root.dataset.colours = chosen;
  } catch { /* storage is off: the colours of the system hold */ }
})();
