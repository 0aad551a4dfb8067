// A worker: fetches page images, decodes them and scales them to exactly the size in pixels that will be shown, so that
// turning a page costs the main thread no more than swapping two elements.

const running = new Map();

onmessage = async ({ data }) => {
  const { id, src, width, height, cache, drop } = data;
  if (drop) {
    running.get(id)?.abort();
    return;
  }
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const reply = await fetch(src, { signal: abort.signal, cache });
    if (!reply.ok) {
      // Why there is no image, in the agent's words.
      const reason = await reply.json().then(({ error }) => error, () => null);
      postMessage({ id, status: reply.status, reason });
      return;
    }
    const whole = await createImageBitmap(await reply.blob()).catch(() => null);
    if (abort.signal.aborted) {
      whole?.close();
    } else if (!whole) {
      postMessage({ id, status: 0, isDamaged: true });
    } else {
      const bitmap = scaled(whole, width, height);
      postMessage({ id, bitmap, ...looksOf(bitmap) }, [bitmap]);
    }
  } catch (error) {
    if (!abort.signal.aborted) postMessage({ id, status: 0 });
  } finally { running.delete(id); }
};

/// Halves the size until less than half is left to do, then does the rest: one step would skip rows. What becomes much smaller is inked:
/// staff lines thinner than a pixel would turn grey, which cannot be read from a music stand.
function scaled(image, width, height) {
  const ink = inkFor(width / image.width);
  let from = image;
  while (from.width > width * 2 || from.height > height * 2) {
    from = drawn(from, Math.max(width, Math.ceil(from.width / 2)), Math.max(height, Math.ceil(from.height / 2)));
  }
  if (from.width === width && from.height === height) return from;
  return drawn(from, width, height, ink);
}

/// Below this scale lines are inked, the more the smaller they become.
const FINE = 0.75;

/// What differs by more than this between its colours is no grey.
const COLOURED = 24;

/// How to ink at a scale: how much of a pixel lines are thickened by, and the exponent by which grey is darkened.
function inkFor(scale) {
  const lack = Math.max(0, FINE - scale);
  return lack > 0 ? { thicker: Math.min(1, 3 * lack), darker: 1 + 3 * lack } : null;
}

function drawn(image, width, height, ink = null) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: ink !== null });
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  if (ink) thicken(context, image, width, height, ink);
  image.close();
  return canvas.transferToImageBitmap();
}

/// Draws the image once more, half a pixel lower, wherever that is darker; then darkens what is grey.
function thicken(context, image, width, height, { thicker, darker }) {
  context.globalCompositeOperation = "darken";
  context.globalAlpha = thicker;
  context.drawImage(image, 0, 0.5, width, height);
  const picture = context.getImageData(0, 0, width, height);
  const { data } = picture;
  const table = Uint8ClampedArray.from({ length: 256 }, (_, grey) => 255 * (grey / 255) ** darker);
  for (let i = 0; i < data.length; i += 4) {
    const red = data[i];
    const green = data[i + 1];
    const blue = data[i + 2];
    // Colours are marks: they keep theirs.
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURED) continue;
    data[i] = table[red];
    data[i + 1] = table[green];
    data[i + 2] = table[blue];
  }
  context.putImageData(picture, 0, 0);
}

/// Pages are judged by a copy of this many pixels a side.
const SIDE = 96;
const sample = new OffscreenCanvas(SIDE, SIDE).getContext("2d", { willReadFrequently: true });

/// What night mode has to know of a page. It turns paper dark, not pictures: a page counts as a picture if less than 55 % of it is light.
/// Colours on it need more than to be turned over.
function looksOf(bitmap) {
  sample.imageSmoothingQuality = "medium";
  sample.drawImage(bitmap, 0, 0, SIDE, SIDE);
  const { data } = sample.getImageData(0, 0, SIDE, SIDE);
  let light = 0;
  let isColoured = false;
  for (let i = 0; i < data.length; i += 4) {
    const [red, green, blue] = [data[i], data[i + 1], data[i + 2]];
    if (0.299 * red + 0.587 * green + 0.114 * blue > 170) light += 1;
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURED / 2) isColoured = true;
  }
  return { isPicture: light < 0.55 * SIDE * SIDE, isColoured };
}
