// A dialog in the middle, or a panel at the side: the browser keeps the focus inside, and Escape closes it.
import { h, icon } from "./dom.js";

/// Opens a panel with these children; at most one is open. Returns the dialog, which is removed when it closes.
export function openPanel(title, { kind = "middle" } = {}, ...children) {
  document.querySelector("dialog[open]")?.close();
  const dialog = h("dialog", { class: `panel ${kind}`, "aria-label": title },
    h("header", {}, h("h2", { text: title }),
      h("button", { type: "button", class: "tool", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"))),
    ...children);
  const before = document.activeElement;
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  // A click outside closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  (dialog.querySelector("input:checked") ?? dialog.querySelector("input"))?.focus();
  return dialog;
}
