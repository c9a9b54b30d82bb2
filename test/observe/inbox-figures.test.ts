import { expect, it, onTestFinished, vi } from "vitest";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { figureReader } from "../../src/observe/inbox-figures.ts";

it.each([
  ["slow", 500, 50_000],
  ["fast", 1, 1000],
])(
  "reading a %s inbox takes at most a hundredth of the time, and happens once a second at most",
  async (_, tookMs, pause) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let readings = 0;
    const inbox: Partial<Inbox> = {
      counts: async () => {
        readings++;
        vi.advanceTimersByTime(tookMs);
        return { waiting: readings, running: 0, handled: 0, dead: 0, received: 0 } as never;
      },
      waiting: async () => [],
      nextRunAt: async () => undefined,
      senders: async () => [],
      pauses: async () => ({ paused: [], retries: [] }),
      size: async () => ({ bytes: 0 }),
    };
    const readFigures = figureReader(inbox as Inbox);
    const read = async () => {
      const figures = await readFigures();
      return [figures?.counts.waiting, readings];
    };
    expect(await read()).toEqual([1, 1]);
    vi.advanceTimersByTime(pause - 1);
    expect(await read()).toEqual([1, 1]);
    vi.advanceTimersByTime(1);
    expect(await read()).toEqual([2, 2]);
  },
);
