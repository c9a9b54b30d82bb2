import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempFolder } from "../../cli/fake-io.ts";
import { NO_SERVER, startPostgres } from "./server.ts";

const PRIVATE = "10.9.9.9";
const PUBLIC = "203.0.113.9";
/** Gives this machine more addresses, which nothing outside sees. */
const NETWORK = `ip link set lo up && ip addr add ${PRIVATE}/32 dev lo && ip addr add ${PUBLIC}/32 dev lo && ip -6 addr add fd00::9/128 dev lo nodad && ip -6 addr add 2001:db8::9/128 dev lo nodad`;
const isPossible = (() => {
  try {
    execFileSync("unshare", ["-n", "sh", "-c", NETWORK], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
const MISSING =
  NO_SERVER ?? (isPossible ? undefined : "skipped: no network namespace may be made here");
if (MISSING !== undefined) process.stdout.write(`\n${MISSING}\n`);

interface Case {
  readonly host: string;
  readonly challenge?: "clear" | "md5" | "scram";
  readonly query?: string;
}
interface Result {
  readonly seen?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly warnings: readonly { readonly address: string; readonly text: string }[];
  readonly doctor?: readonly { readonly status: string; readonly message: string }[];
}

async function tryAll(cases: readonly Case[], socket = ""): Promise<readonly Result[]> {
  const child = join(import.meta.dirname, "children", "networked.js");
  const bin = join(import.meta.dirname, "..", "..", "..", "dist", "hookporter.cjs");
  const argv = JSON.stringify({ cases, socket, bin });
  const { stdout } = await promisify(execFile)(
    "unshare",
    ["-n", "sh", "-c", `${NETWORK} && exec "$0" "$@"`, process.execPath, child, argv],
    { cwd: tempFolder(), env: { PATH: process.env.PATH } },
  );
  return JSON.parse(stdout);
}

describe.skipIf(MISSING !== undefined)("a server without TLS", () => {
  const asked = (["clear", "md5", "scram"] as const).flatMap((challenge) => {
    const sent = challenge === "clear" ? "password" : "digest";
    const plain = ["asks for TLS", "startup", sent];
    const to = (hosts: readonly string[], seen: readonly string[], warnings: number, query = "") =>
      hosts.map((host) => ({ tried: { host, challenge, query }, seen, warnings }));
    return [
      ...to(["127.0.0.1", "::1"], plain, 0),
      ...to([PRIVATE, "fd00::9"], plain, 1),
      ...to([PUBLIC, "2001:db8::9"], ["asks for TLS"], 0),
      ...to([PRIVATE, PUBLIC], ["startup", sent], 0, "?sslmode=disable"),
    ];
  });

  it("gets a password at this machine and at a private address, and at a public one if the URL says so", {
    timeout: 60_000,
  }, async () => {
    const results = await tryAll(asked.map(({ tried }) => tried));
    const found = results.map(({ seen, warnings, error }, index) => ({
      tried: asked[index]?.tried,
      seen,
      warnings: warnings.length,
      isRefused: /public address: .*sslmode=verify-full.*sslmode=disable/.test(
        error?.message ?? "",
      ),
      code: error?.code,
    }));
    expect(found).toEqual(
      asked.map((one) => ({
        ...one,
        isRefused: one.seen.length === 1,
        code: one.seen.length === 1 ? "inbox_unavailable" : expect.any(String),
      })),
    );
  });

  it("is named by a warning at start, once, and by `doctor`", { timeout: 60_000 }, async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query("SHOW unix_socket_directories");
    await client.end();
    const path = `${rows[0].unix_socket_directories}/.s.PGSQL.${new URL(server.url).port}`;
    const hosts = ["127.0.0.1", PRIVATE, PUBLIC];
    const cases = [...hosts.map((host) => ({ host })), { host: PUBLIC, query: "?sslmode=disable" }];
    const [own, near, far, said] = await tryAll(cases, path);
    expect(own).toMatchObject({ warnings: [], doctor: [{ status: "ok" }] });
    expect(near).toMatchObject({
      warnings: [{ address: PRIVATE, text: expect.stringContaining("sslmode=verify-full") }],
      doctor: [
        {
          status: "warn",
          message: `the connection to ${PRIVATE} is unencrypted, as the server has no TLS`,
        },
      ],
    });
    expect(far).toMatchObject({
      error: { code: "inbox_unavailable" },
      warnings: [],
      doctor: [{ status: "fail", message: expect.stringContaining("a public address") }],
    });
    expect(said).toMatchObject({ warnings: [], doctor: [{ status: "ok" }] });
  });
});
