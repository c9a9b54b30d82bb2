import { vi } from "vitest";

/** Milliseconds after which work is taken to wait for a timer. */
const PATIENCE = 15_000;

/**
 * Runs work while no timer fires, and resolves with its result: so it did not wait for one, however
 * long it took on a busy machine. Timers that are set meanwhile never fire.
 *
 * @throws Error if the work waits for one
 */
export async function withoutTimers<Result>(work: () => Promise<Result>): Promise<Result> {
  let guard: NodeJS.Timeout | undefined;
  const waiting = new Promise<never>((_, reject) => {
    guard = setTimeout(() => reject(new Error("expected no timer to be waited for")), PATIENCE);
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  try {
    return await Promise.race([work(), waiting]);
  } finally {
    vi.useRealTimers();
    clearTimeout(guard);
  }
}
