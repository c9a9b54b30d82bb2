import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { childEnvironment } from "../../../src/cli/secrets/child-environment.ts";
import { decodeSecret } from "../../../src/cli/secrets/encoding.ts";
import { sign } from "../../../src/entries/index.ts";
import { openService } from "../../service/client/service.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { URL_1, withKey } from "../subscribe.ts";

/** Its base64 has a character of one alphabet alone and padding. */
const KEY = Buffer.from(`fbefbe${"c3".repeat(29)}`, "hex");
const PADDED = KEY.toString("base64");
const BODY = "Hello, World!";

it("another program gets no secret, in whatever case its variable is written, since Windows finds it in any", () => {
  const env = {
    PATH: "/bin",
    Hookporter_Secret: "a",
    HOOKPORTER_KEY: "b",
    Webhook_Secret: "c",
    ngrok_authtoken: "d",
  };
  expect(childEnvironment({ env }, { secretEnv: ["WEBHOOK_SECRET"] })).toEqual({ PATH: "/bin" });
});

describe("decodeSecret", () => {
  it.each([
    ["base64", PADDED],
    ["base64", PADDED.replace(/=+$/, "")],
    ["base64", KEY.toString("base64url")],
    ["base64", PADDED.replaceAll("+", "-").replaceAll("/", "_")],
    ["base64", `${PADDED}\r\n`],
    ["hex", KEY.toString("hex")],
    ["hex", KEY.toString("hex").toUpperCase()],
    ["hex", `${KEY.toString("hex")}\n`],
    ["whsec", `whsec_${PADDED}`],
    ["whsec", `whsec_${KEY.toString("base64url")}\n`],
  ] as const)("decodes %s: %j", (encoding, text) => {
    expect(decodeSecret(text, encoding, "KEY")).toEqual(KEY);
    expect(decodeSecret(text, "utf8", "KEY")).toBe(text); // line break included
  });

  it.each([
    ["base64", "canary*canary*canary"],
    ["base64", "canarycanary="],
    ["base64", "canarycanaryc"],
    ["base64", "canary+canary-canary"],
    ["base64", "canary canary"],
    ["base64", "whsec_canarycanary"],
    ["hex", "canarycanary"],
    ["hex", "abc"],
    ["hex", "whsec_abcd"],
    ["whsec", "canarycanary"],
    ["whsec", "WHSEC_canarycanary"],
    ["whsec", "whsec_canary*canary"],
  ] as const)("refuses as %s, without repeating it: %j", (encoding, text) => {
    const message = expect.stringMatching(/^expected KEY to (?!.*(?:canary|abc)).*, got .*: \w/);
    expect(() => decodeSecret(text, encoding, "KEY")).toThrow(
      expect.objectContaining({ code: "secret_invalid", message }),
    );
  });
});

