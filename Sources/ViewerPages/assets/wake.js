// A screen that stays on while one plays, and the whole of it for the music.

/// Keeps the screen on until the returned function is called.
export function keepAwake() {
  let lock = null;
  let isWanted = true;
  const ask = async () => {
    if (!isWanted || document.visibilityState !== "visible") return;
    try {
      lock = await navigator.wakeLock?.request("screen") ?? null;
      if (!isWanted) lock?.release();
    } catch {
      // On battery saving, say: the system has the last word.
    }
  };
  // The system takes the lock away whenever the page is hidden.
  document.addEventListener("visibilitychange", ask);
  ask();
  return () => {
    isWanted = false;
    document.removeEventListener("visibilitychange", ask);
    lock?.release().catch(() => null);
  };
}

export async function toggleFullScreen() {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen();
  } catch {
    // Not allowed here; the page is usable as it is.
  }
}
