// A worker: fetches page images, decodes them and scales them to exactly the size in pixels that will be shown, so that
// turning a page costs the main thread no more than swapping two elements.

const running = new Map();
/// What was found out about each image, by its address. This also holds for other sizes of the image, unless it was found on a much
/// smaller one, which has fewer details.
const judged = new Map();
const MOST = 500;
const FINER = 1.5;

onmessage = async ({ data }) => {
  const { id, src, headers, width, height, cache, isKept, drop, held } = data;
  if (drop) {
    running.get(id)?.abort();
    return;
  }
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const reply = held ? null : await fetch(src, { signal: abort.signal, cache, headers });
    if (reply && !reply.ok) {
      // The agent's explanation why it has no image.
      const reason = await reply.json().then(({ error }) => error, () => null);
      postMessage({ id, status: reply.status, reason });
      return;
    }
    const image = held ?? await reply.blob();
    const whole = await createImageBitmap(image).catch(() => null);
    if (abort.signal.aborted) {
      whole?.close();
    } else if (!whole) {
      postMessage({ id, status: 0, isDamaged: true });
    } else {
      const paper = scaled(whole, width, height);
      const former = judged.get(src);
      const known = former && former.height * FINER >= paper.height ? former : judge(src, paper);
      const grey = isKept ? null : known.grey;
      const bitmap = grey ? whitened(paper, grey) : paper;
      postMessage({ id, image, bitmap, isGrey: grey !== null, ...known.looks }, [bitmap]);
    }
  } catch (error) {
    if (!abort.signal.aborted) postMessage({ id, status: 0 });
  } finally { running.delete(id); }
};

/// Halves the image while it is more than twice as large as requested, then scales it to the exact size: a single step would skip rows. A
/// much reduced image is inked: staff lines thinner than a pixel would turn grey, and could not be read from a music stand.
function scaled(image, width, height) {
  const ink = inkFor(width / image.width);
  let from = image;
  while (from.width > width * 2 || from.height > height * 2) {
    from = drawn(from, Math.max(width, Math.ceil(from.width / 2)), Math.max(height, Math.ceil(from.height / 2)));
  }
  if (from.width === width && from.height === height) return from;
  return drawn(from, width, height, ink);
}

/// Below this scale, lines are inked: the smaller the scale, the more.
const FINE = 0.75;

/// A pixel whose colours differ by more than this is not grey.
const COLOURED = 24;

/// How to ink at a scale: by which share of a pixel lines are thickened, and the exponent that darkens grey. Null if lines are not inked.
function inkFor(scale) {
  const lack = Math.max(0, FINE - scale);
  return lack > 0 ? { thicker: Math.min(1, 4 * lack), darker: 1 + 3 * lack } : null;
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

/// Draws the image once more, half a pixel lower, wherever that is darker; then darkens what is grey. Coloured pixels are marks and stay as
/// they are, so that marks drawn by the agent look like marks drawn by this browser.
function thicken(context, image, width, height, { thicker, darker }) {
  const before = context.getImageData(0, 0, width, height).data;
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
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURED) {
      [data[i], data[i + 1], data[i + 2]] = [before[i], before[i + 1], before[i + 2]];
      continue;
    }
    data[i] = table[red];
    data[i + 1] = table[green];
    data[i + 2] = table[blue];
  }
  context.putImageData(picture, 0, 0);
}

function judge(src, paper) {
  const seen = spotsOf(paper);
  const grey = greyPaperOf(seen);
  // Judge the looks with the paper made white: dark grey paper could make a page of music count as a picture.
  const spots = grey ? spotsOf(paper, grey) : seen;
  const known = { grey, looks: looksOf(spots), height: paper.height };
  if (judged.size >= MOST) judged.clear();
  judged.set(src, known);
  return known;
}

/// The width, and the greatest height, in pixels of the copies that pages are judged by: fine enough to show a stem.
const SPOTS = 768;
const ROWS = 1600;

/// The reduced copy of a page, as `{data, height}`, with its paper made white if `grey` is given. The copy is used for several findings
/// where possible, because reducing a large page takes longer than judging it.
function spotsOf(bitmap, grey = null) {
  const height = Math.min(bitmap.height, ROWS);
  const context = new OffscreenCanvas(SPOTS, height).getContext("2d", { alpha: false, willReadFrequently: true });
  context.imageSmoothingQuality = "low";
  context.drawImage(bitmap, 0, 0, SPOTS, height);
  if (grey) whiten(context, SPOTS, height, grey);
  return { data: context.getImageData(0, 0, SPOTS, height).data, height };
}

