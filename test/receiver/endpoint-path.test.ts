import fc from "fast-check";
import { expect, it } from "vitest";
import { isEndpoint } from "../../src/receiver/admit.ts";

it.each([
  ["/webhooks", "/webhooks", true],
  ["/webhooks/", "/webhooks", true],
  ["/webhooks", "/webhooks/", true],
  ["/webhooks/", "/webhooks/", true],
  ["/webhooks?", "/webhooks", true],
  ["/webhooks?code=a?b/../", "/webhooks", true],
  ["/webhooks/?code=a", "/webhooks", true],
  ["/", "/", true],
  ["/?x", "/", true],
  ["/webhooks//", "/webhooks", false],
  ["/webhooks//", "/webhooks/", false],
  ["//webhooks", "/webhooks", false],
  ["//", "/", false],
  ["", "/", false],
  ["?x", "/", false],
  ["*", "/", false],
  ["/Webhooks", "/webhooks", false],
  ["/%77ebhooks", "/webhooks", false],
  ["/webhooks%3Fx", "/webhooks", false],
  ["/webhooks;x", "/webhooks", false],
  ["/webhooks#x", "/webhooks", false],
  ["/webhooks/.", "/webhooks", false],
  ["/a/../webhooks", "/webhooks", false],
  ["http://127.0.0.1/webhooks", "/webhooks", false],
  ["/x?/webhooks", "/webhooks", false],
])("a request for %j is one for the endpoint %j: %s", (target, path, expected) => {
  expect(isEndpoint(target, path)).toBe(expected);
});

it("a path is the endpoint with any query, and no other path is but for one closing slash", () => {
  const anyPath = fc.string({ unit: fc.constantFrom(..."/a.%2;") }).map((text) => `/${text}`);
  fc.assert(
    fc.property(anyPath, anyPath, fc.string(), (path, other, query) => {
      expect(isEndpoint(`${path}?${query}`, path)).toBe(true);
      if (isEndpoint(other, path))
        expect([path, `${path}/`]).toContain(other.length < path.length ? `${other}/` : other);
    }),
  );
});
