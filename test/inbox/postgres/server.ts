import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Certificate } from "../../relay/tunnel/edge/certificate.ts";
import { embeddedPrograms } from "./embedded.ts";

/** A PostgreSQL server for tests. */
export interface PostgresServer {
  /** A URL of a user who may do anything in the database. */
  readonly url: string;
  /** Ends the server if it was started here. */
  stop(): Promise<void>;
  /**
   * Ends the server at once, without a checkpoint, and starts it again; `undefined` if it was not
   * started here.
   */
  readonly restart: (() => Promise<void>) | undefined;
}

/** PostgreSQL and PgBouncer refuse to run as root. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const FOLDERS = "/usr/lib/postgresql";
const PGBOUNCER = "/usr/sbin/pgbouncer";

/**
 * The folder of the newest installed server's programs, if there is one; or of a version that is
 * fetched.
 */
export function serverPrograms(): string | undefined {
  const fetched = process.env.HOOKPORTER_POSTGRES_VERSION;
  if (fetched !== undefined) return embeddedPrograms(Number(fetched));
  if (!existsSync(FOLDERS)) return undefined;
  const versions = readdirSync(FOLDERS).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(FOLDERS, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

/** Why tests of a real server are skipped; `undefined` if they are not. */
export const NO_SERVER =
  process.env.HOOKPORTER_POSTGRES_URL === undefined && serverPrograms() === undefined
    ? "skipped: no PostgreSQL here (install postgresql, or set HOOKPORTER_POSTGRES_URL)"
    : undefined;

/** The same for PgBouncer. */
export const NO_POOLER =
  NO_SERVER ??
  (existsSync(PGBOUNCER) ? undefined : "skipped: no PgBouncer here (install pgbouncer)");

if (NO_POOLER !== undefined) process.stdout.write(`\n${NO_POOLER}\n`);

/**
 * Programs that must be here, such as `postgres,pgbouncer`: where CI installed one, a test that is
 * skipped is a failure.
 */
const required = (process.env.HOOKPORTER_REQUIRE ?? "").split(",");
for (const [name, missing] of [
  ["postgres", NO_SERVER],
  ["pgbouncer", NO_POOLER],
] as const) {
  if (missing !== undefined && required.includes(name))
    throw new Error(
      `expected ${name} here, since HOOKPORTER_REQUIRE names it, got none: tests would be ${missing}`,
    );
}

/**
 * The server that the environment names, or one that is started on a temporary folder and a free
 * port.
 *
 * @param own - settings of a server that is started here
 * @param certificate - with which that server offers TLS
 */
export async function startPostgres(
  own: Readonly<Record<string, string>> = {},
  certificate?: Certificate,
): Promise<PostgresServer> {
  const given = process.env.HOOKPORTER_POSTGRES_URL;
  if (given !== undefined) return { url: given, stop: async () => {}, restart: undefined };
  const bin = serverPrograms();
  if (bin === undefined) throw new Error(NO_SERVER);
  const folder = ownedFolder("hookporter-postgres-");
  const data = join(folder, "data");
  execFileSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", "--auth=trust", "--no-sync"],
    { ...user, cwd: folder, stdio: "ignore" },
  );
  // Passwords are checked for the user `secured`; pg_hba.conf is read from the top.
  const rules = join(data, "pg_hba.conf");
  writeFileSync(
    rules,
    `host all secured 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, "utf8")}`,
  );
  if (certificate === undefined) return serve(bin, folder, data, own);
  for (const [name, text] of [
    ["server.key", certificate.key],
    ["server.crt", certificate.cert],
  ] as const) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (isRoot) chownSync(join(data, name), NOBODY, NOBODY);
  }
  return serve(bin, folder, data, { ...own, ssl: "on" });
}

/** A standby that follows a server from now on, asynchronously. */
export async function startStandby(
  primary: PostgresServer,
): Promise<PostgresServer & { detach(): Promise<void>; promote(): Promise<void> }> {
  const bin = serverPrograms();
  if (bin === undefined) throw new Error(NO_SERVER);
  const folder = ownedFolder("hookporter-standby-");
  const data = join(folder, "data");
  const args = ["-d", primary.url, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"];
  execFileSync(join(bin, "pg_basebackup"), args, { ...user, cwd: folder, stdio: "ignore" });
  const standby = await serve(bin, folder, data, {});
  const ask = async (text: string) => {
    const client = new pg.Client({ connectionString: standby.url });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  return {
    ...standby,
    /** It receives nothing more from its primary. */
    detach: async () => {
      await ask("ALTER SYSTEM SET primary_conninfo = ''");
      await ask("SELECT pg_reload_conf()");
      for (;;) {
        const client = new pg.Client({ connectionString: standby.url });
        await client.connect();
        const { rows } = await client.query("SELECT FROM pg_stat_wal_receiver");
        await client.end();
        if (rows.length === 0) return;
        await delay(20);
      }
    },
    promote: () => ask("SELECT pg_promote()"),
  };
}

/** Runs a server on its data until it is stopped. */
async function serve(
  bin: string,
  folder: string,
  data: string,
  own: Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // A test ends the server, not the machine, so nothing need be flushed to disk.
  const settings = {
    port,
    fsync: "off",
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    max_connections: 200,
    ...own,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const start = async () => {
    const child = spawn(join(bin, "postgres"), ["-D", data, ...args], {
      ...user,
      cwd: folder,
      stdio: "ignore",
    });
    await accepts(url, child);
    return child;
  };
  let server = await start();
  const stop = async (signal: NodeJS.Signals) => {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await ended;
  };
  return {
    url,
    stop: async () => {
      await stop("SIGQUIT"); // at once: nothing in it is wanted
      rmSync(folder, { recursive: true, force: true });
    },
    restart: async () => {
      await stop("SIGQUIT");
      server = await start();
    },
  };
}

/** A pooler in front of a server. */
export interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
  /** Ends it at once, with all its connections, and starts it again. */
  restart(): Promise<void>;
}

/** Starts PgBouncer in transaction mode in front of a server. */
export async function startPooler(server: PostgresServer): Promise<Pooler> {
  const { hostname, port: serverPort, pathname, username, password } = new URL(server.url);
  const folder = ownedFolder("hookporter-pgbouncer-");
  const port = await freePort();
  const config = join(folder, "pgbouncer.ini");
  const secret = password === "" ? "" : ` password=${decodeURIComponent(password)}`;
  writeFileSync(
    config,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=${username}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = transaction
default_pool_size = 10
server_login_retry = 0.5
unix_socket_dir =
`,
  );
  chmodSync(config, 0o644);
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  const start = async () => {
    const child = spawn(PGBOUNCER, [config], { ...user, cwd: folder, stdio: "ignore" });
    await accepts(url, child);
    return child;
  };
  let child = await start();
  const end = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  return {
    url,
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
    restart: async () => {
      await end();
      child = await start();
    },
  };
}

function ownedFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

/** Resolves once a server answers; rejects if it ends before. */
async function accepts(url: string, child: ChildProcess): Promise<void> {
  for (const end = Date.now() + 60_000; ; await delay(50)) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.query("SELECT 1");
      await client.end();
      return;
    } catch (error) {
      await client.end().catch(() => {});
      if (child.exitCode !== null || Date.now() > end) throw error;
    }
  }
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(),
      );
    });
  });
}
