import { expect, it } from "vitest";
import { targetUrl } from "../../src/relay/target-url.ts";

it.each([
  ["3000", "http://127.0.0.1:3000/"],
  ["3000/webhooks", "http://127.0.0.1:3000/webhooks"],
  ["3000?key=1", "http://127.0.0.1:3000/?key=1"],
  ["localhost:8080/in", "http://localhost:8080/in"],
  ["https://app.example/in?x=1", "https://app.example/in?x=1"],
])("%j is read", (text, href) => {
  expect(targetUrl(text)?.href).toBe(href);
});

it.each([
  "",
  "ftp://127.0.0.1/",
  "file:///etc/passwd",
  "http://user@127.0.0.1/",
  "http://",
  "http://a b/",
])("%j is refused", (text) => {
  expect(targetUrl(text)).toBeUndefined();
});
