// Charts on paper: every page in playing order, each on its own sheet, with the marks that are shown.
import { h } from "./dom.js";
import { OLDER, hasOlder } from "./older-marks.js";
import { holder, imagesOf } from "./plan-holder.js";
import { settings } from "./settings.js";

/// The pages of a chart for printing; null if it has none.
function paperOf(chart) {
  if (!chart || chart.order.length === 0) return null;
  const images = new Map(imagesOf(chart).map((image) => [image.page, image.src]));
  const isOlder = (page) => settings.get("marks") && hasOlder(chart, [page]);
  return h("div", { class: "print", "aria-hidden": "true" }, chart.order.map((page) =>
    h("div", {}, isOlder(page) && h("p", { text: OLDER }), h("img", { "data-src": images.get(page), alt: "" }))));
}

/// Prints a chart once its images have loaded; calls `show` with a message if it cannot be printed.
export async function print(chart, show) {
  const paper = paperOf(chart);
  if (!paper) return show("There is nothing to print");
  document.body.append(paper);
  try {
    await Promise.all([...paper.querySelectorAll("img")].map(async (page) => {
      const picture = await holder.pictureAt(page.dataset.src ?? "");
      page.src = picture.src;
      await page.decode().finally(picture.forget);
    }));
    window.print();
  } catch {
    show("Not all pages are here yet: nothing was printed");
  } finally { paper.remove(); }
  return null;
}

let laidOut = null;

/// Prepares the same pages for the browser's own "Print", which does not wait for images: only images that this browser has are
/// sure to be printed.
export function layOut(chart) {
  laidOut = document.querySelector(".print") ? null : paperOf(chart);
  if (!laidOut) return;
  for (const page of laidOut.querySelectorAll("img")) {
    const image = holder.imageAt(page.dataset.src);
    page.src = image ? URL.createObjectURL(image) : page.dataset.src ?? "";
  }
  document.body.append(laidOut);
  addEventListener("afterprint", clear, { once: true });
}

function clear() {
  for (const page of laidOut?.querySelectorAll("img") ?? []) URL.revokeObjectURL(page.src);
  laidOut?.remove();
}
