import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const HOUR = 3_600_000;

/** A registry on this machine that has our package as if it were published. */
export interface Registry {
  readonly url: string;
  /** Publishes a packed package; the newest one is `latest`. */
  publish(tarball: string): Promise<void>;
  close(): void;
}

interface Version {
  readonly manifest: Record<string, unknown>;
  readonly tarball: Buffer;
}

/** Starts a registry; for all packages but ours it answers what the machine's registry says. */
export async function startRegistry(): Promise<Registry> {
  const upstream = await upstreamOf();
  const versions = new Map<string, Version>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(502).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}/`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", url).pathname.slice(1);
    if (request.method !== "GET") {
      request.resume();
      return void response.writeHead(200, { "content-type": "application/json" }).end("{}");
    }
    if (path === "hookporter") return void json(response, packument());
    const own = /^hookporter\/-\/hookporter-(.+)\.tgz$/.exec(path)?.[1];
    if (own !== undefined) return void response.end(versions.get(own)?.tarball);
    if (path.includes("/-/")) {
      return void response.writeHead(302, { location: new URL(path, upstream).href }).end();
    }
    const accept = request.headers.accept ?? "application/json";
    const found = await describe(new URL(path, upstream), accept);
    if (typeof found === "string") json(response, found);
    else response.writeHead(found).end("{}"); // npm leaves out an optional package at once
  }

  function packument(): string {
    const entries = [...versions];
    return JSON.stringify({
      name: "hookporter",
      "dist-tags": { latest: entries.at(-1)?.[0] },
      versions: Object.fromEntries(
        entries.map(([version, { manifest, tarball }]) => [
          version,
          {
            ...manifest,
            dist: {
              tarball: `${url}hookporter/-/hookporter-${version}.tgz`,
              integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
              shasum: createHash("sha1").update(tarball).digest("hex"),
            },
          },
        ]),
      ),
    });
  }

  return {
    url,
    async publish(path) {
      const { stdout } = await execute("tar", ["-xzOf", path, "package/package.json"]);
      const manifest = JSON.parse(stdout);
      versions.set(manifest.version, { manifest, tarball: readFileSync(path) });
    },
    close: () => void server.close(),
  };
}

function json(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(text);
}

async function upstreamOf(): Promise<string> {
  const { stdout } = await execute("npm", ["config", "get", "registry"]);
  return stdout.trim().replace(/\/?$/, "/");
}

/**
 * What the machine's registry says of a package; kept for an hour, as journeys ask the same. The
 * status if it has none.
 */
async function describe(url: URL, accept: string): Promise<string | number> {
  const folder = join(tmpdir(), "hookporter-journeys-registry");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, createHash("sha256").update(`${url.href} ${accept}`).digest("hex"));
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (age < HOUR) return readFileSync(file, "utf8");
  const found = await fetch(url, { headers: { accept } });
  if (found.status >= 400 && found.status < 500) return found.status;
  if (!found.ok) throw new Error(`${url.href} answered ${found.status}`);
  const text = await found.text();
  writeFileSync(file, text);
  return text;
}
