import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CommandSettings, command } from "../../src/tunnel/command.ts";
import { tunnelFolder } from "./machine.ts";
import { openProvider } from "./reports.ts";

const URL_PATTERN = String.raw`https://[a-z]+\.example\.com`;

describe.skipIf(process.platform === "win32")("a tunnel through a command", () => {
  it.each(["stdout", "stderr"])("has the address that the program prints to %s", async (stream) => {
    const to = stream === "stderr" ? " >&2" : "";
    const { reports } = await openScript(
      `echo see https://example.org; echo up: https://one.example.com${to}; cat`,
    );
    expect(await reports.up()).toBe("https://one.example.com");
  });

  it("uses the pattern's first group if it has one, and adds a missing scheme", async () => {
    const urlPattern = String.raw`listening at (\S+)`;
    const { reports } = await openScript("echo listening at Bore.Example.com:4021; cat", {
      urlPattern,
      scheme: "http",
    });
    expect(await reports.up()).toBe("http://bore.example.com:4021");
  });

  it("reports a changed address once", async () => {
    const lines = ["one", "one", "two", "one"].map((name) => `echo https://${name}.example.com`);
    const { reports } = await openScript(`${lines.join("; ")}; cat`);
    await reports.up(3);
    expect(reports.urls.map((url) => url.slice(8, 11))).toEqual(["one", "two", "one"]);
  });

  it("passes the target to the program, and its words unchanged, without a shell", async () => {
    const script = writeScript('printf "<%s>" "$@"; echo; cat');
    const words = ["{target}", "{host}", "--port={port}", "two words", "$HOME", "*", "; echo no"];
    const settings = { command: [script, ...words], urlPattern: "^<.*", addressTimeout: 10 };
    const { reports } = await openProvider(command, settings, 4400);
    const { message } = await reports.failed(); // which quotes what the pattern found
    expect(message).toContain(
      "<http://127.0.0.1:4400><127.0.0.1><--port=4400><two words><$HOME><*><; echo no>",
    );
  });

  it("reports how the program ended, with its last line", async () => {
    const { reports } = await openScript("echo fine; echo 'no such account' >&2; exit 4");
    expect(await reports.failed()).toMatchObject({
      code: "command_ended",
      permanent: false,
      message: expect.stringMatching(/exit code 4: no such account$/),
    });
  });

  it("reports that the program was ended by a signal", async () => {
    const { reports } = await openScript("kill -9 $$");
    expect((await reports.failed()).message).toContain("SIGKILL");
  });

  it.each([
    ["is not there", () => join(tunnelFolder(), "no-such-program")],
    ["is not in PATH", () => "no-such-program-anywhere"],
    ["may not be run", () => writeScript("echo", 0o600)],
  ])("fails for good if the program %s", async (_, program) => {
    const { reports } = await openProvider(command, {
      command: [program()],
      urlPattern: URL_PATTERN,
    });
    expect(await reports.failed()).toMatchObject({ code: "command_missing", permanent: true });
  });

  it("fails, and ends the program, if no address is printed", async () => {
    const { reports } = await openScript("echo https://example.org/login; exec sleep 60", {
      addressTimeout: 0.3,
    });
    const { code, permanent, message } = await reports.failed();
    expect({ code, permanent }).toEqual({ code: "command_no_address", permanent: false });
    expect(message).toContain("https://example.org/login");
  });

  it("fails for good if the pattern matches something other than an address", async () => {
    const { reports } = await openScript("echo tunnel https://one.example.com/dashboard; cat", {
      urlPattern: "tunnel (.*)",
    });
    expect(await reports.failed()).toMatchObject({
      code: "command_address_invalid",
      permanent: true,
    });
    expect(reports.urls).toEqual([]);
  });

  it("removes terminal sequences from its reports", async () => {
    const { reports } = await openScript(
      `printf '\\033]0;title\\007\\033[31mbad \\033[2Kthings\\r\\n' >&2; exit 1`,
    );
    expect((await reports.failed()).message).toMatch(/exit code 1: bad things$/);
  });

  it("reports nothing more once it is closed", async () => {
    const { reports, tunnel } = await openScript("echo https://one.example.com; cat");
    await reports.up();
    await tunnel.close();
    expect(reports.all).toHaveLength(1);
  });
});

function openScript(script: string, more: Partial<CommandSettings> = {}) {
  return openProvider(command, {
    command: ["/bin/sh", "-c", script],
    urlPattern: URL_PATTERN,
    ...more,
  });
}

function writeScript(text: string, mode = 0o700): string {
  const path = join(tunnelFolder(), "a script");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, mode);
  return path;
}
