import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { openService, type StandIn } from "../../client/service.ts";
import { runCli, startCli } from "../fake-io.ts";
import { openSubscribe, SECRET, URL_1, withKey } from "../subscribe.ts";

describe("the secret of a subscription", () => {
  const secretOf = ({ created }: StandIn) => created.at(-1)?.secret ?? "";

  it("is created if there is none, written to .env for its owner only, and never printed", async () => {
    const { service, cwd, subscribe } = await openSubscribe(withKey);
    const run = await subscribe(URL_1);
    expect(run.code).toBe(0);
    const path = join(cwd, ".env");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(parseEnv(readFileSync(path, "utf8"))).toEqual({ HOOKPORTER_SECRET: secretOf(service) });
    expect(secretOf(service)).toMatch(/^[\w-]{43}$/);
    expect(run.stdout + run.stderr).not.toContain(secretOf(service));
  });

  it("is the same the next time, for every command", async () => {
    const { cwd, subscribe } = await openSubscribe(withKey);
    const [first] = (await subscribe(URL_1)).records;
    expect((await subscribe(URL_1)).records).toMatchObject([{ created: false }]);
    const signed = await runCli(["sign", "--json"], { cwd, stdin: "{}" });
    expect(signed.records[0]?.secretFingerprint).toBe(first?.secretFingerprint);
  });

  it("changes one line of .env, and removes others' read permission", async () => {
    const { service, cwd, subscribe } = await openSubscribe(withKey);
    const path = join(cwd, ".env");
    const before = Buffer.from(
      "# caf\xe9\r\nA=1\r\nexport HOOKPORTER_SECRET=\r\nB='two\r\nlines'\r\nC=3",
      "latin1",
    );
    writeFileSync(path, before, { mode: 0o644 });
    expect((await subscribe(URL_1)).code).toBe(0);
    const after = readFileSync(path).toString("latin1");
    expect(after.replace(secretOf(service), "")).toBe(before.toString("latin1"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is filled in on the first line of a .env with a byte order mark", async () => {
    const { service, cwd, subscribe } = await openSubscribe(withKey);
    const path = join(cwd, ".env");
    writeFileSync(path, "\uFEFFHOOKPORTER_SECRET=\r\nA=1\r\n");
    expect((await subscribe(URL_1)).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(`\uFEFFHOOKPORTER_SECRET=${secretOf(service)}\r\nA=1\r\n`);
  });

  it("goes to the given variable", async () => {
    const { service, cwd, subscribe } = await openSubscribe(withKey);
    await subscribe(URL_1, "--secret-env", "NEXT_SECRET");
    expect(parseEnv(readFileSync(join(cwd, ".env"), "utf8"))).toEqual({ NEXT_SECRET: secretOf(service) });
  });

  it("is the current one of several", async () => {
    const { service, subscribe } = await openSubscribe({
      ...withKey,
      OLD: SECRET,
      NEW: "the newest of all secrets",
    });
    await subscribe(URL_1, "--secret-env", "NEW,OLD");
    expect(secretOf(service)).toBe("the newest of all secrets");
  });

  it("is the folder's development secret if `listen` created one", async () => {
    const { service, cwd, subscribe } = await openSubscribe(withKey);
    const listening = startCli(["listen", "--port", "0", "--json"], { cwd });
    await vi.waitFor(() => expect(listening.now().stdout).toContain('"ready"'), 10_000);
    listening.signal("SIGINT");
    await listening.finished;
    await subscribe(URL_1);
    expect(secretOf(service)).toBe(readFileSync(join(cwd, ".hookporter", "secret"), "utf8").trim());
    expect(lstatSync(join(cwd, ".env"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("is sent without the line break it was stored with, as the receiver reads it", async () => {
    const { service, subscribe } = await openSubscribe({ ...withKey, HOOKPORTER_SECRET: `${SECRET}\n` });
    await subscribe(URL_1);
    expect(secretOf(service)).toBe(SECRET);
  });

  it("comes from standard input with --secret-stdin", async () => {
    const service = await openService();
    const argv = ["subscribe", URL_1, "--base-url", service.url, "--secret-stdin"];
    expect((await runCli(argv, { env: withKey, stdin: SECRET })).code).toBe(0);
    expect(secretOf(service)).toBe(SECRET);
  });

  it.each([
    ["a symbolic link", (path: string, other: string) => symlinkSync(other, path)],
    ["a symbolic link to nothing", (path: string) => symlinkSync("nowhere", path)],
    ["a folder", (path: string) => void mkdirSync(path)],
  ])("is not written if .env is %s", async (_, make) => {
    const { service, cwd, subscribe } = await openSubscribe(withKey);
    const other = join(cwd, "other");
    writeFileSync(other, "A=1\n");
    make(join(cwd, ".env"), other);
    expect((await subscribe(URL_1)).code).toBe(3);
    expect(readFileSync(other, "utf8")).toBe("A=1\n");
    expect(lstatSync(join(cwd, "nowhere"), { throwIfNoEntry: false })).toBeUndefined();
    expect(service.requests).toEqual([]);
  });

  it("is not written into a value that spans several lines", async () => {
    const { cwd, subscribe } = await openSubscribe(withKey);
    const text = 'A="one\nHOOKPORTER_SECRET=\nthree"\n';
    writeFileSync(join(cwd, ".env"), text);
    expect((await subscribe(URL_1)).code).toBe(3);
    expect(readFileSync(join(cwd, ".env"), "utf8")).toBe(text);
  });
});
