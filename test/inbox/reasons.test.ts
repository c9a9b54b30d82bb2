import { expect, it } from "vitest";
import { reasonWords } from "../../src/inbox/reasons.ts";

it.each([
  ["paced_3", "waits for its time in retry 3"],
  ["paused", "paused by hand"],
  ["dropped", "dropped by hand"],
  ["erased", "erased by hand"],
  ["no_handler", "no handler for this event"],
  ["of_another_version", "of another version"],
  ["not_paced_", "not paced "],
  ["constructor", "constructor"],
])("the reason %s means: %s", (reason, words) => {
  expect(reasonWords(reason)).toBe(words);
});
