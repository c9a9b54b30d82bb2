import { vi } from "vitest";

/**
 * Runs work while no timer fires, and resolves with its result: so it did not wait for one, however long it took on a busy
 * machine. Timers that are set meanwhile never fire.
 */
export async function withoutTimers<Result>(work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
