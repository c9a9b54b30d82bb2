import { describe, expect, it } from "vitest";
import { looksLikeKey, shownValue, shownVariable } from "../../src/cli/shown-value.ts";
import { SECRETS } from "./secret-forms.ts";

const [WHSEC] = SECRETS;

describe("shownValue", () => {
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
    "--secret-env",
    "SIG-99",
  ])("shows %s", (text) => {
    if (text.startsWith("--")) return;
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
  ])("hides %s", (text) => {
    expect(shownValue(text, cwd)).toBe(`[${text.length} characters, hidden]`);
  });

  it("shows a URL without user name, password, query values and fragment", () => {
    expect(shownValue("https://user:pass@example.com/x?key=value&more=1#top", cwd)).toBe(
      "https://…@example.com/x?key=…&more=…",
    );
    expect(shownValue(`https://${WHSEC}/`, cwd)).toContain("hidden");
  });
});

describe("shownVariable", () => {
  it.each(["HOOKPORTER_SECRET", "SECRET", "S3_KEY_2", "MY_KEY2"])("shows %s", (name) => {
    expect(shownVariable(name)).toBe(name);
  });

  it.each([...SECRETS, "my_secret", "Secret", "DEADBEEFDEADBEEF", "_X", "A__B", "A1B2"])(
    "hides %s",
    (name) => {
      expect(shownVariable(name)).toContain("hidden");
    },
  );
});

describe("looksLikeKey", () => {
  it.each(SECRETS.filter((secret) => !/[+]/.test(secret)))("finds %s", (secret) => {
    expect(looksLikeKey(secret)).toBe(true);
  });

  it.each([
    "x-service-signature",
    "X-Hub-Signature-256",
    "X-Gitlab-Token",
    "0a1b2c3d4e5f",
    "hooks.example.com",
    "com",
  ])("lets %s be a name", (name) => {
    expect(looksLikeKey(name)).toBe(false);
  });
});
