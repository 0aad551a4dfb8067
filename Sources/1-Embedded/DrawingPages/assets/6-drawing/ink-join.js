// Joins the edits of several devices to one mark, by the same rule as the agent's LayerJoin; tests run the same cases on both.

/// Whether a version includes another one.
export const covers = (v, other) => Object.entries(other).every(([device, counter]) => (v[device] ?? 0) >= counter);

/// The version that includes all of these.
export function joined(versions) {
  const all = {};
  for (const v of versions) for (const [device, counter] of Object.entries(v)) all[device] = Math.max(all[device] ?? 0, counter);
  return all;
}

/// The values of one mark that no other value includes. The first value is the one to show: marks come before deletions, and later
/// versions before earlier ones.
export function standing(values) {
  const isKnownTo = (other, value) => covers(other.v, value.v) && !covers(value.v, other.v);
  const isSame = (other, value) => covers(other.v, value.v) && covers(value.v, other.v);
  return values
    .filter((value, i) => !values.some((other, k) => isKnownTo(other, value) || (k < i && isSame(other, value))))
    .sort((a, b) => Boolean(b.mark) - Boolean(a.mark) || order(b.v, a.v));
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const byDevice = (v) => Object.entries(v).sort(([a], [b]) => compare(a, b));

/// A total order of versions: by the greatest number, then by the last device with this number, then by all devices and their numbers.
function order(v, other) {
  const [one, two] = [byDevice(v), byDevice(other)];
  const peak = (entries) => entries.reduce((most, each) => (each[1] >= most[1] ? each : most), ["", 0]);
  const [[device, number], [its, most]] = [peak(one), peak(two)];
  const rest = () => {
    for (let i = 0; i < Math.min(one.length, two.length); i += 1) {
      const found = compare(one[i][0], two[i][0]) || one[i][1] - two[i][1];
      if (found) return found;
    }
    return one.length - two.length;
  };
  return number - most || compare(device, its) || rest();
}
