import { expect, it } from "vitest";
import { readPublicUrl } from "../../src/tunnel/public-url.ts";

it.each([
  ["https://x.example.com", "https://x.example.com"],
  ["HTTPS://X.Example.com/", "https://x.example.com"],
  ["http://bore.example.com:4021", "http://bore.example.com:4021"],
  ["https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"],
])("%s is read", (text, url) => {
  expect(readPublicUrl(text)).toBe(url);
});

it.each([
  "",
  "x.example.com",
  "ftp://x.example.com",
  "https://",
  "https://user:word@x.example.com",
  "https://x.example.com@evil.example.com",
  "https://x.example.com/dashboard",
  "https://x.example.com?token=1",
  "https://x.example.com#top",
  "https://x.example.com\\evil.example.com",
  "https://x.example.com evil",
  "https://x.example.com:99999",
  "javascript:alert(1)",
])("%j is not an address", (text) => {
  expect(readPublicUrl(text)).toBeUndefined();
});