describe("--secret-encoding", () => {
  const signature = sign(Buffer.from(BODY), KEY);
  const signed = `${signature}\n`;

  it.each([
    ["base64", PADDED],
    ["hex", KEY.toString("hex")],
    ["whsec", `whsec_${PADDED}`],
  ])("%s applies to standard input, the environment and the env file", async (encoding, text) => {
    const flag = ["--secret-encoding", encoding];
    const cwd = folderWith({ body: BODY });
    const piped = await runCli(["sign", "body", "--secret-stdin", ...flag], {
      cwd,
      stdin: `${text}\n`,
    });
    const env = { HOOKPORTER_SECRET: text };
    const fromEnv = await runCli(["sign", ...flag], { env, stdin: BODY });
    writeFileSync(join(cwd, ".env"), `HOOKPORTER_SECRET=${text}\n`);
    const fromFile = await runCli(["sign", "body", ...flag], { cwd });
    expect([piped.stdout, fromEnv.stdout, fromFile.stdout]).toEqual([signed, signed, signed]);
  });

  it("applies to each of several secrets, and the message names the one that does not fit", async () => {
    const secrets = ["--secret-env", "NEW,OLD", "--secret-encoding", "hex"];
    const argv = ["verify", "--signature", signature, ...secrets];
    const good = { NEW: randomBytes(32).toString("hex"), OLD: KEY.toString("hex") };
    expect((await runCli(argv, { env: good, stdin: BODY })).code).toBe(0);
    const run = await runCli(argv, { env: { ...good, OLD: "canary" }, stdin: BODY });
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("OLD");
    expect(run.stderr).not.toContain("canary");
  });

  it("does not apply to the development secret", async () => {
    const cwd = tempFolder();
    const created = await runCli(["listen", "--port", "0", "--timeout", "1ms", "--count", "1"], {
      cwd,
    });
    expect(created.code).toBe(6);
    const plain = await runCli(["sign"], { cwd, stdin: BODY });
    expect((await runCli(["sign", "--secret-encoding", "hex"], { cwd, stdin: BODY })).stdout).toBe(
      plain.stdout,
    );
  });

  /**
   * Each row: the text, its encoding here, the key on the signing side, and the code of the
   * diagnosis.
   */
  const hex = KEY.toString("hex");
  it.each([
    [PADDED, "utf8", KEY, "secret_base64"],
    [hex, "utf8", KEY, "secret_hex"],
    [PADDED, "base64", PADDED, "secret_base64"],
    [hex, "base64", KEY, "secret_base64"],
    [`whsec_${PADDED}`, "whsec", `whsec_${PADDED}`, "secret_base64"],
  ])("verify names the encoding if %s as %s is wrong", async (text, encoding, key, code) => {
    const argv = ["verify", "--json", "--secret-encoding", encoding];
    const header = ["--signature", sign(Buffer.from(BODY), key)];
    const run = await runCli([...argv, ...header], {
      env: { HOOKPORTER_SECRET: text },
      stdin: BODY,
    });
    expect(run.code).toBe(4);
    expect(run.records).toMatchObject([{ valid: false, cause: code }]);
  });

  it("verify decodes the other secrets that are set here too, and leaves out the settings", async () => {
    const argv = ["verify", "--json", "--secret-encoding", "hex", "--signature", signature];
    const env = {
      HOOKPORTER_SECRET: randomBytes(32).toString("hex"),
      OTHER_SECRET: KEY.toString("hex"),
    };
    const run = await runCli(argv, { env, stdin: BODY });
    expect(run.records).toMatchObject([{ cause: "secret_other" }]);
    expect(run.stdout).toContain("OTHER_SECRET");
  });

  it("verify names the API key if it was used as the secret", async () => {
    const argv = ["verify", "--json", "--signature", sign(Buffer.from(BODY), "sk_test_0123456789")];
    const env = {
      HOOKPORTER_SECRET: "a-secret-0123456789",
      HOOKPORTER_API_KEY: "sk_test_0123456789",
    };
    const run = await runCli(argv, { env, stdin: BODY });
    expect(run.records).toMatchObject([{ cause: "secret_other" }]);
    expect(run.stdout).toContain("HOOKPORTER_API_KEY");
    expect(run.stdout).not.toContain("sk_test");
  });
});

describe("a secret on standard input that is not UTF-8", () => {
  it.each([KEY, Buffer.concat([KEY, Buffer.from("\n")])])(
    "is used to the last byte",
    async (key) => {
      const cwd = folderWith({ body: BODY });
      const signed = await runCli(["sign", "body", "--secret-stdin"], { cwd, stdin: key });
      expect(signed.stdout).toBe(`${sign(Buffer.from(BODY), key)}\n`);
      expect(signed.stderr.includes("line break")).toBe(key !== KEY);
      const argv = ["verify", "body", "--secret-stdin", "--signature", signed.stdout.trim()];
      expect((await runCli(argv, { cwd, stdin: key })).code).toBe(0);
    },
  );

  it("is refused with an encoding other than utf8, and not sent to the service, which takes a string", async () => {
    const cwd = folderWith({ body: BODY });
    const hex = ["sign", "body", "--secret-stdin", "--secret-encoding", "hex", "--json"];
    const refused = await runCli(hex, { cwd, stdin: KEY });
    expect(refused.code).toBe(3);
    expect(refused.records).toMatchObject([{ type: "error", code: "secret_invalid" }]);
    const service = await openService();
    const argv = ["subscribe", URL_1, "--base-url", service.url, "--secret-stdin", "--json"];
    const run = await runCli(argv, { env: withKey, stdin: KEY });
    expect(run.records).toMatchObject([{ type: "error", code: "secret_invalid" }]);
    expect(service.requests).toEqual([]);
  });
});
