/**
 * The maximum share of a watched time between two frames: a stutter, not a frozen page, however
 * busy the machine.
 */
export const LONGEST_FRAME = 1 / 3;

/** What `WATCH_FRAMES` has seen, as `window.watched`. */
export interface WatchedFrames {
  /** The longest time between two frames, and all of the time watched. Milliseconds. */
  readonly longest: number;
  readonly time: number;
  readonly frames: number;
}

/** Watches the frames of a page from now on. */
export const WATCH_FRAMES = `(() => {
  window.watched = { longest: 0, time: 0, frames: 0 };
  let last = performance.now();
  const look = (now) => {
    window.watched.longest = Math.max(window.watched.longest, now - last);
    window.watched.time += now - last;
    window.watched.frames++;
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;
