import { describe, expect, it } from "vitest";
import { keptHeaders } from "../../src/receiver/admit.ts";

describe("keptHeaders", () => {
  it.each([
    "__proto__",
    "authorization",
    "connection",
    "cookie",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
  ])("drops %s", (name) => {
    const headers = JSON.parse(`{"${name}":"dropped","x-kept":"v"}`) as Record<string, string>;
    const kept = keptHeaders(headers);
    expect(Object.keys(kept)).toEqual(["x-kept"]);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });

  it("keeps every other header with its values", () => {
    const headers = {
      "x-service-signature": "sha256=00",
      accept: "*/*",
      "x-list": ["a", "b"],
      "": "c",
    };
    expect(keptHeaders(headers)).toEqual(headers);
  });
});
