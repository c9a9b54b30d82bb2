import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";

/** Whether this machine has the OpenSSH client. */
export const hasSsh = spawnSync("ssh", ["-V"]).error === undefined;

/** An SSH agent with one key, like the user's, until the test ends. */
export function startAgent(privateKey: string): void {
  const folder = mkdtempSync(join(tmpdir(), "agent-"));
  const socket = join(folder, "socket");
  const { stdout } = spawnSync("ssh-agent", ["-s", "-a", socket], { encoding: "utf8" });
  const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(stdout)?.[1]);
  vi.stubEnv("SSH_AUTH_SOCK", socket);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    process.kill(pid);
    rmSync(folder, { recursive: true, force: true });
  });
  const { status, stderr } = spawnSync("ssh-add", ["-q", "-"], {
    input: privateKey,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`expected the agent to take the key, got ${stderr}`);
}

/** A folder that is removed with the test. */
export function tunnelFolder(): string {
  // ssh treats blanks and percent signs specially
  const folder = mkdtempSync(join(tmpdir(), "hookporter tunnel %d-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A server that echoes the bytes it gets; resolves with its port. */
export async function startEcho(): Promise<number> {
  const server = createServer((incoming, response) => {
    response.writeHead(200, { "x-path": incoming.url ?? "" });
    incoming.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Posts bytes to a port of this machine; resolves with the response. */
export function post(
  port: number,
  path: string,
  body: Uint8Array,
): Promise<{ path: unknown; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: "127.0.0.1", port, path, method: "POST", agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ path: response.headers["x-path"], body: Buffer.concat(chunks) }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Resolves with the milliseconds it took until a condition held; fails after 15 seconds. */
export async function untilTrue(holds: () => boolean): Promise<number> {
  const start = performance.now();
  while (!holds()) {
    if (performance.now() - start > 15_000)
      throw new Error("expected it to hold within 15 s, got none of it");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return performance.now() - start;
}

/** A port where nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * A route to a port of this machine that can go dead with its connections left open, as in a
 * network failure.
 */
export async function startWay(port: number) {
  let frozen = false;
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("data", (chunk) => !frozen && to.write(chunk));
      from.on("close", () => !frozen && to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const freeze = () => {
    frozen = true;
  };
  return { port: (server.address() as AddressInfo).port, freeze };
}
