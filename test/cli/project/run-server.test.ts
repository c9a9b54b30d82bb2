import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";

const config = JSON.stringify(join(import.meta.dirname, "..", "..", "..", "dist", "config.js"));

/** Runs a program that has `runServer` and `readProject`. */
function program(text: string, env: Readonly<Record<string, string>> = {}) {
  const source = `import { runServer, readProject } from ${config};\n${text}`;
  const child: ChildProcess = spawn(process.execPath, ["--input-type=module", "-e", source], {
    env: { PATH: process.env.PATH, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const out = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (out.stdout += chunk));
  child.stderr?.on("data", (chunk) => (out.stderr += chunk));
  const ended = once(child, "close").then(([code, signal]) => ({ ...out, code, signal }));
  return { child, out, ended };
}

const STARTED =
  'setTimeout(() => console.log("started")); const timer = setInterval(() => {}, 1000);';

it("prints a port in use as one line with the fix, and ends with 1", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const { ended } = program(
    `import { createServer } from "node:net"; import { once } from "node:events";
     await runServer(async () => { await once(createServer().listen(${port}, "127.0.0.1"), "listening"); });`,
  );
  expect(await ended).toMatchObject({
    code: 1,
    stderr: `error: expected to listen on 127.0.0.1:${port}, got EADDRINUSE: another program uses it: stop that program, or set PORT to another port\n`,
  });
});

it.each([
  [
    "a port that is none",
    "readProject();",
    { HOOKPORTER_INBOX: "a.db", PORT: "abc" },
    /^error: expected PORT .*\n$/,
  ],
  [
    "a port of another server that is none",
    'const net = await import("node:net"); net.createServer().listen({ port: "abc" });',
    {},
    /^error: options\.port should be .*\n$/,
  ],
  [
    "a file that cannot be used",
    'const fs = await import("node:fs"); fs.mkdirSync("/dev/null/x");',
    {},
    /^error: could not use \/dev\/null.*\n$/,
  ],
])("prints %s as one line", async (_, text, env, line) => {
  const { code, stderr } = await program(`await runServer(async () => { ${text} });`, env).ended;
  expect([code, stderr]).toEqual([1, expect.stringMatching(line)]);
});

it("keeps the stack of an error that it does not know", async () => {
  const { code, stderr } = await program('await runServer(() => { throw new Error("mine"); });')
    .ended;
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: Error: mine\n +at /)]);
});

it("closes the server on SIGTERM, waits for it, and ends although a timer is left", async () => {
  const { child, ended } = program(`await runServer(() => { ${STARTED} return async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, 50)); console.log("closed by " + signal); }; });`);
  await once(child.stdout ?? child, "data");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, stdout: "started\nclosed by SIGTERM\n" });
});

it.each([
  ["SIGTERM", "SIGTERM"],
  ["SIGINT", "SIGINT"],
  ["SIGTERM", "SIGINT"],
  ["SIGINT", "SIGTERM"],
] as const)(
  "takes %s and a %s that follows at once for one, passed on by two ways, as npm and node --watch do",
  async (first, second) => {
    const { child, ended } = program(`await runServer(() => { ${STARTED} return async () => {
    console.log("closing"); await new Promise((resolve) => setTimeout(resolve, 200)); console.log("closed"); }; });`);
    await once(child.stdout ?? child, "data");
    child.kill(first);
    await once(child.stdout ?? child, "data");
    child.kill(second);
    expect(await ended).toMatchObject({ code: 0, stdout: "started\nclosing\nclosed\n" });
  },
);

it("ends at once on a second signal", async () => {
  const { child, ended } = program(
    `await runServer(() => { ${STARTED} return () => { console.log("closing"); return new Promise(() => {}); }; });`,
  );
  await once(child.stdout ?? child, "data");
  child.kill("SIGINT");
  await once(child.stdout ?? child, "data");
  await sleep(600);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ signal: "SIGINT" });
});

it("closes the server before the listeners of a framework, which end the process themselves", async () => {
  const { child, ended } =
    program(`process.on("SIGTERM", (signal) => { console.log("framework"); process.exit(143); });
    await runServer(() => { ${STARTED} return async () => {
      await new Promise((resolve) => setTimeout(resolve, 50)); console.log("closed"); }; });`);
  await once(child.stdout ?? child, "data");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 143, stdout: "started\nclosed\nframework\n" });
});

it("leaves the end of the process to an app that listens later, whose request in flight is answered", async () => {
  const { child, out, ended } = program(`
    import { createServer } from "node:http";
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    await runServer(() => async () => console.log("receiver closed"));
    const app = createServer(async (request, response) => { console.log("in flight"); await wait(400); response.end("done"); });
    await wait(10); // such as to connect to a database
    process.on("SIGTERM", async () => {
      app.close(async () => { await wait(100); console.log("flushed"); process.exit(3); });
    });
    app.listen(0, "127.0.0.1", () => console.log("port " + app.address().port));`);
  const port = await vi.waitFor(() => {
    const found = /^port (\d+)$/m.exec(out.stdout)?.[1];
    expect(found).toBeDefined();
    return found;
  }, 10_000);
  const answer = fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } });
  await vi.waitFor(() => expect(out.stdout).toContain("in flight"), 10_000);
  child.kill("SIGTERM");
  expect(await (await answer).text()).toBe("done");
  expect(await ended).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/in flight\nreceiver closed\nflushed\n$/),
  });
});

it("ends the process if what listened to the signal was removed before it, or listens to another signal", async () => {
  const { child, ended } = program(`
    await runServer(() => { ${STARTED} return () => console.log("closed"); });
    const gone = () => {};
    process.on("SIGTERM", gone).off("SIGTERM", gone).on("SIGINT", () => {});`);
  await once(child.stdout ?? child, "data");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, stdout: "started\nclosed\n" });
});

it("ends the process once all servers in it are closed", async () => {
  const { child, ended } = program(`
    await runServer(() => () => console.log("first closed"));
    await runServer(() => { ${STARTED} return () => console.log("second closed"); });`);
  await once(child.stdout ?? child, "data");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0, stdout: "started\nsecond closed\nfirst closed\n" });
});
