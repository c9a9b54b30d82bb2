import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/entries/client.ts";
import { runCli } from "../cli/fake-io.ts";
import { listeningForPeople } from "../cli/open-listen.ts";
import { until } from "../receiver/sample.ts";
import { SECRET } from "./sample.ts";

const NOBODY = 65534;
const hasBoth = await new Promise<boolean>((resolve) => {
  const server = createServer().once("error", () => resolve(false));
  server.listen(0, "::1", () => server.close(() => resolve(true)));
});
/** Another user may be unable to run Node where it is installed. */
const isRunByOther = () =>
  spawnSync(process.execPath, ["--version"], { uid: NOBODY, gid: NOBODY }).status === 0;
const isPossible =
  hasBoth && process.platform === "linux" && process.getuid?.() === 0 && isRunByOther();
if (!isPossible)
  process.stdout.write(
    "\nskipped: programs of two users need Linux, root, ::1, and a Node that every user may run\n",
  );

/** Prints its port, then a line for each request. It is no file, which the user need not read. */
const APP = `
  import { createServer } from "node:http";
  const [address, port] = process.argv.slice(1);
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      console.log(request.method + " " + request.url);
      response.end("ok");
    });
  });
  server.listen(Number(port), address, () => console.log(server.address().port));
`;

const env = { HOOKPORTER_SECRET: SECRET };

/** Starts a program of a user that records its requests; it ends with the test. */
async function startApp(address: string, port: number, user?: number) {
  const own = user === undefined ? {} : { uid: user, gid: user };
  const source = ["--input-type=module", "-e", APP, address, String(port)];
  const child = spawn(process.execPath, source, { ...own, stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  const [first] = await once(reader, "line");
  reader.on("line", (line) => lines.push(line));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(stop);
  return { port: Number(first), got: lines, stop };
}

const problem = (port: number, away = "") =>
  `expected one program at localhost:${port}, got one of user root at 127.0.0.1${away} and one of user nobody at [::1]: name 127.0.0.1:${port} or [::1]:${port}`;

describe.skipIf(!isPossible)("programs of two users at one name", () => {
  it.each([
    ["trigger", (to: string) => ["trigger", "lead.created", "--url", to]],
    ["check", (to: string) => ["check", to, "--only", "KIND"]],
  ])("get nothing of %s until one is named", async (_name, argvOf) => {
    const mine = await startApp("127.0.0.1", 0);
    const other = await startApp("::1", mine.port, NOBODY);
    const refused = await runCli(argvOf(`localhost:${mine.port}/in`), { env });
    expect(refused.stderr).toContain(`http://localhost:${mine.port}: ${problem(mine.port)}`);
    expect([refused.code, mine.got, other.got]).toEqual([5, [], []]);
    await runCli(argvOf(`127.0.0.1:${mine.port}/in`), { env });
    await until(() => expect(mine.got.length).toBeGreaterThan(0));
    expect(other.got).toEqual([]);
  });

  it("get no key of the client", async () => {
    const mine = await startApp("127.0.0.1", 0);
    const other = await startApp("::1", mine.port, NOBODY);
    const baseUrl = `http://localhost:${mine.port}`;
    const client = createClient({ baseUrl, apiKey: "sk_test_1", retry: { attempts: 1 } });
    await expect(client.properties.list()).rejects.toThrow(problem(mine.port));
    expect([mine.got, other.got]).toEqual([[], []]);
  });

  it("get no event of listen, which warns, and forwards what waits once one is gone", async () => {
    const mine = await startApp("127.0.0.1", 0);
    const other = await startApp("::1", mine.port, NOBODY);
    const target = `localhost:${mine.port}/in`;
    const { trigger, shows, says } = await listeningForPeople([
      "--no-inspect",
      "--forward-to",
      target,
    ]);
    await says(`warning: ${problem(mine.port)}`);
    await trigger("lead.created", "--count", "2");
    await shows(`http://${target} is away: ${problem(mine.port)}`);
    expect([mine.got, other.got]).toEqual([[], []]);
    await other.stop();
    await shows(`http://${target} is back`);
    await until(() => expect(mine.got).toEqual(["POST /in", "POST /in"]));
  });

  it("get nothing when the one that took the events goes away, until it is back", async () => {
    const mine = await startApp("127.0.0.1", 0);
    const target = `localhost:${mine.port}/in`;
    const { trigger, shows } = await listeningForPeople(["--no-inspect", "--forward-to", target]);
    await trigger("lead.created");
    await shows("handled");
    const other = await startApp("::1", mine.port, NOBODY);
    await trigger("lead.created");
    await until(() => expect(mine.got).toEqual(["POST /in", "POST /in"]));
    await mine.stop();
    await trigger("lead.created");
    await shows(`http://${target} is away: ${problem(mine.port, ", which is away")}`);
    await other.stop();
    const again = await startApp("127.0.0.1", mine.port);
    await until(() => expect(again.got).toEqual(["POST /in"]));
    expect(other.got).toEqual([]);
  });
});

it.skipIf(!hasBoth)(
  "programs of one user at one name: the first gets all, then the other",
  async () => {
    const first = await startApp("127.0.0.1", 0);
    const second = await startApp("::1", first.port);
    const send = () =>
      runCli(["trigger", "lead.created", "--url", `localhost:${first.port}/in`], { env });
    for (const _ of [1, 2]) expect((await send()).code).toBe(0);
    await first.stop();
    for (const _ of [1, 2]) expect((await send()).code).toBe(0);
    const back = await startApp("127.0.0.1", first.port);
    expect((await send()).code).toBe(0);
    const counts = () => [first.got.length, second.got.length, back.got.length];
    await until(() => expect(counts()).toEqual([2, 3, 0]));
  },
);
