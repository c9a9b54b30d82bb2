// The effect of a run, visible to the harness: one line when it starts and one when it is done,
// each in a single write.
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Performs the effect of an event for one life of `listen`. `clockAhead` is how far this process's
 * clock is ahead.
 */
export async function haveEffect(id, life, clockAhead = 0) {
  const note = (phase) => {
    const line = JSON.stringify({ id, life, phase, at: Date.now() - clockAhead });
    appendFileSync(process.env.CRASH_EFFECTS, `${line}\n`);
  };
  note("start");
  const duration = durationOf(id);
  if (duration > 0) await sleep(duration);
  note("end");
}

/**
 * Milliseconds, always the same for an event: 0 for a quarter, up to 16 for most, more for a few.
 */
function durationOf(id) {
  const [first, second] = createHash("sha256").update(id).digest();
  if (first < 64) return 0;
  return first > 250 ? 80 : second % 16;
}
