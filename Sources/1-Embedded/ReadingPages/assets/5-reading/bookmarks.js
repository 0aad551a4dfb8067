// `o`: the bookmarks of the chart on the stand, and what its PDF lists as its contents.
import { mayChange } from "./api.js";
import { ANOTHER_SONG, button, h, openPanel, say } from "./dom.js";
import { isBefore, positionOf } from "./jumps.js";
import { later } from "./later.js";

/// The bookmarks of a chart: the musician's own, from its beginning, and then those of others and the contents, in their order.
export function bookmarksOf(chart) {
  const all = (later("own-places")?.bookmarks(chart) ?? chart.bookmarks ?? [])
    .map((each) => ({ ...each, position: positionOf(chart.order, each.page) })).filter(({ position }) => position >= 0);
  return [...all.filter(({ own }) => own).sort((a, b) => (isBefore(a, b) ? -1 : 1)), ...all.filter(({ own }) => !own)];
}

/// Opens the list. `where` returns the chart on the stand and the place at the top of the screen, or null; `leadTo` goes to a bookmark.
export function openPlaces(where, leadTo) {
  const body = h("div");
  const dialog = openPanel("Bookmarks", "side", body);
  const choose = (bookmark) => {
    dialog.close();
    leadTo(bookmark);
  };
  const fill = () => {
    const here = where();
    if (here) body.replaceChildren(...[adding(here, fill), listOf(here.chart, choose, fill)].filter(Boolean));
    else dialog.close();
  };
  dialog.addEventListener(ANOTHER_SONG, fill);
  fill();
}

/// The field for a new bookmark; null for a guest.
function adding({ chart, page, position, y }, done) {
  const own = later("own-places");
  if (!mayChange || !own) return null;
  const title = h("input", {
    type: "text", class: "search", maxlength: "100", "aria-label": "Title of the bookmark", placeholder: `Page ${position + 1}`, autocomplete: "off",
  });
  const add = () => {
    const words = title.value.trim() || `Page ${position + 1}`;
    own.add(chart, page, y, words);
    say(`Bookmarked: ${words}`);
    done();
  };
  title.addEventListener("keydown", (event) => {
    // A pedal sends Enter, too, but has typed no title.
    if (event.key !== "Enter" || event.isComposing || !title.value.trim()) return;
    event.preventDefault();
    add();
  });
  return h("div", { class: "place-new" }, title, button("Bookmark this place", add, "strong"));
}

function listOf(chart, choose, done) {
  const rows = bookmarksOf(chart).map((bookmark) => {
    const { id, title, level = 0, position, own } = bookmark;
    const lead = h("button", { type: "button", class: "place", onclick: () => choose(bookmark) },
      h("span", { text: title || `Page ${position + 1}` }), h("span", { class: "quiet", text: `page ${position + 1}` }));
    lead.style.paddingInlineStart = `${0.6 + Math.min(level, 5)}rem`;
    return h("li", {}, lead, own && mayChange && removing(chart, id, title, done));
  });
  return rows.length > 0 ? h("ul", { class: "places" }, rows) : h("p", { class: "quiet", text: "This chart has no bookmarks, and its PDF lists no contents." });
}

function removing(chart, id, title, done) {
  const remove = button("Delete", async () => {
    const list = remove.closest("ul");
    const at = [...list.children].indexOf(remove.closest("li"));
    const dialog = list.closest("dialog");
    const isGone = await later("own-places")?.remove(chart, id);
    if (!isGone) remove.textContent = "Not now";
    say(isGone ? `Deleted: ${title}` : "It cannot be deleted before Woodshed’s agent answers");
    if (!isGone || !dialog.open) return;
    done();
    // The focus goes to the next row, or to the one that is last now.
    const next = [...dialog.querySelectorAll(".places li")];
    (next[Math.min(at, next.length - 1)]?.querySelector("button") ?? dialog.querySelector("input"))?.focus({ preventScroll: true });
  }, "plain");
  remove.setAttribute("aria-label", `Delete the bookmark “${title}”`);
  return remove;
}
