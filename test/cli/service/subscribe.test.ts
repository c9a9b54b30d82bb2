import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SUBSCRIPTIONS_FILE } from "../../../src/cli/service/subscription-memory.ts";
import { eventKinds } from "../../../src/entries/index.ts";
import { failure, KEY, openService, type Scripted } from "../../service/client/service.ts";
import { openSandbox } from "../../service/sandbox/open.ts";
import { type CliRun, runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";
import {
  openSubscribe,
  remembered,
  SECRET,
  URL_1,
  URL_2,
  withBoth,
  withKey,
} from "../subscribe.ts";

/** Neither key nor secret may appear in what a command prints or remembers. */
function expectNoSecret(run: CliRun, cwd?: string): void {
  const kept = cwd === undefined ? "" : JSON.stringify(remembered(cwd));
  for (const secret of [SECRET, KEY]) expect(run.stdout + run.stderr + kept).not.toContain(secret);
}

describe("subscribe", () => {
  it("creates a subscription to all 12 kinds, and remembers it", async () => {
    const { service, cwd, subscribe } = await openSubscribe();
    const run = await subscribe(URL_1);
    expect(run.code).toBe(0);
    expect(service.created).toEqual([{ url: URL_1, events: eventKinds, secret: SECRET }]);
    const known = { id: "wh_1", url: URL_1, events: [...eventKinds], environment: "test" };
    expect(run.records).toMatchObject([
      { type: "subscription", ...known, created: true, others: [] },
    ]);
    expect(remembered(cwd)).toMatchObject([{ ...known, baseUrl: service.url, tunnel: null }]);
    expect(statSync(join(cwd, SUBSCRIPTIONS_FILE)).mode & 0o777).toBe(0o600);
    expectNoSecret(run, cwd);
  });

  it.skipIf(process.platform === "win32")(
    "names a subscription that it could not remember, since nothing else does",
    async () => {
      const { cwd, subscribe } = await openSubscribe();
      mkdirSync(join(cwd, ".hookporter"), { mode: 0o700 });
      writeFileSync(join(cwd, "elsewhere"), "");
      // it is read, but not written through
      symlinkSync(join(cwd, "elsewhere"), join(cwd, SUBSCRIPTIONS_FILE));
      const run = await subscribe(URL_1);
      expect(run.code).toBe(0);
      expect(run.records).toMatchObject([{ type: "subscription", id: "wh_1", created: true }]);
      expect(run.stderr).toMatch(
        /subscriptions\.ndjson: .*; note the id, since this subscription is not remembered/,
      );
      expect(readFileSync(join(cwd, "elsewhere"), "utf8")).toBe("");
    },
  );

  it("accepts kinds and families, and a bare port for this machine", async () => {
    const { service, subscribe } = await openSubscribe();
    await subscribe("4400", "--events", "payment.*", "--events", "lead.created");
    const events = ["payment.received", "payment.overdue", "lead.created"];
    expect(service.created).toMatchObject([{ url: URL_1, events }]);
  });

  it("sends the key of the env file or of another variable, or an access token in its place", async () => {
    const { service, cwd, subscribe } = await openSubscribe({
      HOOKPORTER_SECRET: SECRET,
      TOKEN: "oauth-1",
    });
    const keys = `HOOKPORTER_API_KEY=${KEY}\nOTHER=sk_test_other\nFILE_TOKEN=oauth-2\n`;
    writeFileSync(join(cwd, ".env"), keys);
    expect((await subscribe(URL_1)).code).toBe(0);
    expect((await subscribe(URL_2, "HOOKPORTER_API_KEY_ENV=OTHER")).code).toBe(3);
    await subscribe(URL_1, "--again", "HOOKPORTER_ACCESS_TOKEN_ENV=TOKEN");
    await subscribe(URL_2, "HOOKPORTER_ACCESS_TOKEN_ENV=FILE_TOKEN");
    const creations = service.requests.filter(({ path }) => path === "/v1/webhooks");
    expect(creations.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${KEY}`,
      "Bearer sk_test_other",
      "Bearer oauth-1",
      "Bearer oauth-2",
    ]);
    const both = ["HOOKPORTER_ACCESS_TOKEN_ENV=TOKEN", "HOOKPORTER_API_KEY_ENV=OTHER"];
    expect((await subscribe(URL_1, ...both)).code).toBe(2);
  });

  it("sends nothing if the same subscription is remembered, except with --again", async () => {
    const { service, cwd, subscribe } = await openSubscribe();
    await subscribe(URL_1);
    const second = await subscribe(URL_1);
    expect(second.code).toBe(0);
    expect(second.records).toMatchObject([{ id: "wh_1", created: false }]);
    expect(service.created).toHaveLength(1);
    const third = await subscribe(URL_1, "--again");
    expect(third.records).toMatchObject([{ id: "wh_2", created: true, others: [{ id: "wh_1" }] }]);
    expect(third.stderr).toContain(
      "1 earlier subscription from this folder may deliver as well: wh_1;",
    );
    expect(remembered(cwd)).toHaveLength(2);
  });

  it.each([
    ["kinds", [URL_1, "--events", "lead.*"], {}],
    ["URL", [URL_2], {}],
    ["secret", [URL_1], { HOOKPORTER_SECRET: "another secret, as long as that" }],
  ])(
    "creates another subscription for another %s, and names the earlier one",
    async (_, argv, env) => {
      const { service, cwd, subscribe } = await openSubscribe();
      await subscribe(URL_1);
      const another = ["subscribe", ...argv, "--base-url", service.url, "--json"];
      const run = await runCli(another, { cwd, env: { ...withBoth, ...env } });
      expect(run.code).toBe(0);
      expect(run.records).toMatchObject([{ id: "wh_2", created: true, others: [{ id: "wh_1" }] }]);
      expect(run.stderr).toMatch(/^warning: 1 earlier subscription .*: wh_1; /m);
    },
  );

  it("does not remember the subscriptions of a sandbox, which creates none twice", async () => {
    const { sandbox } = await openSandbox();
    const cwd = tempFolder();
    const argv = ["subscribe", URL_1, "--base-url", sandbox.url.href, "--json"];
    const subscribed = async () => (await runCli(argv, { cwd, env: withBoth })).records;
    const only = { id: "wh_sandbox_0001", others: [] };
    expect(await subscribed()).toMatchObject([{ ...only, created: true }]);
    expect(await subscribed()).toMatchObject([only]);
    expect(sandbox.subscriptions).toHaveLength(1);
    expect(remembered(cwd)).toEqual([]);
  });

  it("treats the subscriptions of another service, and live ones, separately", async () => {
    const { service, cwd, subscribe } = await openSubscribe();
    await subscribe(URL_1);
    const other = await openService();
    const argv = ["subscribe", URL_1, "--json", "--base-url"];
    const run = await runCli([...argv, other.url], { cwd, env: withBoth });
    expect(run.records).toMatchObject([{ created: true, others: [] }]);
    expect([service.created.length, other.created.length]).toEqual([1, 1]);
    const { url } = await openService({ key: "sk_live_x" });
    const env = { ...withBoth, HOOKPORTER_API_KEY: "sk_live_x" };
    const live = await runCli([...argv, url, "--live"], { cwd, env });
    expect(live.records).toMatchObject([{ environment: "live", created: true, others: [] }]);
    expect(live.stdout + live.stderr).not.toContain("sk_live_x");
  });

  it("does not remember a subscription that was refused", async () => {
    const { service, cwd, subscribe } = await openSubscribe();
    service.next(failure(400, { type: "invalid_request", message: "No.", field: "url" }));
    const run = await subscribe(URL_1);
    expect(run.code).toBe(1);
    expect(run.records).toMatchObject([{ type: "error", code: "service_refused" }]);
    expect(remembered(cwd)).toEqual([]);
    expectNoSecret(run);
  });

  it.each<[string, Scripted, string, number]>([
    [
      "never comes, and the connection is closed",
      (response) => void response.destroy(),
      "service_unreachable",
      5,
    ],
    ["is silence", () => {}, "service_timeout", 6],
    ["is a 503", failure(503), "service_failed", 1],
  ])(
    "says that the subscription may exist if the answer %s, and does not remember it",
    async (_, answer, code, exit) => {
      const { service, cwd, subscribe } = await openSubscribe();
      service.next(answer);
      const run = await subscribe(URL_1, "HOOKPORTER_SUBSCRIBE_TIMEOUT=300ms");
      expect(run.code).toBe(exit);
      expect(run.records).toMatchObject([{ type: "error", code, mayHaveHappened: true }]);
      expect(run.said).toContain("may exist all the same");
      expect(remembered(cwd)).toEqual([]);
      expectNoSecret(run);
    },
  );

  it("warns that there may be two if the service failed with 500 first, and accepts a response without an id", async () => {
    const { service, cwd, subscribe } = await openSubscribe();
    service.next(failure(500));
    const run = await subscribe(URL_1);
    expect(run.records).toMatchObject([{ created: true, mayExistTwice: true }]);
    expect(run.stderr).toMatch(/^warning: an earlier attempt/m);
    service.next((response) => void response.writeHead(204).end());
    expect((await subscribe(URL_2)).records).toMatchObject([{ id: null, created: true }]);
    expect(remembered(cwd)).toMatchObject([{ id: "wh_1" }, { id: null, url: URL_2 }]);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ["no address of the service", URL_1, {}, 2],
    ["no API key", `${URL_1} ELSEWHERE`, { HOOKPORTER_API_KEY: "" }, 3],
    ["a live key without --live", `${URL_1} ELSEWHERE`, { HOOKPORTER_API_KEY: "sk_live_x" }, 3],
    ["another key", `${URL_1} ELSEWHERE`, { HOOKPORTER_API_KEY: "x" }, 3],
    ["plain http to another machine", `${URL_1} --base-url http://api.example`, {}, 3],
    ["this machine for a service elsewhere", `${URL_1} ELSEWHERE`, {}, 2],
    ["a URL with a fragment", `${URL_1}#top HERE`, {}, 2],
    ["a URL with a password", "https://u:p@app.example ELSEWHERE", {}, 2],
    ["no URL", "ELSEWHERE", {}, 2],
    ["the key in place of its variable", `${URL_1} HOOKPORTER_API_KEY_ENV=sk_test-x`, {}, 2],
    ["a kind that is none", `${URL_1} --events lead.create`, {}, 2],
    [
      "several variables of which one is missing",
      `${URL_1} HERE --secret-env HOOKPORTER_SECRET,NEXT`,
      {},
      3,
    ],
    ["an empty secret", `${URL_1} HERE`, { HOOKPORTER_SECRET: "" }, 3],
  ])("refuses %s before anything is sent or written", async (_, given, env, code) => {
    const cwd = tempFolder();
    const line = given
      .replace("ELSEWHERE", "--base-url https://api.example")
      .replace("HERE", "--base-url http://127.0.0.1:1");
    const argv = ["subscribe", ...line.split(" ")];
    const run = await runCli(argv, { cwd, env: { ...withBoth, ...env } });
    expect(run.code).toBe(code);
    expect(run.stderr.trimEnd()).toMatch(/^error: .+$/);
    for (const name of [".hookporter", ".env"]) expect(existsSync(join(cwd, name))).toBe(false);
  });

  it.each([
    "{",
    '{"format":"hookporter-subscription/1","change":"add","subscription":{"url":1}}\n',
    '{"format":"hookporter-subscription/2","change":"add","subscription":{}}\n',
  ])("sends nothing if the memory is %s, and leaves it unchanged", async (text) => {
    const { service, cwd, subscribe } = await openSubscribe();
    folderWith({ [SUBSCRIPTIONS_FILE]: text }, cwd);
    expect((await subscribe(URL_1)).code).toBe(2);
    expect(service.requests).toEqual([]);
    expect(readFileSync(join(cwd, SUBSCRIPTIONS_FILE), "utf8")).toBe(text);
  });
});

describe("the secret of a subscription", () => {
  /** The secret that the service gets. */
  async function sent(variables: Record<string, string>, ...flags: string[]) {
    const { service, subscribe } = await openSubscribe({ ...withKey, ...variables });
    const { records } = await subscribe(URL_1, ...flags);
    return { records, secret: service.created.at(-1)?.secret, requests: service.requests.length };
  }

  it("is never made up", async () => {
    const { records, requests } = await sent({});
    expect(records).toMatchObject([{ type: "error", code: "secret_missing" }]);
    expect(requests).toBe(0);
  });

  it("is the current one of several, without the line break it was stored with, as the receiver reads it", async () => {
    const two = { OLD: SECRET, NEW: "the newest of all secrets" };
    expect((await sent(two, "--secret-env", "NEW,OLD")).secret).toBe(two.NEW);
    expect((await sent({ HOOKPORTER_SECRET: `${SECRET}\n` })).secret).toBe(SECRET);
  });

  it("is the folder's development secret if `listen` created one", async () => {
    const { service, cwd, subscribe } = await openSubscribe(withKey);
    await (await listening([], cwd)).stop();
    await subscribe(URL_1);
    const secret = readFileSync(join(cwd, ".hookporter", "secret"), "utf8").trim();
    expect(service.created).toMatchObject([{ secret }]);
    expect(existsSync(join(cwd, ".env"))).toBe(false);
  });
});
