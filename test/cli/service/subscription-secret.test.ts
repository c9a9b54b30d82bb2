import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openService, type StandIn } from "../../client/service.ts";
import { runCli, startCli } from "../fake-io.ts";
import { openSubscribe, SECRET, URL_1, withKey } from "../subscribe.ts";

describe("the secret of a subscription", () => {
  const secretOf = ({ created }: StandIn) => created.at(-1)?.secret ?? "";

  it("is never made up", async () => {
    const { service, subscribe } = await openSubscribe(withKey);
    expect((await subscribe(URL_1)).records).toMatchObject([
      { type: "error", code: "secret_missing" },
    ]);
    expect(service.requests).toEqual([]);
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
    const { service, subscribe } = await openSubscribe({
      ...withKey,
      HOOKPORTER_SECRET: `${SECRET}\n`,
    });
    await subscribe(URL_1);
    expect(secretOf(service)).toBe(SECRET);
  });

  it("comes from standard input with --secret-stdin", async () => {
    const service = await openService();
    const argv = ["subscribe", URL_1, "--base-url", service.url, "--secret-stdin"];
    expect((await runCli(argv, { env: withKey, stdin: SECRET })).code).toBe(0);
    expect(secretOf(service)).toBe(SECRET);
  });
});
