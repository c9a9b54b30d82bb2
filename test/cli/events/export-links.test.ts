import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { fixtureName } from "../../../src/relay/fixture.ts";
import { AT, keep, numberedEntry } from "../../inbox/entries.ts";
import { SECRET } from "../../receiver/sample.ts";
import { tempFolder } from "../fake-io.ts";
import { inboxFolder } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";

/** A link in a folder to a file elsewhere; returns both paths. */
function linkIn(folder: string, name: string) {
  const target = join(tempFolder(), "target");
  mkdirSync(folder);
  symlinkSync(target, join(folder, name));
  return { target, file: join(folder, name) };
}

it.each(["a file", "nothing", "a folder"])(
  "export replaces a link to %s at the name of its file, and writes nothing through it",
  async (what) => {
    const { cwd, inbox, cli } = await inboxFolder();
    await keep(inbox, numberedEntry(1));
    const name = fixtureName(AT, 1, "payment.received", "evt_1");
    const { target, file } = linkIn(join(cwd, "out"), name);
    if (what === "a file") writeFileSync(target, "mine");
    if (what === "a folder") mkdirSync(target);
    const { code } = await cli("events export --to out");
    expect({ code, isFile: lstatSync(file).isFile() }).toEqual({ code: 0, isFile: true });
    expect(readFileSync(file, "utf8")).toContain("payment.received");
    if (what === "a file") expect(readFileSync(target, "utf8")).toBe("mine");
    else expect(() => readFileSync(target)).toThrow();
    if (what === "a folder") expect(readdirSync(target)).toEqual([]);
    expect(readdirSync(join(cwd, "out"))).toHaveLength(1);
  },
);

it("--save-dir replaces a link at the name of its file, and writes nothing through it", async () => {
  const cwd = tempFolder();
  // so that the same event is saved under the same name again
  vi.spyOn(Date, "now").mockReturnValue(AT);
  onTestFinished(() => void vi.restoreAllMocks());
  const event = sampleEvent("payment.received", { timestamp: AT });
  const save = async (folder: string) => {
    const argv = ["--secret-env", "OWN", "--save-dir", folder, "--inbox", `${folder}.db`];
    const { url, stop } = await listening(["--no-inspect", ...argv], cwd, { OWN: SECRET });
    expect((await fetch(url, signedRequest(event, { secret: SECRET }))).status).toBe(200);
    await stop();
    return readdirSync(join(cwd, folder));
  };
  const [name = ""] = await save("first");
  const { target, file } = linkIn(join(cwd, "second"), name);
  writeFileSync(target, "mine");
  expect(await save("second")).toEqual([name]);
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readFileSync(target, "utf8")).toBe("mine");
});
