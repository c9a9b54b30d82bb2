import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { nowEnvelope } from "../../hostile/cli.ts";
import { posting } from "../../receiver/open.ts";
import { SECRET } from "../../receiver/sample.ts";
import { untilTrue } from "../../relay/tunnel/machine.ts";
import { descendantsOf, isAlive } from "../../relay/tunnel/processes.ts";
import { tempFolder } from "../fake-io.ts";
import { startListening } from "../listening.ts";
import { publicNames } from "../public-names.ts";

/** The programs' output, according to their documentation and source. */
const PRINTED = {
  cloudflared: {
    argv: /^tunnel --no-autoupdate --url http:\/\/127\.0\.0\.1:(?<port>\d+)$/,
    host: "four-random-words-here.trycloudflare.com",
    line: "2026-01-02T03:04:06Z INF |  https://four-random-words-here.trycloudflare.com     |",
  },
  tailscale: {
    argv: /^funnel http:\/\/127\.0\.0\.1:(?<port>\d+)$/,
    host: "machine.tailnet-1234.ts.net",
    line: "https://machine.tailnet-1234.ts.net/\\n|-- proxy http://127.0.0.1:1",
  },
  bore: {
    argv: /^local (?<port>\d+) --local-host 127\.0\.0\.1 --to bore\.pub$/,
    host: "bore.pub",
    line: "\\033[32mINFO\\033[0m bore_cli::client: listening at bore.pub:21436",
  },
  zrok: {
    argv: /^share public http:\/\/127\.0\.0\.1:(?<port>\d+) --headless$/,
    host: "1yiutxunuio0.shares.zrok.io",
    line: '{"msg":"access your zrok share at the following endpoints:\\\\n 1yiutxunuio0.shares.zrok.io"}',
  },
} as const;

/** A folder with a program of that name, which records its arguments and its environment. */
function programIn(cwd: string, name: string, script: string): string {
  const folder = join(cwd, "programs");
  mkdirSync(folder, { recursive: true });
  const keep = `echo "$*" > '${cwd}/argv'; env > '${cwd}/environment'`;
  writeFileSync(join(folder, name), `#!/bin/sh\n${keep}\n${script}\n`, { mode: 0o700 });
  return `${folder}${delimiter}${process.env.PATH}`;
}

describe.skipIf(process.platform === "win32")("listen --tunnel", () => {
  it.each(Object.keys(PRINTED) as (keyof typeof PRINTED)[])(
    "%s runs the program, and is ready with the address that it prints",
    async (name) => {
      const { argv, host, line } = PRINTED[name];
      const cwd = tempFolder();
      const { env, lead } = publicNames(cwd);
      const PATH = programIn(
        cwd,
        name,
        `while ! test -e '${cwd}/go'; do sleep 0.02; done\nprintf '%b\\n' '${line}' >&2\nexec cat`,
      );
      const { ready } = startListening(["--tunnel", name], {
        cwd,
        env: { ...env, PATH, SHOWN: "yes" },
      });
      let port = 0;
      await untilTrue(() => {
        port = Number(argv.exec(readIfThere(join(cwd, "argv")))?.groups?.port);
        return port > 0;
      });
      lead(host, port);
      writeFileSync(join(cwd, "go"), "");
      const { publicUrl } = await ready();
      expect(publicUrl.hostname).toBe(host);
      const { post } = posting(new URL(`http://127.0.0.1:${port}/webhooks`));
      expect((await post(nowEnvelope())).status).toBe(200);
      const environment = readFileSync(join(cwd, "environment"), "utf8");
      expect(environment).toContain("SHOWN=yes");
      expect(environment).not.toContain(SECRET);
    },
  );

  it("command restarts your own program when it ends, and prints its new address", async () => {
    const cwd = tempFolder();
    const script = `echo "at $1" | sed 's/127.0.0.1/localhost/'; until test -e '${cwd}/end'; do sleep 0.02; done; rm '${cwd}/end'`;
    const PATH = programIn(cwd, "my tunnel", script);
    const argv = [
      "--tunnel-command",
      "'my tunnel' {target}",
      "HOOKPORTER_TUNNEL_URL_PATTERN=^at (http:.*)",
    ];
    const { ready, until } = startListening(["--tunnel", "command", ...argv], {
      cwd,
      env: { PATH },
    });
    const { publicUrl, post } = await ready();
    expect(publicUrl.hostname).toBe("localhost");
    expect((await post(nowEnvelope())).status).toBe(200);
    programIn(cwd, "my tunnel", 'echo "at $1"; exec cat');
    writeFileSync(join(cwd, "end"), "");
    expect(await until("restarting")).toMatchObject([{ code: "command_ended" }]);
    publicUrl.hostname = "127.0.0.1";
    expect((await until("online", 2))[1]).toMatchObject({
      url: publicUrl.href,
      previousUrl: expect.stringMatching(/^http:\/\/localhost:/),
    });
  });

  it("no process is left of a program that does not end, even if it and the tunnel's process are killed", async () => {
    const cwd = tempFolder();
    const PATH = programIn(
      cwd,
      "stubborn",
      "trap '' TERM HUP\nsleep 60 &\necho \"$1\"\nwhile true; do sleep 1; done",
    );
    const argv = ["--tunnel-command", "stubborn {target}", "HOOKPORTER_TUNNEL_URL_PATTERN=^http.*"];
    const { ready, child, pid } = startListening(["--tunnel", "command", ...argv], {
      cwd,
      env: { PATH },
    });
    await ready();
    // A process bears the name of the one that it was forked from until it runs its own program.
    const isThere = (name: RegExp) => descendantsOf(pid).some(({ command }) => name.test(command));
    await untilTrue(() => isThere(/stubborn/) && isThere(/^sleep 60/));
    const started = descendantsOf(pid);
    child.kill("SIGKILL");
    for (const { pid: tunnel, command } of started) {
      if (command.includes("tunnel-child")) process.kill(tunnel, "SIGKILL");
    }
    await untilTrue(() => !started.some((one) => isAlive(one.pid)));
  });
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
