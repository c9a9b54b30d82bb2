import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type * as ownAddress from "../../../../src/base/package/own-address.ts";
import { checkElsewhere, runElsewhere } from "../../../../src/inbox/sqlite/care/check-elsewhere.ts";
import { examineFile, SMALL } from "../../../../src/inbox/sqlite/care/examine.ts";
import { makeTables } from "../../../../src/inbox/sqlite/file/inbox-file.ts";
import { SCHEMA_VERSION } from "../../../../src/inbox/sqlite/migrations.ts";
import { tempFolder } from "../../../cli/fake-io.ts";
import { AT } from "../../entries.ts";

/** Where this code says that it runs from: the program that checks files is beside it. */
const code = vi.hoisted(() => ({ address: "" }));

vi.mock("../../../../src/base/package/own-address.ts", async (original) => ({
  ...(await original<typeof ownAddress>()),
  ownAddress: () => code.address,
}));

let folder: string;
let path: string;

beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "inbox.db");
  makeTables(path, AT);
  code.address = new URL("../../../../dist/inbox.js", import.meta.url).href;
});

/** Puts another program in the place of the one that checks files. */
function replaceProgram(text: string): void {
  const place = mkdtempSync(join(folder, "program-"));
  writeFileSync(join(place, "inbox-check.js"), text);
  code.address = pathToFileURL(join(place, "inbox.js")).href;
}

/** Prints a complete line and a part of one, says so with its process id in a file, and goes on. */
const HANGS = `
  const { writeSync, renameSync, writeFileSync } = require("node:fs");
  writeSync(1, '{"schema":4}\\n{"waiti');
  writeFileSync(process.argv[2] + ".part", String(process.pid));
  renameSync(process.argv[2] + ".part", process.argv[2] + ".pid");
  setInterval(() => {}, 1e6);`;

/** The process id of the program, once it hangs. */
const hanging = () =>
  vi.waitFor(() => Number(readFileSync(`${path}.pid`, "utf8")), { timeout: 60_000, interval: 5 });

const report = () => new Promise((resolve) => void checkElsewhere(path, resolve));

describe("a check in another process", () => {
  it("reports what it finds in the file", async () => {
    writeFileSync(path, readFileSync(path).fill(0x5a, 0, 4096));
    expect(await report()).toEqual({
      problems: [expect.any(String)],
      unreadable: [],
      usable: false,
    });
  });

  it("has no report if its program fails, or cannot be started", async () => {
    replaceProgram(`console.log('{"problems":[]}'); process.exitCode = 1`);
    expect(await report()).toBeUndefined();
    const { execPath } = process;
    onTestFinished(() => void Object.assign(process, { execPath }));
    Object.assign(process, { execPath: join(folder, "no-node") });
    expect(await report()).toBeUndefined();
  });

  it("is not begun where its program is missing, as in a bundle, or in unbuilt source", () => {
    replaceProgram("");
    rmSync(join(new URL(".", code.address).pathname, "inbox-check.js"));
    const done = vi.fn();
    expect(checkElsewhere(path, done)).toBeUndefined();
    code.address = import.meta.url;
    expect(runElsewhere([path], done)).toBeUndefined();
    expect(done).not.toHaveBeenCalled();
  });

  it("that is ended is over at once, and says nothing more, or what it printed so far", async () => {
    replaceProgram(HANGS);
    const done = vi.fn();
    const end = runElsewhere([path], done);
    const pid = await hanging();
    end?.();
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), {
      timeout: 60_000,
    });
    rmSync(`${path}.pid`);
    const told = new Promise((resolve) => {
      const endNext = runElsewhere([path], (exit, text) => resolve([exit, text]));
      void hanging().then(() => endNext?.(true));
    });
    expect(await told).toEqual([null, '{"schema":4}\n{"waiti']);
    expect(done).not.toHaveBeenCalled();
  });
});

describe("a look at a large inbox file", () => {
  beforeEach(() => truncateSync(path, SMALL + 4096));

  it("has what was found out when the time is over", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    replaceProgram(HANGS);
    const facts = examineFile(path, AT, 3_600_000);
    await hanging();
    vi.advanceTimersByTime(3_600_000);
    expect(await facts).toEqual({ bytes: SMALL + 4096, logBytes: 0, schema: 4 });
  });

  it("is one of this process if there can be no other, as of a small file in any case", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    code.address = import.meta.url;
    expect(await examineFile(path, AT, 1000)).toMatchObject({ schema: SCHEMA_VERSION, waiting: 0 });
    expect(vi.getTimerCount()).toBe(0);
    replaceProgram(HANGS);
    truncateSync(path, SMALL);
    expect(await examineFile(path, AT, 1000)).toMatchObject({ schema: SCHEMA_VERSION, waiting: 0 });
    expect(existsSync(`${path}.pid`)).toBe(false);
  });
});
