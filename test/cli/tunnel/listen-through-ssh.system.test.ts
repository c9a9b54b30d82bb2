import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { nowEnvelope } from "../../hostile/cli.ts";
import { posting } from "../../receiver/open.ts";
import { hasSsh, untilTrue } from "../../relay/tunnel/machine.ts";
import { descendantsOf, isAlive } from "../../relay/tunnel/processes.ts";
import { BANNERS, newKey, SshServer } from "../../relay/tunnel/ssh-server.ts";
import { tempFolder } from "../fake-io.ts";
import { type ListeningOptions, startListening } from "../listening.ts";
import { publicNames } from "../public-names.ts";

beforeEach((context) => {
  if (!hasSsh) context.skip("needs the OpenSSH client");
});

const NAME = "8beaa541ba3dc2.lhr.life";

/** `listen` through a service whose server runs on this machine. */
function throughService(server: SshServer) {
  const at = ["--ssh-host", `ssh://nokey@127.0.0.1:${server.port}`];
  const cwd = tempFolder();
  const { env, lead } = publicNames(cwd);
  lead(NAME, server.entry);
  return { ...startListening(["--tunnel", "localhost.run", ...at], { cwd, env }), lead };
}

/** `listen` through your own server, which accepts the owner of the key. */
function throughOwn(
  server: SshServer,
  argv: readonly string[] = [],
  options: ListeningOptions = {},
) {
  const at = ["--ssh-host", `ssh://porter@127.0.0.1:${server.port}`];
  const forward = [
    "HOOKPORTER_SSH_REMOTE_PORT=4401",
    "--public-url",
    `http://127.0.0.1:${server.entry}`,
  ];
  return startListening(["--tunnel", "ssh", ...at, ...forward, ...argv], options);
}

/** A folder with a private key, and what a server needs to know about it. */
function folderWithKey() {
  const key = newKey();
  const cwd = tempFolder();
  writeFileSync(join(cwd, "key"), key.private, { mode: 0o600 });
  return { cwd, publicKey: key.public };
}

const service = () => SshServer.start({ banner: BANNERS["localhost.run"](NAME) });

describe("listen through a service", () => {
  it("is ready with the service's address, and takes deliveries only there", async () => {
    const server = await service();
    const { ready, records, cwd, output } = throughService(server);
    const { publicUrl: url } = await ready();
    expect(url.href).toBe(`https://${NAME}/webhooks`);
    const entry = new URL(`http://127.0.0.1:${server.entry}/webhooks`);
    expect((await posting(entry).post(nowEnvelope())).status).toBe(200);
    expect((await posting(entry).post(nowEnvelope(), "someone else's secret")).status).toBe(401);
    expect((await posting(new URL("/healthz", entry)).post(nowEnvelope())).status).toBe(404);
    await vi.waitFor(() => expect(records("delivery").length).toBeGreaterThanOrEqual(2));
    expect(existsSync(join(cwd, ".hookporter", "ssh", "known_hosts"))).toBe(true);
    expect(output()).toContain("third party");
  });
});

describe("listen through your own server", () => {
  it("keeps its address when the connection is lost, and takes deliveries again, using the given key", async () => {
    const { cwd, publicKey } = folderWithKey();
    const server = await SshServer.start({ lets: { publicKey } });
    const { ready, until } = throughOwn(server, ["HOOKPORTER_SSH_IDENTITY=key"], { cwd });
    const { publicUrl: url } = await ready();
    expect(url.href).toBe(`http://127.0.0.1:${server.entry}/webhooks`);
    expect(server.asked).toEqual([{ user: "porter", host: "localhost", port: 4401 }]);
    expect((await posting(url).post(nowEnvelope())).status).toBe(200);
    server.drop();
    expect(await until("restarting")).toMatchObject([{ code: "ssh_closed", url: url.href }]);
    expect((await until("online", 2))[1]).toMatchObject({ url: url.href, previousUrl: null });
    expect((await posting(url).post(nowEnvelope())).status).toBe(200);
  });
});

describe("listen exits with 5, a code and a fix, if", () => {
  it("the key is wrong", async () => {
    const { cwd } = folderWithKey();
    const server = await SshServer.start({ lets: { publicKey: newKey().public } });
    const { ended, until, output } = throughOwn(server, ["HOOKPORTER_SSH_IDENTITY=key"], { cwd });
    expect(await ended).toBe(5);
    expect(await until("failed")).toMatchObject([{ code: "ssh_denied" }]);
    expect(output()).toMatch(/ssh: .*: porter@127\.0\.0\.1: Permission denied .*sshIdentity/m);
  });

  it("the server's key has changed", async () => {
    const cwd = tempFolder();
    const first = await SshServer.start();
    const { port } = first;
    const before = throughOwn(first, [], { cwd });
    await before.ready();
    before.child.kill("SIGINT");
    expect(await before.ended).toBe(0);
    await first.close();
    const second = await SshServer.start({ port });
    const { ended, until, output } = throughOwn(second, [], { cwd });
    expect(await ended).toBe(5);
    expect(await until("failed")).toMatchObject([{ code: "ssh_host_key_changed" }]);
    expect(output()).toContain(`line 1 of ${join(cwd, ".hookporter", "ssh", "known_hosts")}`);
    expect(second.asked).toEqual([]);
  });

  it("ssh is missing", async () => {
    const server = await SshServer.start();
    const { ended, until } = throughOwn(server, [], { env: { PATH: tempFolder() } });
    expect(await ended).toBe(5);
    expect(await until("failed")).toMatchObject([{ code: "ssh_missing" }]);
  });
});

describe("no ssh process is left", () => {
  it.each<[string, (pid: number, child: { kill(signal: NodeJS.Signals): void }) => void]>([
    ["when listen ends", (_, child) => child.kill("SIGINT")],
    ["when listen is killed", (_, child) => child.kill("SIGKILL")],
    [
      "when both are killed at once",
      (tunnel, child) => {
        child.kill("SIGKILL");
        process.kill(tunnel, "SIGKILL");
      },
    ],
    [
      "when listen is killed while the tunnel's process hangs",
      (tunnel, child) => {
        process.kill(tunnel, "SIGSTOP");
        child.kill("SIGKILL");
      },
    ],
  ])("%s", async (_, end) => {
    const server = await SshServer.start();
    const { ready, pid, child } = throughOwn(server);
    await ready();
    const processes = withSsh(pid);
    end(tunnelChildOf(pid), child);
    await untilTrue(() => !processes.some(isAlive));
    await untilTrue(() => server.gone === 1);
  });

  it("when the tunnel's process is killed and replaced", async () => {
    const server = await SshServer.start();
    const { ready, pid, until } = throughOwn(server);
    await ready();
    const processes = withSsh(pid);
    process.kill(tunnelChildOf(pid), "SIGKILL");
    expect(await until("restarting")).toMatchObject([{ code: "tunnel_ended" }]);
    await until("online", 2);
    await untilTrue(() => !processes.some(isAlive));
    expect(server.gone).toBe(1);
  });
});

/** All processes that a `listen` has started; checks that ssh is among them. */
function withSsh(pid: number): readonly number[] {
  const started = descendantsOf(pid);
  expect(started.filter(({ command }) => /^ssh .*ExitOnForwardFailure/.test(command))).toHaveLength(
    1,
  );
  return started.map((one) => one.pid);
}

function tunnelChildOf(pid: number): number {
  const [tunnel, ...others] = descendantsOf(pid).filter(({ command }) =>
    command.includes("tunnel-child"),
  );
  expect(others).toEqual([]);
  return tunnel?.pid ?? 0;
}
