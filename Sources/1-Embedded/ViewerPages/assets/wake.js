// Keeps the screen on while playing, and gives all of it to the music.

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
      // Saving battery, for example: the system has the last word.
    }
  };
  // The system takes the lock back whenever the page is hidden.
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
    // Not allowed here; the page can be used as it is.
  }
}
