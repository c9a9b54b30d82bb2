import { expect, it } from "vitest";
import { leaseToken } from "../../src/inbox/claim.ts";

it("no lease token of a process is like another", () => {
  expect(leaseToken("0a")).not.toBe(leaseToken("0a"));
});
