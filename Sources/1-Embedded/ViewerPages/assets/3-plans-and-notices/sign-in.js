// Signs a tablet in without leaving the music, after the agent was restarted: a page on the home screen has no other tab for this.
import { api } from "./api.js";
import { h, openPanel } from "./dom.js";
import { connectAgain, on } from "./events.js";

const reasons = {
  403: "That is not the token.",
  429: "Too many wrong tokens. Wait a minute, then try again.",
  503: "Nobody can sign in at present: the token's file on the computer that runs Woodshed is away or cannot be used.",
};

/// `isAsked`: the panel stays until somebody closes it; otherwise, over the music, it closes by itself.
export function openSignIn(isAsked) {
  const trouble = h("p", { role: "alert", class: "trouble" });
  const input = h("input", { type: "password", id: "token", class: "search", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const shown = h("input", { type: "checkbox", class: "switch", role: "switch" });
  shown.addEventListener("change", () => { input.type = shown.checked ? "text" : "password"; });
  const submit = async (event) => {
    event.preventDefault();
    trouble.textContent = "";
    try {
      await api.enter(input.value);
      panel.close();
      connectAgain();
    } catch (error) {
      trouble.textContent = reasons[error.status] ?? error.message;
      input.focus();
    }
  };
  const panel = openPanel("Sign in", isAsked ? "small" : "small passing",
    h("form", { onsubmit: submit },
      h("label", { for: "token", text: "Token" }), input,
      h("label", { class: "switch-row" }, h("span", { text: "Show what I type" }), shown),
      trouble,
      h("p", { class: "quiet", text: "Without the token: ask whoever looks after the laptop for a new code." }),
      h("button", { type: "submit", class: "button strong", text: "Sign in" })));
  // Another window may sign this browser in.
  panel.addEventListener("close", on("open", () => panel.close()));
}
