// A worker: fetches page images, decodes them and scales them to exactly the size in pixels that will be shown, so that
// turning a page costs the main thread no more than swapping two elements.

const running = new Map();

onmessage = async ({ data }) => {
  if (data.drop) {
    running.get(data.id)?.abort();
    return;
  }
  const { id, src, width, height, cache } = data;
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const reply = await fetch(src, { signal: abort.signal, cache });
    if (!reply.ok) {
      postMessage({ id, status: reply.status, reason: await reasonOf(reply) });
      return;
    }
    const bytes = await reply.blob();
    const whole = await createImageBitmap(bytes).catch(() => null);
    if (abort.signal.aborted) {
      whole?.close();
      return;
    }
    if (!whole) {
      postMessage({ id, status: 0, isDamaged: true });
      return;
    }
    const bitmap = scaled(whole, width, height);
    postMessage({ id, bitmap, isPicture: isPicture(bitmap) }, [bitmap]);
  } catch (error) {
    if (!abort.signal.aborted) postMessage({ id, status: 0 });
  } finally {
    running.delete(id);
  }
};

/// Why there is no image, in the agent's words.
async function reasonOf(reply) {
  try {
    return (await reply.json()).error;
  } catch {
    return null;
  }
}

/// Halves the size until less than half is left to do, then does the rest: thin staff lines keep their grey. One step would skip rows.
function scaled(image, width, height) {
  let from = image;
  while (from.width > width * 2 || from.height > height * 2) {
    from = drawn(from, Math.max(width, Math.ceil(from.width / 2)), Math.max(height, Math.ceil(from.height / 2)));
  }
  return from.width === width && from.height === height ? from : drawn(from, width, height);
}

function drawn(image, width, height) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { alpha: false });
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  image.close();
  return canvas.transferToImageBitmap();
}

const sample = new OffscreenCanvas(48, 48).getContext("2d", { willReadFrequently: true });

/// Night mode inverts paper, not pictures: a page counts as a picture if less than 55 % of it is light.
function isPicture(bitmap) {
  sample.imageSmoothingQuality = "medium";
  sample.drawImage(bitmap, 0, 0, 48, 48);
  const { data } = sample.getImageData(0, 0, 48, 48);
  let light = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2] > 170) light += 1;
  }
  return light < 0.55 * 48 * 48;
}
