import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..");
const bench = (...argv: string[]) =>
  spawnSync(process.execPath, [join(root, "tools", "bench.js"), ...argv], { encoding: "utf8" });

it("the bench can be bundled, since it imports only what is published, and refuses an unknown flag", () => {
  const { status, stderr } = bench("--nothing");
  expect(stderr).toMatch(/^Unknown option '--nothing'/);
  expect(status).not.toBe(0);
});

it("its servers can be bundled with another build too", () => {
  expect(bench("--against", root, "--nothing").stderr).toMatch(/^Unknown option '--nothing'/);
});

it("a build without what the bench uses is refused in one line", () => {
  const checkout = mkdtempSync(join(tmpdir(), "hookporter-before-"));
  onTestFinished(() => rmSync(checkout, { recursive: true }));
  const refused = bench("--against", checkout);
  expect(refused.stderr).toMatch(/^expected --against .* after npm run build, got .*\n$/);
  expect(refused.status).toBe(2);
  mkdirSync(join(checkout, "dist"));
  for (const name of ["index", "inbox", "testing", "express", "node"]) {
    writeFileSync(
      join(checkout, "dist", `${name}.js`),
      "export const eventKinds = [], sign = 1;\n",
    );
  }
  writeFileSync(join(checkout, "package.json"), '{"type":"module"}');
  const { stderr, status } = bench("--against", checkout);
  expect(stderr).toMatch(/^expected --against .*\.js has no [a-zA-Z]+\n$/);
  expect(status).toBe(2);
});
