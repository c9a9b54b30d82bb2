import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CommandSettings, command } from "../../../src/relay/tunnel/command.ts";
import { tunnelFolder, untilTrue } from "./machine.ts";
import { isAlive } from "./processes.ts";
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
    const killed = await openScript("kill -9 $$");
    expect((await killed.reports.failed()).message).toContain("SIGKILL");
  });

  it("fails for good if the program is not there, not in PATH, or may not be run", async () => {
    const there = join(tunnelFolder(), "no-such-program");
    for (const program of [there, "no-such-program-anywhere", writeScript("echo", 0o600)]) {
      const settings = { command: [program], urlPattern: URL_PATTERN };
      const { reports } = await openProvider(command, settings);
      expect(await reports.failed()).toMatchObject({ code: "command_missing", permanent: true });
    }
  });

  it("reads the first 8 KiB of a line", async () => {
    const line = (name: string, length: number) =>
      `head -c ${length} /dev/zero | tr '\\0' x; echo " https://${name}.example.com"`;
    const { reports } = await openScript(`${line("near", 8000)}; ${line("far", 9000)}; exit 1`);
    await reports.failed();
    expect(reports.urls).toEqual(["https://near.example.com"]);
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

  it.each([
    [
      "pieces",
      "printf 'a lin'; sleep 0.05; printf 'e in pie'; sleep 0.05; echo ces",
      "a line in pieces",
    ],
    ["half characters", "printf 'gr\\303'; sleep 0.05; printf '\\274n\\n'", "grün"],
    ["a line that has no end", "printf 'first\\nlast'", "last"],
    ["a line that writes over itself", "printf '10 %%\\r100 %%\\r\\n\\n'", "100 %"],
    [
      "a line after one too long",
      "head -c 200000 /dev/zero | tr '\\0' x; printf '\\nnext\\n'",
      "next",
    ],
    ["colours", "printf '\\033[32mgre\\033[1;4men\\033[0m \\033[2Kthings\\n'", "green things"],
    ["a hyperlink", "printf '\\033]8;;https://x.test\\007name\\033]8;;\\033\\\\\\n'", "name"],
    ["a title", "printf '\\033]0;https://x.test\\033\\\\name\\n'", "name"],
    ["control characters", "printf '\\001na\\010m\\302\\233me\\177\\n'", "name"],
    ["turned directions", "printf '\\342\\200\\256name\\342\\200\\254\\n'", "name"],
  ])("reads lines with %s, as plain text", async (_, script, last) => {
    const { reports } = await openScript(`${script}; exit 1`);
    const { message } = await reports.failed();
    expect(message.slice(message.indexOf("exit code 1: "))).toBe(`exit code 1: ${last}`);
  });

  it("has ended even if a process it left behind holds its output", async () => {
    const { reports } = await openScript("sleep 60 & echo $!; exit 4");
    const { message } = await reports.failed();
    process.kill(Number(/exit code 4: (\d+)$/.exec(message)?.[1]));
  });

  it("keeps the program's input open, and reports nothing more once it is closed", async () => {
    const { reports, tunnel } = await openScript("echo https://one.example.com; cat; exit 1");
    await reports.up();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(reports.all).toHaveLength(1);
    await tunnel.close();
    await tunnel.close();
    expect(reports.all).toHaveLength(1);
  });

  it("kills a program that does not end", async () => {
    const pidFile = join(tunnelFolder(), "pid");
    const { reports, tunnel } = await openScript(
      `trap '' TERM; echo $$ >'${pidFile}'; echo https://one.example.com; while true; do sleep 0.05; done`,
    );
    await reports.up();
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(isAlive(pid)).toBe(true);
    await tunnel.close();
    await untilTrue(() => !isAlive(pid));
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
