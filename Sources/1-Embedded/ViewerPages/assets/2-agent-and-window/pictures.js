// Images of the agent in elements of a page.
import { needsToken, Refusal, signed } from "./api.js";

/// The address under which an image element finds an image: on a tablet a copy, which is fetched for it. `forget` is to be called then.
export async function pictureAt(src) {
  if (!needsToken) return { src, forget: () => {} };
  const reply = await fetch(src, signed());
  if (!reply.ok) throw new Refusal(reply.status);
  return copyOf(await reply.blob());
}

/// The same for an image that is in this browser.
export function copyOf(image) {
  const src = URL.createObjectURL(image);
  return { src, forget: () => URL.revokeObjectURL(src) };
}

/// Has an image element show what is at an address; it stays as it is if that does not come.
export async function showPicture(element, address) {
  const { src, forget } = await pictureAt(address);
  element.onload = forget;
  element.src = src;
}
