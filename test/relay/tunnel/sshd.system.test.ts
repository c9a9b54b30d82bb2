import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { OwnSshSettings } from "../../../src/relay/tunnel/ssh/settings.ts";
import { ssh } from "../../../src/relay/tunnel/ssh.ts";
import { closedPort, hasSsh, post, startEcho, tunnelFolder, untilTrue } from "./machine.ts";
import { descendantsOf } from "./processes.ts";
import { openProvider } from "./reports.ts";
import { SSHD, startSshd } from "./sshd.ts";

// Through OpenSSH's own server, if installed: it may be stricter than the stand-in of the other
// tests.
const missing = [
  ...(hasSsh ? [] : ["OpenSSH's client"]),
  ...(SSHD === undefined ? ["OpenSSH's server"] : []),
];
if (missing.length > 0)
  process.stderr.write(`skipped: tunnels through sshd, for want of ${missing.join(" and ")}\n`);

beforeEach((context) => {
  if (missing.length > 0) context.skip(`needs ${missing.join(" and ")}`);
});

function through(
  { settings }: Awaited<ReturnType<typeof startSshd>>,
  remotePort: number,
): OwnSshSettings {
  const publicUrl = "https://deliveries.example.com";
  return { ...settings, remotePort, publicUrl, folder: join(tunnelFolder(), "ssh") };
}

it("the tunnel is up, carries bytes both ways, and leaves nothing at the server", async () => {
  const remotePort = await closedPort();
  const server = await startSshd();
  const { reports, tunnel } = await openProvider(
    ssh,
    through(server, remotePort),
    await startEcho(),
  );
  expect(await reports.up()).toBe("https://deliveries.example.com");
  const body = randomBytes(300_000);
  expect((await post(remotePort, "/", body)).body.equals(body)).toBe(true);
  await tunnel.close();
  await untilTrue(() => descendantsOf(server.pid).length === 0);
});

it("a port that is taken is refused, and forwarded once it is free", async () => {
  const holder = createServer();
  // on IPv4 and IPv6, since sshd needs only one of them
  await new Promise<void>((resolve) => holder.listen(0, resolve));
  onTestFinished(() => void holder.close());
  const address = holder.address();
  const remotePort = typeof address === "object" && address !== null ? address.port : 0;
  const server = await startSshd();
  const { reports } = await openProvider(ssh, through(server, remotePort));
  expect(await reports.failed()).toMatchObject({ code: "ssh_forward_refused" });
  await new Promise((resolve) => holder.close(resolve));
  const { reports: again } = await openProvider(ssh, through(server, remotePort));
  await again.up();
});

it("a lost connection fails, and frees the port", async () => {
  const server = await startSshd();
  const remotePort = await closedPort();
  const { reports } = await openProvider(ssh, through(server, remotePort), await startEcho());
  await reports.up();
  for (const { pid } of descendantsOf(server.pid)) process.kill(pid, "SIGKILL");
  expect(await reports.failed()).toMatchObject({ code: "ssh_closed", permanent: false });
  const { reports: again } = await openProvider(
    ssh,
    through(server, remotePort),
    await startEcho(),
  );
  await again.up();
});

it("a server with a changed key is refused", async () => {
  const first = await startSshd();
  const settings = through(first, await closedPort());
  const { reports, tunnel } = await openProvider(ssh, settings);
  await reports.up();
  await tunnel.close();
  await first.close();
  const { settings: next } = await startSshd({ port: first.port });
  const { reports: refused } = await openProvider(ssh, { ...settings, ...next });
  expect(await refused.failed()).toMatchObject({ code: "ssh_host_key_changed", permanent: true });
});
