// Night mode: paper turns dark, while pictures keep their colours and are only dimmed. A page counts as a picture if less than
// 55 % of it is light; the musician's own choice for a page overrides that.
import { settings } from "./settings.js";

export function isDarkened(chart, page, isPicture) {
  if (!settings.get("night")) return false;
  const choice = settings.get("paper")[chart]?.[page];
  return choice ? choice === "dark" : !isPicture;
}

/// Switches one page between dark and light paper.
export function flipPaper(chart, page, isDarkNow) {
  const paper = settings.get("paper");
  settings.set("paper", { ...paper, [chart]: { ...paper[chart], [page]: isDarkNow ? "keep" : "dark" } });
}
