import { expect, it, vi } from "vitest";
import type { BarStatus } from "../../../src/cli/live/status-bar.ts";
import { columnsOf } from "../../../src/cli/wrap-text.ts";
import { outputUnderClock } from "./collected.ts";

function open() {
  const { bar, text } = outputUnderClock({ terminal: true });
  return async (status: Partial<BarStatus>) => {
    bar.update({ hasKeys: true, ...status });
    await vi.advanceTimersByTimeAsync(200);
    return text().split("\r\u001b[K").at(-1) ?? "";
  };
}

it("what fails comes first, numbers keep their words, and the help is never lost at 80 columns", async () => {
  const line = open();
  const counts =
    "6 accepted  2 duplicate  3 rejected  5 unauthorized  3 refused  2 handled  9 received";
  const whole = await line({ counts, failed: "2 failing, 1 dead" });
  expect(whole).toMatch(/^2 failing, 1 dead {3}6 accepted .* {2}3 rejected … {3}\? help$/);
  expect(columnsOf(whole)).toBeLessThan(80);
  expect(await line({ counts: "", failed: "" })).toBe("↑↓ select  ? help");
  expect(await line({ selected: { seq: 41, text: "deal.status_changed  received" } })).toBe(
    "▸ #41 deal.status_changed  received   enter show  r retry  d drop  ? help",
  );
  const wide = await line({ selected: { seq: 1, text: `${"漢字".repeat(30)}  handled` } });
  expect(wide.endsWith("? help")).toBe(true);
  expect(columnsOf(wide)).toBeLessThan(80);
});
