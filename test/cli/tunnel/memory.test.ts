import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { rememberedUrl, rememberUrl } from "../../../src/cli/tunnel/memory.ts";
import { root } from "../../docs/markdown.ts";
import { tempFolder } from "../fake-io.ts";

/**
 * Remembers address after address for one tunnel, and reports how many were not there afterwards.
 */
const WRITER = `
  const { workerData, parentPort } = require("node:worker_threads");
  const { file, cwd, name, started } = workerData;
  require("jiti").createJiti(file).import(file).then(({ rememberUrl, rememberedUrl }) => {
    if (Atomics.add(started, 0, 1) === 0) Atomics.wait(started, 0, 1);
    else Atomics.notify(started, 0);
    let lost = 0;
    for (let run = 0; run < 300; run++) {
      const url = \`https://\${run}.\${name}.example/\`;
      rememberUrl(cwd, name, url);
      if (rememberedUrl(cwd, name) !== url) lost++;
    }
    parentPort.postMessage(lost);
  });
`;

it("remembers the address of each tunnel, replaces it, and takes a damaged one for none", () => {
  const cwd = tempFolder();
  expect(rememberedUrl(cwd, "ngrok")).toBeUndefined();
  rememberUrl(cwd, "ngrok", "https://one.example/");
  rememberUrl(cwd, "ssh", "https://two.example/");
  rememberUrl(cwd, "ngrok", "https://three.example/");
  expect(["ngrok", "ssh"].map((name) => rememberedUrl(cwd, name))).toEqual([
    "https://three.example/",
    "https://two.example/",
  ]);
  const folder = join(cwd, ".hookporter", "tunnels");
  expect(readdirSync(folder).sort()).toEqual(["ngrok", "ssh"]);
  writeFileSync(join(folder, "ngrok"), "\0");
  expect(rememberedUrl(cwd, "ngrok")).toBeUndefined();
});

it("loses no address to another process that remembers one at the same time", async () => {
  const cwd = tempFolder();
  const file = join(root, "src", "cli", "tunnel", "memory.ts");
  const started = new Int32Array(new SharedArrayBuffer(4));
  const lost = ["ngrok", "ssh"].map(async (name) => {
    const [count] = await once(
      new Worker(WRITER, { eval: true, workerData: { file, cwd, name, started } }),
      "message",
    );
    return count;
  });
  expect(await Promise.all(lost)).toEqual([0, 0]);
});
