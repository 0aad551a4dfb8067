// Runs before the first paint, so that a dark room never sees a white flash.
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem("woodshed") ?? "{}").theme;
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is switched off: the system's theme is used.
  }
})();
