import { expect } from "vitest";

/** An error of this code, whose message matches. */
export const refusal = (message: RegExp, code = "inbox_unavailable") =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
