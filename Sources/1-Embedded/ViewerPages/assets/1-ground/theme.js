// Runs before the first paint, so that a dark room never sees a white flash.
(() => {
  let theme = null;
  try {
    ({ theme } = JSON.parse(localStorage.getItem("woodshed") ?? "{}"));
  } catch {
    // Storage is switched off: the system's theme is used.
  }
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = theme === "light" || theme === "dark" ? theme : system;
})();
