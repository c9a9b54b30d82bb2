import { describe, expect, it } from "vitest";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const BODY = '{"event":"payment.received"}';

describe("verify with a secret that its env file does not give as it is written there", () => {
  it.each([
    ["cut at #", "HOOKPORTER_SECRET=a-long#secret-0123", "a-long#secret-0123", "secret_cut"],
    [
      "quotes that do not end",
      'HOOKPORTER_SECRET="a-long-secret-0123\nA=b"\n',
      "a-long-secret-0123",
      "secret_",
    ],
    [
      "wrapped in two lines",
      "HOOKPORTER_SECRET=a-long-sec\nret-0123\n",
      "a-long-secret-0123",
      "secret_cut",
    ],
    [
      "an earlier value",
      "HOOKPORTER_SECRET=a-long-secret-1\nHOOKPORTER_SECRET=b-long-secret-2",
      "a-long-secret-1",
      "secret_other",
    ],
    [
      "curly quotes",
      "HOOKPORTER_SECRET=“a-long-secret-0123”",
      "a-long-secret-0123",
      "secret_quotes",
    ],
    [
      "an invisible space",
      "HOOKPORTER_SECRET=a-long-secret-0123\u200b",
      "a-long-secret-0123",
      "secret_whitespace",
    ],
    [
      "a reference",
      `KEY=a-long-secret-0123\nHOOKPORTER_SECRET=\${KEY}`,
      "a-long-secret-0123",
      "secret_encoded",
    ],
    ["a semicolon", "HOOKPORTER_SECRET=a-long-secret-0123;", "a-long-secret-0123", "secret_name"],
    [
      "a prefix of the signature",
      "HOOKPORTER_SECRET=sha256=a-long-secret-0123",
      "a-long-secret-0123",
      "secret_name",
    ],
    ["escaped", "HOOKPORTER_SECRET=a-long\\$ecret-0123", "a-long$ecret-0123", "secret_encoded"],
    [
      "a comment without quotes",
      "HOOKPORTER_SECRET='a-long-secret-0123 # old'",
      "a-long-secret-0123",
      "secret_name",
    ],
    [
      "quotes in quotes",
      `HOOKPORTER_SECRET='"a-long-secret-0123"'`,
      "a-long-secret-0123",
      "secret_quotes",
    ],
  ])("proves %s, and blames this side", async (_, file, secret, code) => {
    const cwd = folderWith({ ".env": file, "body.json": BODY });
    const argv = ["verify", "body.json", "--signature", signed(BODY, secret), "--json"];
    const { records, stdout } = await runCli(argv, { cwd, env: {} });
    expect(records).toMatchObject([{ valid: false, cause: expect.stringContaining(code) }]);
    expect(stdout).not.toContain("on the signing side");
    expect(stdout).not.toContain(secret);
  });
});
