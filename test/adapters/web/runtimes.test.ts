import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { tempFolder } from "../../cli/fake-io.ts";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { run, skip } from "../../strangers/programs.ts";

const BUILT = new URL("../../../dist/verify.js", import.meta.url);
const SECRET = "a-secret-for-every-runtime";
const BODY =
  '{"event":"payment.received","timestamp":"2026-01-01T00:00:00.000Z","data":{"b":1e2,"a":1234567890123456789},"webhook":{"id":"wh_1","url":"u"}}';
const SIGNATURE = `sha256=${createHmac("sha256", SECRET).update(BODY).digest("hex")}`;
const ID = "evt_1_13785ce209598dbe8000c9fa580a3db937180022";

/** A folder with the built file and a worker or script beside it. */
function folderWith(name: string, code: string): string {
  const folder = tempFolder();
  copyFileSync(BUILT, join(folder, "verify.mjs"));
  writeFileSync(join(folder, name), code);
  return folder;
}

const SCRIPT = `
import { verify } from "./verify.mjs";
const options = { secret: ${JSON.stringify(SECRET)} };
const body = new TextEncoder().encode(${JSON.stringify(BODY)});
const good = await verify(body, new Headers({ "X-Service-Signature": "${SIGNATURE}" }), options);
const bad = await verify(body, "sha256=" + "0".repeat(64), options);
console.log(good.event.id, bad.status);
`;

it.for([
  ["node", process.execPath, []],
  ["bun", "bun", []],
  ["deno", "deno", ["run", "--allow-read"]],
] as const)("hookporter/verify runs on %s", async ([name, program, flags], context) => {
  if (spawnSync(program, ["--version"]).status !== 0) skip(context, name);
  const folder = folderWith("script.mjs", SCRIPT);
  const { stdout, stderr } = await run(program, [...flags, join(folder, "script.mjs")]);
  expect(stderr).toBe("");
  expect(stdout).toBe(`${ID} 401\n`);
});

const WORKER = `
import { verify } from "./verify.mjs";
const options = { secret: ${JSON.stringify(SECRET)} };
export default {
  async fetch(request) {
    const delivery = await verify(await request.arrayBuffer(), request.headers, options);
    return new Response(delivery.ok ? delivery.event.id : delivery.reason, { status: delivery.status });
  },
};
`;

it("hookporter/verify runs on workerd, over several requests", async (context) => {
  if (spawnSync("workerd", ["--version"]).status !== 0) skip(context, "workerd");
  const port = await closedPort();
  const folder = folderWith("worker.mjs", WORKER);
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.mjs", esModule = embed "worker.mjs"), (name = "verify.mjs", esModule = embed "verify.mjs")],
    compatibilityDate = "2024-01-01"))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);`;
  writeFileSync(join(folder, "config.capnp"), config);
  const worker = spawn("workerd", ["serve", join(folder, "config.capnp")], { stdio: "inherit" });
  onTestFinished(() => void worker.kill());
  const send = (signature: string) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: BODY,
      headers: { "x-service-signature": signature },
    });
  const first = await vi.waitFor(() => send(SIGNATURE), 10_000);
  expect([first.status, await first.text()]).toEqual([200, ID]);
  const second = await send(`sha256=${"0".repeat(64)}`);
  expect([second.status, await second.text()]).toEqual([401, "signature_mismatch"]);
});
