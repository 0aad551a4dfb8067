// The panels of the reading view, each opened by a key: view, layers, parts, page number, keys.
import { api, mayChange } from "./api.js";
import { book } from "./books.js";
import { ANOTHER_SONG, announceSong, busily, button, h, openPanel } from "./dom.js";
import { keys } from "./keyboard.js";
import { openMarginBox } from "./margin-box.js";
import { bring, later } from "./later.js";
import { handBoxOf, isKept } from "./margins.js";
import { answersTo, askOfOlder, hasOlder, olderWords } from "./older-marks.js";
import { openPairing } from "./pairing.js";
import { nameOf, pedals } from "./pedals.js";
import "./places.js";
import { layOut, print } from "./printing.js";
import { partOf } from "./running-order.js";
import { openSet } from "./set-maker.js";
import { keyParts, redrawing, stepKey } from "./song-key.js";
import { pdfSaver } from "./save-pdf.js";
import { settings } from "./settings.js";
import "./symbol-names.js";
import "./together.js";
import { count } from "./times.js";
import { openTonight } from "./tonight.js";
import { Unplaced } from "./unplaced-marks.js";
import "./white.js";

const choices = [
  ["Size", "fit", [["page", "Fit the page"], ["width", "Fit the width"]]],
  ["Crop margins", "margins", [["printed", "Off"], ["page", "Page by page"], ["chart", "Whole chart alike"]]],
  ["Pages side by side", "spread", [["auto", "Automatic"], ["one", "One"], ["two", "Two"]]],
  ["Turn", "half", [[false, "Whole page"], [true, "Half at a time"]]],
  ["Paper", "night", [[false, "White"], [true, "Dark"]]],
  ["Marks", "marks", [[true, "Shown"], [false, "Hidden"]]],
  ["Theme", "theme", [["system", "System"], ["light", "Light"], ["dark", "Dark"]]],
];

const controlsOf = (body) => [...body.querySelectorAll("input, button")];

/// Opens a panel at the side about the song on the stand, with the content from `fill`. When another song comes on the stand, the
/// panel is filled again; it closes if `fill` then returns null. `fill` receives the event's detail.
function openSide(title, fill) {
  let body = h("div", {}, fill());
  const dialog = openPanel(title, "side", body);
  dialog.addEventListener(ANOTHER_SONG, ({ detail }) => {
    const parts = fill(detail);
    if (!parts) return dialog.close();
    // Restore the focus only for keyboard users.
    const at = "reached" in dialog.dataset ? controlsOf(body).indexOf(document.activeElement) : -1;
    const fresh = h("div", {}, parts);
    body.replaceWith(fresh);
    body = fresh;
    if (at >= 0) (controlsOf(fresh)[at] ?? dialog.querySelector("button")).focus({ preventScroll: true });
  });
  return dialog;
}

/// `v`: how pages are shown, and the theme.
const openView = (stand, acts) => openSide("View", () => viewParts(stand, acts));

function viewParts({ shown, goal, order }, { isMended, print, parts, places }) {
  const inputs = [];
  // A choice may change the default of another setting that nobody has chosen.
  const check = () => inputs.forEach(({ input, name, value }) => { input.checked = settings.get(name) === value; });
  return [...choices.map(([title, name, values]) => h("fieldset", { class: "choice" },
    h("legend", { text: title }),
    h("div", { class: "segments" }, values.map(([value, words]) => {
      const input = h("input", { type: "radio", name, value: String(value), checked: settings.get(name) === value });
      inputs.push({ input, name, value });
      input.addEventListener("change", () => {
        settings.set(name, value);
        check();
      });
      return h("label", {}, input, h("span", { text: words }));
    })),
    name === "margins" && marginsByHand(shown))),
  scanned(shown, isMended()),
  shown?.chart && h("div", { class: "row by-hand" },
    // On a phone, the bar has no room for it.
    order?.item(goal?.item)?.charts.length > 1 && button("Choose another part…", parts), button("Bookmarks…", places), button("Turn together…", () => later("together").openPanel()), button("Print this chart…", print), pdfSaver({ chart: shown.chart.id, plan: goal?.plan }))];
}

/// A switch for charts on grey paper, or that lie askew.
function scanned(shown, isMended) {
  const isAsScanned = shown?.chart && isKept(shown.chart);
  if (!isAsScanned && !isMended) return null;
  const input = h("input", { type: "checkbox", class: "switch", role: "switch", checked: !isAsScanned });
  input.addEventListener("change", () => settings.put("scans", shown.chart.id, input.checked ? null : "keep"));
  return h("label", { class: "switch-row" }, h("span", { text: "White, straight paper for this chart" }), input);
}

/// Buttons for margins set by hand, if there is a page to set them on.
function marginsByHand(shown) {
  if (!shown?.chart || shown.positions.length === 0) return null;
  const set = button("Crop by hand…", () => openMarginBox(shown));
  const forget = button("Forget it", () => {
    settings.put("boxes", shown.chart.id, null);
    forget.hidden = true;
    set.focus();
  });
  forget.hidden = !handBoxOf(shown.chart);
  return h("div", { class: "row by-hand" }, set, forget);
}

/// The chart on the stand as it is known now: its page on the stage may still wait for an image.
const present = ({ place, chart } = {}) => ({ place, chart: chart && (book.peek(place) ?? chart) });

/// `l`: the layers of marks on this chart, with their owners.
function openLayers(stand, adopt, placeMarks) {
  if (!stand.shown?.chart) return;
  openSide("Layers of marks", () => layerParts(present(stand.shown), adopt, placeMarks));
}

