// Printing a chart prints the chart: every page in the order in which it is played, one on each sheet, with the marks that are shown.
import { h } from "./dom.js";
import { imagesOf } from "./plan-holder.js";

/// Prints what is open in the reading view once its images are here. Answers what to say where that cannot be done; null if it was.
export async function print(chart) {
  if (!chart || chart.order.length === 0) return "There is nothing to print";
  const images = new Map(imagesOf(chart).map((image) => [image.page, image.src]));
  const pages = chart.order.map((page) => h("img", { src: images.get(page), alt: "" }));
  const sheets = h("div", { class: "print", "aria-hidden": "true" }, pages);
  document.body.append(sheets);
  try {
    await Promise.all(pages.map((page) => page.decode()));
    window.print();
    return null;
  } catch {
    return "Not all pages are here yet: nothing was printed";
  } finally {
    sheets.remove();
  }
}
