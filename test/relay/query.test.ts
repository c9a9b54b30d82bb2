import { expect, it } from "vitest";
import { formatDelivery, parseFixture } from "../../src/relay/fixture.ts";
import { hasHiddenQuery, queryOf } from "../../src/relay/query.ts";
import { savedDelivery } from "./sample.ts";

it.each([
  ["/webhooks", ""],
  ["/webhooks?", "?"],
  ["/webhooks?code=a%2fb'\"<>&x?y#z", "?code=a%2fb'\"<>&x?y#z"],
  ["?x", "?x"],
  ["", ""],
  ["/webhooks?code=\u00ff", "?code=\u00ff"],
  ["/webhooks?code=…", ""],
  ["/webhooks?a=1&…", ""],
  ["/webhooks?a b", ""],
  ["/webhooks?a\r\nx: y", ""],
])("the query that is sent on of %j is %j", (target, query) => {
  expect(queryOf({ target })).toBe(query);
});

it.each(["/webhooks?code=abc", "/webhooks?abc", "/webhooks?a=1&b"])(
  "the values of %s are hidden in a saved delivery, and then none of it is sent on",
  (target) => {
    expect(hasHiddenQuery({ target })).toBe(false);
    const text = formatDelivery(savedDelivery({ target }));
    expect(text).not.toMatch(/abc|=1/);
    const fixture = parseFixture(Buffer.from(text), "x.json");
    if (fixture.type !== "delivery") throw new Error("expected a delivery");
    expect(hasHiddenQuery(fixture.delivery)).toBe(true);
    expect(queryOf(fixture.delivery)).toBe("");
  },
);

it("a path with an ellipsis hides no query", () => {
  expect(hasHiddenQuery({ target: "/…?" })).toBe(false);
});
