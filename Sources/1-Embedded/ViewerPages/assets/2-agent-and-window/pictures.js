// The agent's images in elements of a page.
import { needsToken, Refusal, signed } from "./api.js";

/// The address of an image for an image element; on a tablet, of a fetched copy. Call `forget` when the image is loaded.
export async function pictureAt(src) {
  if (!needsToken) return { src, forget: () => {} };
  const reply = await fetch(src, signed());
  if (!reply.ok) throw new Refusal(reply.status);
  return copyOf(await reply.blob());
}

/// The address of an image that this browser has, and the function `forget`, as in `pictureAt`.
export function copyOf(image) {
  const src = URL.createObjectURL(image);
  return { src, forget: () => URL.revokeObjectURL(src) };
}

/// Shows the image at an address in an image element; if the image cannot be fetched, the element stays as it is.
export async function showPicture(element, address) {
  const { src, forget } = await pictureAt(address);
  element.onload = forget;
  element.src = src;
}
