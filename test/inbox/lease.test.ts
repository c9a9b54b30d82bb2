import { expect, it } from "vitest";
import { leaseToken } from "../../src/inbox/claim.ts";

const UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

it("a lease token starts with the id of the process that holds it, if that is registered", () => {
  expect(leaseToken("0a")).toMatch(/^0a\.[0-9a-f]{8}-\d+$/);
  expect(leaseToken(undefined)).toMatch(new RegExp(`^${UUID}$`));
});

it("no lease token is like another", () => {
  expect(leaseToken("0a")).not.toBe(leaseToken("0a"));
});
