import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SECRET } from "../../receiver/sample.ts";
import { KEY, openService } from "../../service/client/service.ts";
import { consentTo } from "../consent.ts";
import { tempFolder } from "../fake-io.ts";
import { connectWith, listeningFolder } from "./connect.ts";

const ELSEWHERE = "http://service.invalid:8080";

/**
 * What files of a folder may say, each as an agent with edit rights, or the author of a clone,
 * writes it.
 */
const FILES: readonly (readonly [string, (cwd: string, url: string) => void])[] = [
  [".env", (cwd, url) => writeFileSync(join(cwd, ".env"), `HOOKPORTER_BASE_URL=${url}\n`)],
  [
    "hookporter.config.json",
    (cwd, url) =>
      writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify({ baseUrl: url })),
  ],
];

it.each(FILES)(
  "a base URL in %s gets no API key of the environment through `doctor`, not even with --allow hosts",
  async (file, write) => {
    const service = await openService();
    const cwd = tempFolder();
    const { call } = await connectWith({ HOOKPORTER_API_KEY: KEY }, cwd, "--allow", "hosts");
    write(cwd, service.url);
    const { records, text } = await call("doctor", {});
    expect(service.requests).toEqual([]);
    const found = records.find(({ check }) => check === "trust");
    expect(found).toMatchObject({ status: "warn", fix: expect.stringContaining("trust") });
    expect(found.message).toContain(file);
    expect(text).not.toContain(KEY);
  },
);

it("a base URL of the folder is used with the person's consent", async () => {
  const service = await openService();
  const cwd = tempFolder();
  const both = `HOOKPORTER_BASE_URL=${service.url}\nHOOKPORTER_API_KEY=${KEY}\n`;
  writeFileSync(join(cwd, ".env"), both, { mode: 0o600 });
  const { call } = await connectWith(await consentTo(cwd), cwd);
  const { records } = await call("doctor", {});
  expect(records.find(({ check }) => check === "service")).toMatchObject({ status: "ok" });
  expect(service.requests).toHaveLength(1);
});

it("`doctor` asks no other machine unless --allow hosts is typed", async () => {
  const cwd = tempFolder();
  const settings = {
    baseUrl: ELSEWHERE,
    inbox: "postgres://me@database.invalid/app",
    listen: { forwardTo: "http://app.invalid/hook", publicUrl: "https://tunnel.invalid" },
  };
  writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify(settings));
  const consent = await consentTo(cwd);
  const { call } = await connectWith(consent, cwd);
  const { records } = await call("doctor", {});
  const left = records.filter(({ message = "" }) =>
    /is another machine, and was not asked/.test(message),
  );
  expect(left.map(({ check }) => check)).toEqual(
    expect.arrayContaining(["database", "target", "address", "service"]),
  );
  const { call: allowed } = await connectWith(consent, cwd, "--allow", "hosts");
  expect((await allowed("doctor", {})).text).not.toContain("was not asked");
});

it("a file that says --allow is told, not obeyed", async () => {
  const { cwd } = await listeningFolder();
  writeFileSync(join(cwd, ".env"), `HOOKPORTER_ALLOW=hosts\nHOOKPORTER_URL=${ELSEWHERE}\n`);
  const consent = await consentTo(cwd);
  const env = { ...consent, HOOKPORTER_SECRET: SECRET, HOOKPORTER_ALLOW: "many,hosts" };
  const { call } = await connectWith(env, cwd);
  expect((await call("send_event", { kind: "lead.created" })).text).toContain("--allow hosts");
  const two = await call("send_event", { kind: "lead.created", url: "9", count: 2 });
  expect(two.text).toContain("--allow many");
});

it("with --allow hosts, nothing is signed for an endpoint that a file names without consent", async () => {
  const { cwd } = await listeningFolder();
  writeFileSync(join(cwd, ".env"), `HOOKPORTER_URL=${ELSEWHERE}\n`);
  const { call } = await connectWith({ HOOKPORTER_SECRET: SECRET }, cwd, "--allow", "hosts");
  const { isError, text } = await call("send_event", { kind: "lead.created", timeout: 1 });
  expect([isError, text]).toEqual([true, expect.stringContaining("consent")]);
  expect(text).toContain("HOOKPORTER_URL in .env");
  const typed = await call("send_event", { kind: "lead.created", timeout: 1, url: ELSEWHERE });
  expect(typed.text).not.toContain("consent");
});

it("`check_receiver` asks no observer on another machine that a file names", async () => {
  const cwd = tempFolder();
  const observe = "http://{marker}.invalid/";
  writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify({ observe }));
  const env = { HOOKPORTER_SECRET: SECRET, ...(await consentTo(cwd)) };
  const { call } = await connectWith(env, cwd);
  const { isError, text } = await call("check_receiver", { url: "http://127.0.0.1:9/" });
  expect([isError, text]).toEqual([true, expect.stringContaining("--allow hosts")]);
});
