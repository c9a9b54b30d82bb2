import { expect, it } from "vitest";
import { shownTarget, shownUrl } from "../../../src/base/text/shown-url.ts";
import { processorTimeOf } from "../../processor-time.ts";

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

it("shows the beginning of a long target, and nothing of it if the rest may show that it is a password", () => {
  expect(shownTarget("/webhooks?code=abc")).toBe("/webhooks?code=…");
  expect(shownTarget(`/${"a".repeat(5000)}`)).toBe(`/${"a".repeat(1999)}…`);
  expect(shownTarget(`/w?code=${"a".repeat(5000)}`)).toBe("/w?code=…");
  expect(shownTarget(`https://user:${"a".repeat(5000)}@example.com/`)).toBe("https://…");
});

/** Milliseconds that count as no time. */
const LEAST = 10;

it.each([
  ["colons after a scheme", (size: number) => `x://${":".repeat(size)}`],
  ["colons and slashes after a scheme", (size: number) => `x://${":/".repeat(size / 2)}`],
  ["digits after a colon", (size: number) => `x://a:${"1".repeat(size)}`],
  ["ports after a scheme", (size: number) => `x://${":1".repeat(size / 2)}/`],
  ["at signs after a scheme", (size: number) => `x://${"@".repeat(size)}/`],
  ["opening brackets", (size: number) => `x://${"[".repeat(size)}`],
  ["a long scheme", (size: number) => "a".repeat(size)],
  ["question marks", (size: number) => `/${"?".repeat(size)}`],
  ["number signs", (size: number) => `/${"#\n".repeat(size / 2)}`],
  ["a query of equals signs", (size: number) => `/?${"=".repeat(size)}`],
  ["a query of many parameters", (size: number) => `/?${"a&".repeat(size / 2)}`],
])("shows a URL of twice the length in twice the time at most: %s", (_, make) => {
  const times = [16, 32, 64].map((kilobytes) => {
    const url = make(kilobytes * 1024);
    return Math.max(
      LEAST,
      processorTimeOf(() => shownUrl(url)),
    );
  });
  const [short = 0, longer = 0, longest = 0] = times;
  expect([longer / short, longest / longer].filter((ratio) => ratio > 3)).toEqual([]);
});
