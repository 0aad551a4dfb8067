// Dates and durations in everyday words, in the browser's time zone and in English, like the whole page. The browser's own date
// formats are slower on first use than everything else before the first paint.

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
/// Languages that put the month first, and languages with a twelve-hour clock.
const MONTH_FIRST = /^en(-US|-CA|-PH)?$/;
const TO_TWELVE = /^(en(-US|-CA|-PH|-AU|-NZ|-IN)?|es-(MX|US|CO|419)|hi|ko|ar)$/;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/// "yesterday", "in 3 days", "5 minutes ago".
function relative(n, unit) {
  const word = unit === "day" ? { "-1": "yesterday", 0: "today", 1: "tomorrow" }[n] : null;
  if (word) return word;
  return n < 0 ? `${count(-n, unit)} ago` : `in ${count(n, unit)}`;
}

const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());

/// "Sunday, 29 November", or "Sunday, November 29".
export function dayOf(iso) {
  const date = new Date(iso);
  const [day, month] = [date.getDate(), MONTHS[date.getMonth()]];
  return `${WEEKDAYS[date.getDay()]}, ${MONTH_FIRST.test(navigator.language) ? `${month} ${day}` : `${day} ${month}`}`;
}

/// "14:05", or "2:05 PM".
export function clockOf(iso) {
  const date = new Date(iso);
  const [hour, minute] = [date.getHours(), String(date.getMinutes()).padStart(2, "0")];
  if (TO_TWELVE.test(navigator.language)) return `${hour % 12 || 12}:${minute} ${hour < 12 ? "AM" : "PM"}`;
  return `${String(hour).padStart(2, "0")}:${minute}`;
}

/// When in its day a plan begins; null if it has no time of day.
export const beginOf = ({ firstTime, allDay }) => (firstTime && !allDay ? clockOf(firstTime) : null);

/// "tomorrow", "in 8 days"; counts midnights, not hours.
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

/// "14:05", or "Fri, 14:05" on another day.
export function since(iso, now = new Date()) {
  const date = new Date(iso);
  const day = midnight(date).getTime() === midnight(now).getTime() ? "" : `${WEEKDAYS[date.getDay()].slice(0, 3)}, `;
  return day + clockOf(iso);
}

/// "4:05" for 245 seconds.
export function lengthOf(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/// "1 page", "3 pages".
export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
