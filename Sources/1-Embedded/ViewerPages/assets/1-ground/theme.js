// Runs before the first paint, to spare a dark room a white flash.
(() => {
  let theme = null;
  try {
    ({ theme } = JSON.parse(localStorage.getItem("woodshed") ?? "{}"));
  } catch {
    // Storage is switched off: use the system's theme.
  }
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = theme === "light" || theme === "dark" ? theme : system;
})();
