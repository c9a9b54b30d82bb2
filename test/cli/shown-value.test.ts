import { expect, it } from "vitest";
import { hideGiven } from "../../src/cli/hide-given.ts";
import type { Io } from "../../src/cli/io.ts";
import { printable } from "../../src/cli/output.ts";
import { looksLikeKey, shownValue, shownVariable } from "../../src/cli/shown-value.ts";
import { SECRETS } from "./secret-forms.ts";

const [WHSEC] = SECRETS;
const cwd = import.meta.dirname;

it.each([
  "99999",
  "carrier-pigeon",
  "payment.recieved",
  "deal.status_chnged",
  "fixtures/2026-01-31",
  "10..20ms",
  "evt_0123456789abcdef",
  "wh_0123456789abcdef",
  "MY_SECRET",
  "missing-file.json",
  "http://127.0.0.1:1/x",
  cwd,
  `${cwd}/AbC123dEf456`,
  "../cli",
  "SIG-99",
])("a message shows the value %s", (text) => {
  expect(shownValue(text, cwd)).toBe(text);
});

it.each([
  ...SECRETS,
  "whsec_canary",
  "my-secret-value",
  "hunter2pass",
  "user@example",
  "/n4bQgYhMfWWaLqgxVrQFaO",
  "a b\tc d e f",
])("a message hides the value %s", (text) => {
  expect(shownValue(text, cwd)).toBe(`[${text.length} characters, hidden]`);
});

it("a message shows a URL without user name, password, query values and fragment", () => {
  expect(shownValue("https://user:pass@example.com/x?key=value&more=1#top", cwd)).toBe(
    "https://…@example.com/x?key=…&more=…",
  );
  expect(shownValue(`https://${WHSEC}/`, cwd)).toContain("hidden");
});

it("a message shows the name of a variable, but not what cannot be one", () => {
  for (const name of ["HOOKPORTER_SECRET", "SECRET", "S3_KEY_2", "MY_KEY2"])
    expect(shownVariable(name)).toBe(name);
  const others = ["my_secret", "Secret", "DEADBEEFDEADBEEF", "_X", "A__B", "A1B2"];
  for (const name of [...SECRETS, ...others]) expect(shownVariable(name)).toContain("hidden");
});

it("what looks like a key is no name of a header or a host", () => {
  for (const secret of SECRETS)
    if (!secret.includes("+")) expect(looksLikeKey(secret), secret).toBe(true);
  for (const name of [
    "x-service-signature",
    "X-Hub-Signature-256",
    "X-Gitlab-Token",
    "0a1b2c3d4e5f",
    "hooks.example.com",
    "com",
  ])
    expect(looksLikeKey(name), name).toBe(false);
});

it("what was given is hidden in a message in another case, and everything else is left alone", () => {
  const given = { argv: ["--signature-header", "X9A8B7C6D5E4F3"], configured: [] };
  expect(hideGiven("no header x9a8b7c6d5e4f3 in x9", given, { env: {}, cwd: "/" } as Io)).toBe(
    "no header [14 characters, hidden] in x9",
  );
});

it("control characters, escape sequences and direction marks are escaped, and long texts truncated", () => {
  expect(printable("a\u001b[31mb\u0007\r\n\u202e\u0000\ud800")).toBe(
    "a\\u001b[31mb\\u0007\\u000d\\u000a\\u202e\\u0000\\ud800",
  );
  expect(printable("é".repeat(300), 10)).toBe(`${"é".repeat(10)}…`);
  expect(printable("rue de l'Église, 🏠")).toBe("rue de l'Église, 🏠");
});
