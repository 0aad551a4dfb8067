// Changes a plan for one evening. Each change is kept at once: what the service changes meanwhile then still arrives, and nothing waits
// in a panel that a tap beside it closes.
import { api } from "./api.js";
import { busily, button, h, openPanel } from "./dom.js";
import { openFinder } from "./finder.js";
import { partOf, withSigns } from "./running-order.js";

const MAJOR = ["C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"];
const MINOR = ["Am", "Bbm", "Bm", "Cm", "C#m", "Dm", "Ebm", "Em", "Fm", "F#m", "Gm", "G#m"];

/// A plan's items in tonight's order, with those that are left out.
const rowsOf = ({ items, tonight }) => tonight?.rows ?? items;

/// Opens the panel for a plan; `done` is called after each change.
export function openTonight(data, done) {
  const body = h("div", {});
  const said = h("p", { role: "status", class: "quiet" });
  const trouble = h("p", { role: "alert", class: "trouble" });
  const dialog = openPanel("Tonight", "set", body, said, trouble);
  fill();

  function fill(focused = null) {
    const rows = rowsOf(data);
    const { words, gone = [] } = data.tonight ?? {};
    body.replaceChildren(
      h("p", { class: "quiet", text: words ? `Tonight differs from the plan: ${words}.` : "Tonight is as the plan has it." }),
      ...gone.map((title) => h("p", { role: "note", text: `“${title}” is not in the plan any more.` })),
      h("ol", { class: "set-lines" }, rows.map((row, at) => rowOf(row, at, rows))),
      h("div", { class: "row by-hand" },
        button("Add a song…", () => find({ act: "add", after: rows.at(-1)?.id ?? null })),
        words && button("As the plan has it", (event) => change({ act: "asPlanned" }, "Tonight is as the plan has it again", event.target), "plain")));
    if (focused) ([...body.querySelectorAll("[data-does]")].find((each) => each.dataset.does === focused) ?? body.querySelector("button")).focus();
  }

  /// Sends a change and shows what comes of it. If another window changed the set meanwhile, shows that instead.
  async function change(wanted, words, element) {
    const focused = element?.dataset.does ?? null;
    trouble.textContent = "";
    await busily(element ?? body, async () => { data = await api.tonight({ plan: data.plan.id, number: data.tonight?.number ?? 0, ...wanted }); },
      async (error) => {
        trouble.textContent = error.message;
        if (![409, 410].includes(error.status)) return;
        data = await api.plan(data.plan.id).catch(() => data);
        fill(focused);
      });
    if (trouble.textContent) return;
    said.textContent = words;
    fill(focused);
    done();
  }

  /// Looks for a chart in all plans, and then comes back here with the change.
  function find(wanted) {
    const finder = openFinder(null, null, ({ chart }) => { wanted.chart = chart; });
    finder.addEventListener("close", async () => {
      const again = openTonight(data, done);
      if (wanted.chart) await again.change(wanted, "It is in tonight’s set", null);
    });
  }

  function rowOf(row, at, rows) {
    const does = (words, sign, wanted, after, kind = "plain") => {
      const element = button(sign, () => change({ item: row.id, ...wanted }, after, element), kind);
      element.setAttribute("aria-label", words);
      element.dataset.does = `${row.id} ${sign}`;
      return element;
    };
    const { title } = row;
    const about = [row.added && "added", row.new && "new in the plan", row.leftOut && "left out", row.moved && !row.added && "moved", row.other && "another chart"]
      .filter(Boolean).join(", ");
    return h("li", {},
      h("span", { class: "set-title" }, row.leftOut ? h("s", { text: title }) : title, about && h("span", { class: "quiet", text: ` ${about}` })),
      h("span", {},
        at > 0 && does(`Move ${title} up`, "↑", { act: "move", after: rows[at - 2]?.id ?? null }, `${title} is ${at} of ${rows.length}`),
        at < rows.length - 1 && does(`Move ${title} down`, "↓", { act: "move", after: rows[at + 1].id }, `${title} is ${at + 2} of ${rows.length}`),
        row.leftOut ? does(`Put ${title} back`, "+", { act: "putBack" }, `${title} is back`)
          : does(`Leave ${title} out`, "×", { act: "leaveOut" }, `${title} is left out`)),
      !row.leftOut && row.kind !== "header" && h("span", { class: "set-how" }, partOfRow(row), keyOfRow(row), remarkOfRow(row)));
  }

  const itemOf = ({ id }) => data.items.find((item) => item.id === id);

  function select(row, name, options, current, act) {
    return h("select", {
      "aria-label": `${name} of ${row.title}`, "data-does": `${row.id} ${name}`, onchange: ({ target }) => act(target),
    }, options.map(([value, text]) => h("option", { value, text, selected: value === current })));
  }

  function partOfRow(row) {
    const item = itemOf(row);
    if (!item) return null;
    const own = row.other ? [["own", "The plan’s chart"], ["", "Another chart"]]
      : [["", item.charts.length > 1 ? "All charts" : "The plan’s chart"], ...(item.charts.length > 1 ? item.charts.map((chart) => [chart.id, partOf(item, chart)]) : [])];
    return select(row, "Chart", [...own, ["find", "Find another…"]], "", (target) => {
      if (target.value === "find") find({ act: "show", item: row.id });
      else if (target.value) change({ act: "show", item: row.id, chart: target.value === "own" ? null : target.value }, `Another chart of ${row.title}`, target);
    });
  }

  function keyOfRow(row) {
    const item = itemOf(row);
    if (!item?.song) return null;
    const current = row.otherKey ? item.view?.key ?? "" : "";
    const keys = item.key ? (item.key.endsWith("m") ? MINOR : MAJOR) : [...MAJOR, ...MINOR];
    const names = current && !keys.includes(current) ? [current, ...keys] : keys;
    return select(row, "Key", [["", `${withSigns(item.key) ?? "Key"} (plan)`], ...names.map((key) => [key, withSigns(key)])], current,
      (target) => change({ act: "read", item: row.id, key: target.value || null }, `${row.title} in another key`, target));
  }

  function remarkOfRow(row) {
    return h("input", {
      type: "text", class: "search", maxlength: 200, value: row.remark ?? "", placeholder: "Remark", "aria-label": `Remark on ${row.title}`, autocomplete: "off",
      "data-does": `${row.id} remark`, onchange: ({ target }) => change({ act: "remark", item: row.id, remark: target.value }, "The remark is kept", target),
    });
  }

  return Object.assign(dialog, { change });
}
