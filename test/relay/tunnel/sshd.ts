import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempFolder } from "../../cli/fake-io.ts";
import { closedPort } from "./machine.ts";
import { newKey } from "./ssh-server.ts";

/** Where systems install OpenSSH's server; it must be started by its full path. */
const PLACES = [
  "/usr/sbin/sshd",
  "/usr/local/sbin/sshd",
  "/usr/bin/sshd",
  "/opt/homebrew/sbin/sshd",
];

/** The real server's path; `undefined` if it is not installed. */
export const SSHD = PLACES.find((path) => existsSync(path));

/** How one is started. */
export interface SshdOptions {
  readonly port?: number;
  /** Additional lines of its configuration. */
  readonly config?: readonly string[];
}

/**
 * OpenSSH's own server on a local port, which lets in the owner of one key. It ends with the test.
 */
export async function startSshd({ port, config = [] }: SshdOptions = {}) {
  const account = accountOf();
  const folder = tempFolder();
  const key = newKey();
  const identityFile = join(tempFolder(), "key");
  writeFileSync(identityFile, key.private, { mode: 0o600 });
  writeFileSync(join(folder, "host_key"), newKey().private, { mode: 0o600 });
  writeFileSync(join(folder, "authorized_keys"), `${key.public}\n`);
  const at = port ?? (await closedPort());
  const lines = [
    `ListenAddress 127.0.0.1:${at}`,
    `HostKey ${folder}/host_key`,
    `AuthorizedKeysFile ${folder}/authorized_keys`,
    "PidFile none",
    "StrictModes no",
    "UsePAM yes",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    ...config,
  ];
  writeFileSync(join(folder, "config"), `${lines.join("\n")}\n`);
  giveTo(account, folder);
  const server = spawn(SSHD ?? "", ["-D", "-e", "-f", join(folder, "config")], {
    stdio: ["ignore", "ignore", "pipe"],
    ...(account.asOther && { uid: account.uid, gid: account.gid }),
  });
  const close = async () => {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) {
      await new Promise((resolve) => server.once("exit", resolve));
    }
  };
  onTestFinished(close);
  await listening(server.stderr);
  const settings = { host: `ssh://${account.name}@127.0.0.1:${at}`, identityFile };
  return { port: at, settings, pid: server.pid ?? 0, close };
}

/**
 * As root, sshd requires system folders. So the user `nobody` starts it, and it accepts only logins
 * as `nobody`.
 */
function accountOf() {
  const { username, uid, gid } = userInfo();
  if (uid !== 0) return { name: username, uid, gid, asOther: false };
  const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { name: "nobody", uid: id("-u"), gid: id("-g"), asOther: true };
}

function giveTo({ uid, gid, asOther }: ReturnType<typeof accountOf>, folder: string): void {
  if (!asOther) return;
  for (const name of readdirSync(folder)) chownSync(join(folder, name), uid, gid);
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o755);
}

/** Resolves once it reports that it listens; fails with its output if it ends before. */
function listening(log: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    log.on("data", (chunk) => {
      said += String(chunk);
      if (said.includes("Server listening on ")) resolve();
    });
    log.on("end", () => reject(new Error(`expected sshd to listen, got ${said}`)));
  });
}
