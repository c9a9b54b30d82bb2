import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, vi } from "vitest";
import { type FakeIoOptions, runCli, startCli, tempFolder } from "./fake-io.ts";

/** Generous for a busy machine. */
const WAIT = { timeout: 40_000, interval: 10 };

/**
 * Starts a command that keeps running, with `--json`, and waits for its first record of a type; it
 * ends with the test.
 */
export async function started(argv: readonly string[], type: string, given: FakeIoOptions = {}) {
  const command = startCli([...argv, "--json"], given);
  const stop = async () => {
    command.signal("SIGINT");
    return command.finished;
  };
  onTestFinished(async () => void (await stop()));
  const records = (of: string) => command.now().records.filter((record) => record.type === of);
  /** The first record of a type, once there are this many. */
  const printed = (of: string, least = 1) =>
    vi.waitFor(() => {
      const found = records(of);
      if (found.length < least) throw new Error(`no ${of}: ${command.now().stderr}`);
      return found[0] ?? {};
    }, WAIT);
  return { ...command, stop, records, printed, first: await printed(type) };
}

/**
 * Starts `listen` on a free port and waits until it is ready; it ends with the test. `trigger`
 * sends it events, `until` waits for records, `said` for its messages, and `api` asks its page.
 */
export async function listening(
  argv: readonly string[] = [],
  cwd = tempFolder(),
  env: Readonly<Record<string, string>> = {},
) {
  const listen = await started(["listen", "--port", "0", ...argv], "ready", { cwd, env });
  const { first: ready, records } = listen;
  const url = String(ready.url);
  const trigger = (...words: readonly string[]) =>
    runCli(["trigger", ...words, "--url", url], { cwd, env });
  /** Its records of a type, once there are this many or the latest ones match these. */
  const until = (type: string, wanted: number | readonly object[] = 1) =>
    vi.waitFor(() => {
      const found = records(type);
      if (typeof wanted === "number") expect(found, listen.now().stderr).toHaveLength(wanted);
      else expect(found.slice(-wanted.length), listen.now().stderr).toMatchObject(wanted);
      return found;
    }, WAIT);
  const said = (text: string | RegExp) =>
    vi.waitFor(() => expect(listen.now().stderr).toMatch(text), WAIT);
  const entries = async () => (await runCli(["events", "list", "--json"], { cwd })).records;
  /** What the API of its page answers. */
  const api = async <Value>(path: string, body?: object): Promise<Value> => {
    const page = new URL(String(ready.inspectorLoopback));
    const headers = {
      authorization: `Bearer ${page.hash.replace("#token=", "")}`,
      "content-type": "application/json",
    };
    const post = { method: "POST", body: JSON.stringify(body) };
    const init = body === undefined ? { headers } : { headers, ...post };
    return (await (await fetch(`${page.origin}${path}`, init)).json()) as Value;
  };
  return { ...listen, url, cwd, trigger, until, said, entries, api };
}

/** Starts `listen` as people see it, without `--json`, and waits until it is ready. */
export async function listeningForPeople(argv: readonly string[] = [], given: FakeIoOptions = {}) {
  const cwd = given.cwd ?? tempFolder();
  const listen = startCli(["listen", "--port", "0", ...argv], { ...given, cwd });
  onTestFinished(async () => {
    listen.signal("SIGINT");
    await listen.finished;
  });
  const url = await vi.waitFor(() => {
    const { stdout, stderr } = listen.now();
    const [found] = /http:\/\/127\.0\.0\.1:\d+\/webhooks/.exec(stdout + stderr) ?? [];
    if (found === undefined) throw new Error(`not ready: ${stderr}`);
    return found;
  }, WAIT);
  const trigger = (...words: readonly string[]) =>
    runCli(["trigger", ...words, "--url", url], { cwd, env: given.env ?? {} });
  const stdout = () => listen.now().stdout;
  /** Waits until standard output has a text. */
  const shows = (text: string | RegExp) => vi.waitFor(() => expect(stdout()).toMatch(text), WAIT);
  const says = (text: string | RegExp) =>
    vi.waitFor(() => expect(listen.now().stderr).toMatch(text), WAIT);
  return { ...listen, url, cwd, trigger, stdout, shows, says };
}

/** A target that sends the given answers; it ends with the test. */
export async function startTarget(
  answer: (body: string, headers: Record<string, unknown>) => number,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(answer(Buffer.concat(chunks).toString("utf8"), request.headers)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
}
