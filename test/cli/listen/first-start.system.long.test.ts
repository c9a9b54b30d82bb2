import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { seededRandom } from "../../../src/relay/random.ts";
import { root } from "../../docs/markdown.ts";
import { long } from "../../long.ts";
import { tempFolder } from "../fake-io.ts";

const LISTEN = [join(root, "dist", "bin.js"), "listen", "--port", "0", "--no-inspect"];

/** Starts `listen` in a folder and ends it once it is ready, or with the signal after a while. */
function listen(cwd: string) {
  const env = { PATH: process.env.PATH, HOME: cwd };
  return spawn(process.execPath, LISTEN, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
}

it("`listen` starts in a folder in which its first start was killed", async () => {
  const random = seededRandom(11);
  for (let kill = 0; kill < long(5, 60); kill++) {
    const folder = tempFolder();
    const first = listen(folder);
    await sleep(100 + random() * 500);
    first.kill("SIGKILL");
    await once(first, "close");
    const timeout = ["--timeout", "1ms", "--count", "1"];
    const env = { PATH: process.env.PATH, HOME: folder };
    const next = spawnSync(process.execPath, [...LISTEN, ...timeout], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect(next.stderr).toContain("Endpoint");
    expect(next.status).toBe(6);
  }
}, 300_000);

it("two `listen` that start at the same time in a new folder both start, with one secret", async () => {
  const folder = tempFolder();
  const both = [listen(folder), listen(folder)];
  let others = 0;
  const fingerprints = await Promise.all(
    both.map(async (child) => {
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
      for (const end = Date.now() + 20_000; !said.includes("trigger") && Date.now() < end; )
        await sleep(20);
      if (/trigger payment\.received --url http/.test(said)) others++;
      return /fingerprint ([0-9a-f]{8})/.exec(said)?.[1];
    }),
  );
  expect(fingerprints[0]).toMatch(/^[0-9a-f]{8}$/);
  expect(fingerprints[1]).toBe(fingerprints[0]);
  for (const child of both) child.kill("SIGKILL");
  expect(others).toBe(1); // `trigger` alone reaches the other one
});
