import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../cli/fake-io.ts";
import { root } from "../../docs/markdown.ts";

const bench = (...argv: string[]) =>
  spawnSync(process.execPath, [join(root, "tools", "bench.js"), ...argv], { encoding: "utf8" });

it("the bench can be bundled, since it imports only what is published, and refuses an unknown flag", () => {
  const { status, stderr } = bench("--nothing");
  expect(stderr).toMatch(/^Unknown option '--nothing'/);
  expect(status).not.toBe(0);
  // its servers with another build too
  expect(bench("--against", root, "--nothing").stderr).toMatch(/^Unknown option '--nothing'/);
});

it("a build without what the bench uses is refused in one line", () => {
  const checkout = tempFolder();
  const refused = bench("--against", checkout);
  expect(refused.stderr).toMatch(/^expected --against .* after npm run build, got .*\n$/);
  expect(refused.status).toBe(2);
  mkdirSync(join(checkout, "dist"));
  const code = "export const eventKinds = [], sign = 1;\n";
  for (const name of ["index", "inbox", "testing", "express", "node"])
    writeFileSync(join(checkout, "dist", `${name}.js`), code);
  writeFileSync(join(checkout, "package.json"), '{"type":"module"}');
  const { stderr, status } = bench("--against", checkout);
  expect(stderr).toMatch(/^expected --against .*\.js has no [a-zA-Z]+\n$/);
  expect(status).toBe(2);
});