/// Photographed and scanned paper is grey. Above WHITE, paper is white enough; a page darker than NO_PAPER has no paper.
const WHITE = 243;
const NO_PAPER = 90;
/// The page is divided into SIDE × SIDE cells. It has grey paper if most cells are nearly as light as the lightest cell within AROUND.
const SIDE = 96;
const AROUND = 5;
/// Paper is speckled: spots of at least this share of its lightness become white, too.
const SPECKLED = 0.95;

/// How far the paper is from white in each place of a page, as a picture; null if the page must not be changed: its paper is white,
/// it is a picture, it has many colours, or its paper is light here and dark there.
function greyPaperOf({ data, height }) {
  const light = new Float32Array(SIDE * SIDE);
  let colours = 0;
  let white = 0;
  for (let i = 0; i < light.length; i += 1) {
    const [row, column] = [Math.floor((Math.floor(i / SIDE) + 0.5) * height / SIDE), Math.floor((i % SIDE + 0.5) * SPOTS / SIDE)];
    const at = 4 * (row * SPOTS + column);
    light[i] = Math.max(data[at], data[at + 1], data[at + 2]);
    if (light[i] > WHITE) white += 1;
    if (light[i] - Math.min(data[at], data[at + 1], data[at + 2]) > 2 * COLOURED) colours += 1;
  }
  if (white > 0.5 * light.length || colours > 0.2 * light.length) return null;
  const lightest = (each, step) => near(each, step, (fields) => Math.max(...fields));
  const mean = (each, step) => near(each, step, (fields) => fields.reduce((sum, field) => sum + field, 0) / fields.length);
  const most = [1, SIDE].reduce(lightest, light);
  const sorted = Float32Array.from(most).sort();
  const [low, middle, high] = [0.1, 0.5, 0.9].map((share) => sorted[Math.floor(share * sorted.length)]);
  const isPaper = light.filter((each, i) => each > 0.6 * most[i]).length > 0.85 * light.length;
  if (middle > WHITE || low < NO_PAPER || low < 0.6 * high || !isPaper) return null;
  const lacks = new ImageData(SIDE, SIDE);
  // Smooth by averaging, up to the edges: blurring would fade to nothing at the edges, and leave the paper there grey.
  for (const [i, each] of [1, SIDE, 1, SIDE].reduce(mean, most).entries()) {
    const lack = 255 - SPECKLED * each;
    lacks.data.set([lack, lack, lack, 255], 4 * i);
  }
  const paper = new OffscreenCanvas(SIDE, SIDE);
  paper.getContext("2d").putImageData(lacks, 0, 0);
  return paper;
}

/// For each cell, the result of `join` for the cells near it, in the direction of `step`.
function near(light, step, join) {
  return light.map((_, i) => {
    const at = step === 1 ? i % SIDE : Math.floor(i / SIDE);
    const fields = [];
    for (let far = -Math.min(AROUND, at); far <= Math.min(AROUND, SIDE - 1 - at); far += 1) fields.push(light[i + far * step]);
    return join(fields);
  });
}

function whiten(context, width, height, grey) {
  context.globalCompositeOperation = "color-dodge";
  context.drawImage(grey, 0, 0, width, height);
  // Multiply the picture by itself: ink becomes darker, and white stays white.
  context.globalCompositeOperation = "multiply";
  context.drawImage(context.canvas, 0, 0);
}

/// A page with its paper white, and its ink darker.
function whitened(bitmap, grey) {
  const { width, height } = bitmap;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { alpha: false });
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  whiten(context, width, height, grey);
  return canvas.transferToImageBitmap();
}

/// Bytes from one examined pixel to the next: one in seven is enough, since each row has them in other columns.
const STRIDE = 4 * 7;

/// The facts that night mode needs. It darkens paper, not pictures: a page counts as a picture if less than 55 % of it is light. If
/// a page has colours, inversion is not enough.
function looksOf({ data }) {
  let light = 0;
  let isColoured = false;
  for (let i = 0; i < data.length; i += STRIDE) {
    const [red, green, blue] = [data[i], data[i + 1], data[i + 2]];
    if (0.299 * red + 0.587 * green + 0.114 * blue > 170) light += 1;
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURED / 2) isColoured = true;
  }
  return { isPicture: light < 0.55 * data.length / STRIDE, isColoured };
}
