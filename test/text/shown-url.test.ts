import { expect, it } from "vitest";
import { shownUrl } from "../../src/text/shown-url.ts";

it.each([
  ["https://example.com/webhooks", "https://example.com/webhooks"],
  ["https://user:pass@example.com/x", "https://…@example.com/x"],
  ["https://a@b@example.com/", "https://…@example.com/"],
  ["https://example.com/?token=abc&tenant=7", "https://example.com/?token=…&tenant=…"],
  ["https://example.com/?abc", "https://example.com/?…"],
  ["https://example.com/?a=b=c?d@e", "https://example.com/?a=…"],
  ["https://example.com/?", "https://example.com/?"],
  ["https://example.com/?a=b&&c", "https://example.com/?a=…&&…"],
  ["/webhooks?code=abc&def", "/webhooks?code=…&…"],
  ["/webhooks/?", "/webhooks/?"],
  ["https://example.com/x#abc", "https://example.com/x"],
  ["https://example.com/@me", "https://example.com/@me"],
  ["https://example.com:8443/@me", "https://example.com:8443/@me"],
  ["https://user:pa/ss@example.com/x", "https://…@example.com/x"],
  ["https://user:pa#ss@example.com/x", "https://…@example.com/x"],
  ["https://user:p1?\npa@ss@example.com/?a=b", "https://…@example.com/?a=…"],
  ["wss://user@[::1]:80/?a=b", "wss://…@[::1]:80/?a=…"],
  ["http://user@not a host/?a=b\nc", "http://…@not a host/?a=…"],
])("shows %j as %j", (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
  if (URL.canParse(url)) expect(shownUrl(new URL(url))).toBe(shown);
});
