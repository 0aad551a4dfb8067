// Dates and durations as people say them, in the browser's language and time zone.

/// Each is made when it is first needed, which takes a slow computer a while.
const lazy = (make) => {
  let made = null;
  return () => (made ??= make());
};
const day = lazy(() => new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" }));
const clock = lazy(() => new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" }));
const shortDay = lazy(() => new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" }));

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/// "yesterday", "in 3 days", "5 minutes ago". The browser's own words are the same, and take half as long as all of the first screen.
function relative(n, unit) {
  const word = unit === "day" ? { "-1": "yesterday", 0: "today", 1: "tomorrow" }[n] : null;
  if (word) return word;
  return n < 0 ? `${count(-n, unit)} ago` : `in ${count(n, unit)}`;
}

const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());

/// "Sunday, 29 November", and "10:00".
export const dayOf = (iso) => day().format(new Date(iso));
export const clockOf = (iso) => clock().format(new Date(iso));

/// "tomorrow", "in 8 days"; counts nights, not hours.
export function daysUntil(iso, now = new Date()) {
  return relative(Math.round((midnight(new Date(iso)) - midnight(now)) / DAY), "day");
}

/// "5 minutes ago".
export function ago(iso, now = new Date()) {
  const minutes = Math.max(0, Math.round((now - new Date(iso)) / MINUTE));
  if (minutes < 1) return "just now";
  if (minutes < 60) return relative(-minutes, "minute");
  if (minutes < 36 * 60) return relative(-Math.round(minutes / 60), "hour");
  return relative(-Math.round(minutes / 60 / 24), "day");
}

/// "14:05", or "Fri, 14:05" if that was not today.
export function since(iso, now = new Date()) {
  const date = new Date(iso);
  return (midnight(date).getTime() === midnight(now).getTime() ? clock() : shortDay()).format(date);
}

/// "4:05" for 245 seconds.
export function lengthOf(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/// "1 page", "3 pages".
export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
