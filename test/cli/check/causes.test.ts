import { expect, it } from "vitest";
import { refusing, reSerialiser } from "../../check/receivers/refusing.ts";
import { SECRET } from "../../check/receivers/under-test.ts";
import { runCli } from "../fake-io.ts";

const base64 = Buffer.from(SECRET).toString("base64");

/** Everything that is printed by a run in this format. */
async function printed(url: URL, secret: string, ...flags: string[]): Promise<string> {
  const env = { HOOKPORTER_SECRET: secret };
  const { code, stdout, stderr } = await runCli(["check", url.href, "--only", "SIG-01", ...flags], {
    env,
  });
  expect(code).toBe(1);
  return stdout + stderr;
}

it.each(["pretty", "json", "junit", "github", "markdown"])(
  "the %s report names the encoding that the receiver uses, and never the secret",
  async (format) => {
    const { url } = await refusing({ key: SECRET });
    const text = await printed(url, base64, "--format", format);
    expect(text.replaceAll("\\", "")).toMatch(
      /secret as base64.*decoded in the receiver.*HOOKPORTER_SECRET_ENCODING=base64/s,
    );
    for (const secret of [SECRET, base64]) expect(text).not.toContain(secret);
  },
);

it("with the encoding that was named, the receiver passes", async () => {
  const { url } = await refusing({ key: SECRET });
  const flags = ["--secret-encoding", "base64", "--only", "KIND"];
  const run = await runCli(["check", url.href, ...flags], { env: { HOOKPORTER_SECRET: base64 } });
  expect(run.code).toBe(0);
});

it("a cause with long names is printed whole, with the fix", async () => {
  const { url } = await reSerialiser("php");
  const text = await printed(url, SECRET);
  expect(
    text.match(/as PHP's `json_encode`.* prints it.*file_get_contents\("php:\/\/input"\)/g),
  ).toHaveLength(2);
});
