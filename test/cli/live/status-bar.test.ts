import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StatusBar } from "../../../src/cli/live/status-bar.ts";
import { createOutput } from "../../../src/cli/output.ts";
import { columnsOf } from "../../../src/cli/wrap-text.ts";
import { collected } from "./collected.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("what fails comes first, and the help is never lost at 80 columns", async () => {
  const { io, text } = collected(true);
  const bar = new StatusBar(createOutput(io, { json: false, color: false, clock: Date.now }));
  const counts =
    "6 accepted  2 duplicate  3 rejected  5 unauthorized  3 refused  2 handled  9 received  4 dead";
  bar.update({ counts, failed: "2 failing, 1 dead", filter: "漢字漢字", hasKeys: true });
  await vi.advanceTimersByTimeAsync(200);
  const line = text().split("\r\u001b[K").at(-1) ?? "";
  expect(line).toMatch(/^only "漢字漢字" {3}2 failing, 1 dead {3}6 accepted .* {2}\? help$/);
  expect(columnsOf(line)).toBeLessThan(80);
  bar.update({ counts: "", failed: "", filter: "" });
  await vi.advanceTimersByTimeAsync(200);
  expect(text().endsWith("\r\u001b[K↑↓ select  ? help")).toBe(true);
});
