// The effect of a run, and how the harness sees it: one line when it starts, one when it is done, in a single write each.
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Has the effect of an event on behalf of one life of `listen`. `clockAhead` is how far this process's clock is off. */
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

/** Milliseconds, the same for the same event: a quarter done at once, most within 16, a few slow ones. */
function durationOf(id) {
  const [first, second] = createHash("sha256").update(id).digest();
  if (first < 64) return 0;
  return first > 250 ? 80 : second % 16;
}
