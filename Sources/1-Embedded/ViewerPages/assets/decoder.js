// The worker that makes images ready to be shown: one for as long as the tab is open, since with the agent away no other could be started.

/// The page's own script does other things in a worker; it is in the browser already.
const OWN = document.querySelector('script[src^="/assets/"]').src;

let worker = null;
let numbers = 0;
/// What to do with each answer, by number.
const waiting = new Map();

function begin() {
  worker = new Worker(OWN);
  worker.onmessage = ({ data }) => {
    const done = waiting.get(data.id);
    waiting.delete(data.id);
    if (done) done(data);
    else data.bitmap?.close();
  };
  // It could not be started: whoever waits is told, and the next request tries again.
  worker.onerror = () => {
    worker.terminate();
    worker = null;
    for (const [id, done] of [...waiting]) {
      waiting.delete(id);
      done({ status: 0 });
    }
  };
}

/// Fetches, decodes and scales an image; calls back with what came of it. Returns a function that gives it up.
export function decode({ src, width, height, cache }, done) {
  if (!worker) begin();
  const id = ++numbers;
  waiting.set(id, done);
  worker.postMessage({ id, src, width, height, cache });
  return () => {
    if (waiting.delete(id)) worker?.postMessage({ id, drop: true });
  };
}

begin();
