import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";

const env = { HOOKPORTER_SECRET: "a secret that is long enough" };

it("flags that do not fit each other are refused before anything is read", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "h.mjs"), "export default { 'deal.status_changed': () => {} };");
  const refused = [
    ...[
      "--handlers h.mjs",
      "--duplicate 2",
      "--drop 10%",
      "--tamper body",
      "--no-signature",
      "--dry-run",
    ].map((flags) => [
      "--resume",
      flags,
      "it sends what an earlier run has left, once and unchanged",
    ]),
    ["--exact", "--stale 1d", "--exact sends the saved bytes, including their timestamp"],
    ["--exact", "--future 1d", "--exact sends the saved bytes, including their timestamp"],
    ["--handlers h.mjs", "--rate 1", "with --handlers nothing is sent"],
    ["--handlers h.mjs", "--url 3000", "with --handlers nothing is sent"],
  ];
  for (const [first = "", second = "", why = ""] of refused) {
    const run = await runCli(["replay", "none.json", ...first.split(" "), ...second.split(" ")], {
      cwd,
      env,
    });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(why)]);
  }
});

it("a URL in settings does not hinder handlers", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "h.mjs"), "export default { 'deal.status_changed': () => {} };");
  const settings = { ...env, HOOKPORTER_URL: "http://127.0.0.1:9/" };
  const run = await runCli(["replay", "none.json", "--handlers", "h.mjs"], { cwd, env: settings });
  expect(run.stderr).toContain("none.json: no such file");
});
