// The agent's answers, and what went wrong in words.

const token = document.querySelector('meta[name="woodshed-token"]').content;

/// What the agent said no to; `status` 0 is an agent that does not answer.
export class Refusal extends Error {
  constructor(status) {
    super(sentence(status));
    this.status = status;
  }
}

function sentence(status) {
  switch (status) {
    case 0: return "Woodshed’s agent does not answer.";
    case 401:
    case 403: return "This browser is not let in any more. Run “woodshed open” in a terminal, or start Woodshed from the menu.";
    case 404: return "Woodshed knows nothing of this address.";
    case 410: return "This has changed meanwhile.";
    default: return `Woodshed’s agent could not answer (${status}).`;
  }
}

async function ask(path, options) {
  let reply;
  try {
    reply = await fetch(path, { cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0);
  }
  if (!reply.ok) throw new Refusal(reply.status);
  try {
    return await reply.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}

const post = (path, body) => ask(path, {
  method: "POST",
  headers: { "Content-Type": "application/json", "X-Woodshed-Token": token },
  body: JSON.stringify(body),
});

/// For what may fail without anybody minding: the next event or the next turn makes it good.
const tell = (path, body) => post(path, body).catch(() => null);

const part = encodeURIComponent;

export const api = {
  state: () => ask("/api/state"),
  plan: (id) => ask(`/api/plan/${part(id)}`),
  chart({ chart, plan, item }) {
    const where = new URLSearchParams();
    if (plan) where.set("plan", plan);
    if (item) where.set("item", item);
    return ask(`/api/chart/${part(chart)}?${where}`);
  },
  showLayer: (chart, layer, visible) => post("/api/layers", { chart, layer, visible }),
  look: (plan) => tell("/api/look", { plan }),
  select: (place) => tell("/api/select", place),
  seen: (plan) => tell("/api/seen", { plan }),
  sync: () => post("/api/sync", {}),
};

/// Where a page is drawn larger than it is kept.
export function liveAddress(chart, page, isMarked, long) {
  return `/live/${part(chart)}/${page}?marked=${isMarked ? 1 : 0}&long=${long}`;
}
