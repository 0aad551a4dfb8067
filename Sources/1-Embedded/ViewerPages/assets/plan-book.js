// Plans as the agent told them: asked for each time, and kept for when nobody answers.
import { api } from "./api.js";

/// How long (ms) an answer may take before what was told last is shown meanwhile.
const PATIENCE = 1000;

const told = new Map();

/// What was told last; null if nothing was.
export const knownPlan = (id) => told.get(id) ?? null;

/// Calls back with a plan: with what was told last if the answer takes its time, and with the answer. Fails if there is neither.
export async function readPlan(id, show) {
  const former = told.get(id);
  let isShown = false;
  const showFormer = () => {
    if (!former || isShown) return;
    isShown = true;
    show(former);
  };
  const early = setTimeout(showFormer, PATIENCE);
  try {
    const data = await api.plan(id);
    clearTimeout(early);
    told.set(id, data);
    show(data);
  } catch (error) {
    clearTimeout(early);
    if (error.status !== 0) told.delete(id);
    if (error.status !== 0 || !former) throw error;
    showFormer();
  }
}
