// Turns the pages of a booklet opened from a disk. Without this script, the pages follow each other down the page.
const plan = document.querySelector("main");
const pages = [...document.querySelectorAll("figure")];
/// The page that is shown, from 0; -1 for the plan.
let at = -1;

function show(page) {
  at = Math.max(-1, Math.min(page, pages.length - 1));
  plan.hidden = at >= 0;
  pages.forEach((each, number) => { each.hidden = number !== at; });
  scrollTo(0, 0);
  // Decode the next page before it is needed.
  pages[at + 1]?.querySelector("img").setAttribute("loading", "eager");
  const address = at < 0 ? "#" : `#${pages[at].id}`;
  if (location.hash !== address && (location.hash || address !== "#")) history.replaceState(null, "", address);
  // Focus the page, so a screen reader speaks its name.
  if (at >= 0) pages[at].focus({ preventScroll: true });
}

const follow = () => show(pages.findIndex((each) => `#${each.id}` === location.hash));

const steps = {
  ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, Enter: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Backspace: -1,
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("a") && event.key === "Enter") return;
  const step = event.key === " " && event.shiftKey ? -1 : steps[event.key];
  if (step) show(at + step);
  else if (event.key === "Home" || event.key === "Escape") show(-1);
  else if (event.key === "End") show(pages.length - 1);
  else return;
  event.preventDefault();
});

for (const page of pages) {
  page.addEventListener("click", (event) => {
    const part = event.clientX / innerWidth;
    show(part < 1 / 3 ? at - 1 : part > 2 / 3 ? at + 1 : -1);
  });
}

addEventListener("hashchange", follow);
document.documentElement.classList.add("turning");
follow();
