import { expect, it } from "vitest";
import { SECRET } from "../../receiver/sample.ts";
import { runCli } from "../fake-io.ts";

it.each([
  [["--tunnel", "ssh"], 2],
  [["--tunnel", "ssh", "--ssh-host", "box", "--ssh-remote-port", "4401"], 2],
  [["--tunnel", "ssh", "--ssh-host", "-oProxyCommand=x", "--ssh-remote-port", "4401"], 2],
  [["--tunnel", "ssh", "--ssh-host", "me@box", "--ssh-remote-port", "4401"], 2],
  [["--tunnel", "ssh", "--ssh-host", "box", "--ssh-remote-port", "0"], 2],
  [["--tunnel", "serveo", "--ssh-host", "ssh://a b@box"], 2],
  [["--tunnel", "serveo", "--ssh-remote-port", "80"], 2],
  [["--tunnel", "pinggy", "--domain", "mine.example.com"], 2],
  [["--tunnel", "serveo", "--public-url", "https://x.example.com"], 2],
  [["--tunnel", "serveo", "--ssh-identity", "no-such-key"], 3],
  [["--tunnel", "cloudflared", "--tunnel-command", "cloudflared"], 2],
  [["--tunnel", "command"], 2],
  [["--tunnel", "command", "--tunnel-command", "bore"], 2],
  [["--tunnel", "command", "--tunnel-command", "bore 'local", "--tunnel-url-pattern", "x"], 2],
  [["--tunnel", "command", "--tunnel-command", "bore", "--tunnel-url-pattern", "("], 2],
  [["--ssh-host", "box"], 2],
])("%j is refused with %i, before anything is started", async (argv, exitCode) => {
  const { code, stderr } = await runCli(["listen", ...argv], { env: { HOOKPORTER_SECRET: SECRET } });
  expect(code).toBe(exitCode);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
