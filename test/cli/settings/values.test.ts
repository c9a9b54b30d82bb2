import { expect, it } from "vitest";
import {
  readDomain,
  readDuration,
  readDurationRange,
  readEndpoint,
  readMoment,
  readPath,
  readPublicUrl,
  readRate,
  readTarget,
  readTimeout,
} from "../../../src/cli/settings/values.ts";

it.each([
  ["500ms", 500],
  ["60s", 60_000],
  ["1.5s", 1500],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["7d", 604_800_000],
  ["3", 3000],
  ["1000000d", 8.64e13],
])("the duration %s is read", (text, milliseconds) =>
  expect(readDuration(text)).toBe(milliseconds),
);

it("a duration that is none is refused, and one that no timer waits for if it is a wait", () => {
  for (const text of ["", "s", "-1s", "1 s", "1w", "1e3", "1000001d", `${"9".repeat(400)}s`])
    expect(() => readDuration(text), text).toThrow("duration");
  for (const text of ["0s", "0.1ms", "25d", "x"])
    expect(() => readTimeout(text), text).toThrow("duration");
});

it("a rate is refused if a timer cannot wait for the next one", () => {
  expect(readRate("0.000001")).toBe(0.000_001);
  for (const text of ["0", "0.0000001", "-1", "200000", ""])
    expect(() => readRate(text)).toThrow("per second");
});

it("a range uses the unit of its end", () => {
  expect(readDurationRange("0..2s")).toEqual([0, 2000]);
  expect(readDurationRange("100..500ms")).toEqual([100, 500]);
  expect(readDurationRange("1s..2m")).toEqual([1000, 120_000]);
  expect(readDurationRange("250ms")).toEqual([250, 250]);
  expect(() => readDurationRange("1s..2s..3s")).toThrow("range");
  expect(() => readDurationRange("0..30d")).toThrow("24d"); // a timer would fire at once
});

it.each([
  ["3000", "http://127.0.0.1:3000/"],
  ["3000/hooks", "http://127.0.0.1:3000/hooks"],
  ["localhost:3000", "http://localhost:3000/"],
  ["https://app.test/in?x=1", "https://app.test/in?x=1"],
])("the target %s is read", (text, url) => expect(readTarget(text).href).toBe(url));

it("what is no target is refused, and a bare port is an endpoint on this machine", () => {
  for (const text of [
    "http://user:pass@host/",
    "ftp://host",
    "http://",
    "javascript:alert(1)",
    "99999",
  ])
    expect(() => readTarget(text), text).toThrow("http");
  expect(readEndpoint("4400").href).toBe("http://127.0.0.1:4400/webhooks");
});

it("a path is read as senders write it", () => {
  expect(["/webhooks", "/w\u00e9bhooks", "/a/%41/", "/a/../b"].map(readPath)).toEqual([
    "/webhooks",
    "/w%C3%A9bhooks",
    "/a/%41/",
    "/b",
  ]);
  for (const text of ["webhooks", "//evil", "/a b", "/a?b", "/a#b", ""])
    expect(() => readPath(text), text).toThrow("slash");
});

it("a moment is a date or a time ago", () => {
  expect(readMoment("2h", 10_000_000)).toBe(2_800_000);
  expect(readMoment("2026-01-31T12:00:00Z")).toBe(Date.UTC(2026, 0, 31, 12));
  expect(() => readMoment("yesterday")).toThrow("date");
  // `Date` takes them for a day in March, up to which more would be erased.
  for (const day of ["2026-02-29", "2026-02-31T12:00:00Z", "2026-13-01"])
    expect(() => readMoment(day)).toThrow("date");
});

it("a domain is read, with or without a scheme", () => {
  const domain = "mine.ngrok-free.app";
  for (const text of [domain, "https://Mine.ngrok-free.app", `http://${domain}/`])
    expect(readDomain(text)).toBe(domain);
  for (const text of ["", "mine", `${domain}/path`, `${domain}:443`, "a b.c", "https://"])
    expect(() => readDomain(text), text).toThrow("domain");
});

it("a public address is read, but not one with more than an address", () => {
  expect(readPublicUrl("https://kept.test").href).toBe("https://kept.test/");
  expect(readPublicUrl("https://kept.test/in").href).toBe("https://kept.test/in");
  const wrong = ["kept.test", "3000", "ftp://kept.test", "https://me@kept.test"];
  for (const text of wrong.concat("https://kept.test/#x"))
    expect(() => readPublicUrl(text), text).toThrow("http");
});