function layerParts({ place, chart }, adopt, placeMarks) {
  if (!chart) return null;
  const trouble = h("p", { role: "alert", class: "trouble" });
  const switchFor = (isOn, set) => {
    const input = h("input", { type: "checkbox", class: "switch", role: "switch", checked: isOn });
    input.addEventListener("click", (event) => input.getAttribute("aria-busy") === "true" && event.preventDefault());
    input.addEventListener("change", () => busily(input, async () => {
      trouble.textContent = "";
      adopt(await set(input.checked));
    }, (error) => {
      input.checked = !input.checked;
      trouble.textContent = error.message;
    }));
    return input;
  };
  const rows = chart.layers.map((layer) => {
    const where = layer.pages.length > 0 ? `on ${count(layer.pages.length, "page")}` : "no marks";
    const older = layer.older.length > 0 ? `made on another version on ${count(layer.older.length, "page")}` : null;
    const [name, ...whose] = namesOf(layer, chart.layers);
    return h("li", {}, h("label", {},
      h("span", {}, h("span", { class: "layer-name", text: name || "Marks" }),
        h("span", { class: "quiet", text: [...whose, where, older].filter(Boolean).join(" · ") })),
      mayChange && switchFor(layer.visible, (isShown) => api.showLayer(chart.id, layer.id, isShown))));
  });
  const list = rows.length > 0 ? h("ul", { class: "layers" }, rows) : h("p", { class: "quiet", text: "Nobody has marked this chart yet." });
  const older = (chart.followed || hasOlder(chart)) && askOfOlder(olderWords(chart), answersTo({ place, chart }, placeMarks), (fresh) => {
    adopt(fresh);
    // Has this panel filled again.
    announceSong();
  });
  // The agent sends `shared` only if there is a band.
  const share = mayChange && chart.shared !== undefined && h("label", { class: "switch-row" },
    h("span", { text: "The band sees my marks here" }), switchFor(chart.shared, (isShared) => api.share(place, isShared)));
  return [older, list, share, trouble].filter(Boolean);
}

/// The texts for a layer. Many shared layers have the same name, so the person comes first. The device is added if the person
/// shares layers from several devices.
function namesOf(layer, all) {
  if (layer.marks === undefined) return [layer.name, layer.person];
  const isOneOfSeveral = all.some((other) => other.person === layer.person && other.marks !== undefined && other.device !== layer.device);
  return [layer.person, layer.name, isOneOfSeveral && layer.device];
}

/// `k`: the key in which the song on the stand is drawn.
function openSongKey({ stand, show, expect, review, open }) {
  if (!stand.shown?.chart?.song) return show("Woodshed has no words and chords of this song");
  const redraw = redrawing({ stand, expect, review, open });
  const refill = (words) => dialog.dispatchEvent(new CustomEvent(ANOTHER_SONG, { detail: words }));
  const dialog = openSide("Key", (words) => {
    const { place, chart } = present(stand.shown);
    return chart?.song && keyParts({ place, chart }, redraw, refill, words);
  });
  dialog.addEventListener("keydown", (event) => {
    const step = { "+": 1, "=": 1, "-": -1 }[event.key];
    if (step && stand.shown?.chart?.song) stepKey(dialog, stand.shown.chart.song, step);
  });
  return null;
}

/// Closes a dialog when another song comes on the stand: a question about one song makes no sense for another.
const closeWithSong = (dialog) => dialog.addEventListener(ANOTHER_SONG, () => dialog.close());

/// `s`: the parts of a song; a tap puts one on the stand.
function openParts(item, current, choose) {
  const panel = openPanel("Parts", "small passing", h("ul", { class: "parts" }, item.charts.map((chart) => {
    const part = button(partOf(item, chart), () => {
      panel.close();
      if (chart.id !== current) choose(chart);
    }, chart.id === current ? "strong" : "");
    part.setAttribute("aria-pressed", String(chart.id === current));
    return h("li", {}, part);
  })));
  closeWithSong(panel);
}

/// `g`: go to a page by its number.
function askPage(pages, go) {
  const range = `1 – ${pages}`;
  const input = h("input", {
    type: "text", inputmode: "numeric", class: "search number", "aria-label": `Page, 1 to ${pages}`, placeholder: range, autocomplete: "off",
  });
  const take = () => {
    const page = Number.parseInt(input.value, 10);
    if (!(page >= 1)) return;
    dialog.close();
    go(Math.min(page, pages));
  };
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !input.value) return;
    event.preventDefault();
    take();
  });
  const dialog = openPanel("Go to a page", "small passing", h("div", { class: "row" }, input, button("Go", take, "strong")));
  closeWithSong(dialog);
  input.focus();
}

/// `isThere` says whether there is a command of this name; without it, as on a plan's page, all count as there.
function openKeys(isThere = () => true) {
  openPanel("Shortcuts", "wide passing",
    pedals(isThere),
    h("div", { class: "keys" }, keys.map(([title, rows]) => h("section", {},
      h("h3", { text: title }),
      h("dl", {}, rows.map(([names, , words]) => h("div", {},
        h("dt", {}, names.map((name) => h("kbd", { text: nameOf(name) }))),
        h("dd", { text: words }))))))),
    h("p", { class: "quiet" },
      "Pedals that act as a keyboard turn with any of the keys above. A tap on the left or right third turns, too, and so does a swipe; ",
      "a tap in the middle shows or hides the controls."),
    h("p", { class: "quiet" },
      "In night mode, paper turns dark and pictures keep their colours: a page counts as a picture if less than 55 % of it is light. ",
      "“i” switches the open page to the other."));
}

bring("panels", { askPage, layOut, openKeys, openLayers, openPairing, openParts, openSet, openSongKey, openTonight, openView, print, openUnplaced: (given) => new Unplaced(given) });
