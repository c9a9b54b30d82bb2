import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, matchesGlob, posix, relative } from "node:path";
import { expect, vi } from "vitest";
import { printedBy, type World } from "./world.ts";

/** In place of what the base image has, read only. */
const SYSTEM = "usr bin sbin lib lib64";
const PASSWD = "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n";
const GROUPS = "root:x:0:\nnode:x:1000:\n";
const IDS: Readonly<Record<string, string>> = { root: "0:0", node: "1000:1000" };
const AS_ROOT = process.getuid?.() === 0 ? [] : ["sudo", "--non-interactive", "--preserve-env"];

/**
 * Runs a command in a root as a user: `sh -c … sh root mode ids folder volumes command…`. The mode
 * `ro` is that of `docker run --read-only --tmpfs /tmp`.
 */
const RUN_INSIDE = `
root=$1 mode=$2 ids=$3 folder=$4 volumes=$5
shift 5
mount --bind "$root" "$root"
for name in ${SYSTEM}; do
  if [ -L "/$name" ]; then
    ln -sfn "$(readlink "/$name")" "$root/$name"
  elif [ -d "/$name" ]; then
    mkdir -p "$root/$name"
    mount --bind "/$name" "$root/$name"
    mount -o remount,bind,ro "$root/$name"
  fi
done
mkdir -p "$root/dev" "$root/proc" "$root/tmp"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
if [ "$mode" = rw ]; then
  mkdir -p "$root/root/.npm/_cacache"
  mount --bind "$DOWNLOADS" "$root/root/.npm/_cacache"
fi
for volume in $volumes; do mount --bind "$root$volume" "$root$volume"; done
[ "$mode" = rw ] || mount -o remount,bind,ro "$root"
export PATH="$IMAGE_PATH"
exec chroot --userspec="$ids" "$root" sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
`;

type Mode = "ro" | "rw";

interface Stage {
  readonly root: string;
  readonly env: Record<string, string>;
  readonly volumes: string[];
  workdir: string;
  user: string;
  healthcheck: readonly string[];
  command: readonly string[];
}

/**
 * A project's Dockerfile, built without Docker: each stage is a folder, which is the root of its
 * steps and has what the Dockerfile copies and nothing else of the project. Node is of the version
 * that it names; the system, the network and npm's downloads are this machine's.
 */
export class Image {
  readonly #world: World;
  readonly #place: string;
  readonly #context: string;
  readonly #stages = new Map<string, Stage>();
  #stage: Stage | undefined;

  private constructor(world: World) {
    this.#world = world;
    this.#place = join(world.place, "image");
    this.#context = join(this.#place, "context");
  }

  /** Follows the Dockerfile of a project. */
  static async build(world: World, project: string): Promise<Image> {
    const image = new Image(world);
    mkdirSync(image.#place);
    copyContext(project, image.#context);
    for (const [name, rest] of instructionsOf(world.read(project, "Dockerfile")))
      await image.#follow(name, rest);
    return image;
  }

  /** Starts it as `docker run --read-only --tmpfs /tmp --env-file` does, until it is ready. */
  async start(envFile: string, isReady: RegExp): Promise<ChildProcess> {
    const env = this.#environment(readEnvFile(envFile));
    const argv = this.#inside("ro", this.#built.command);
    const child = spawn("env", argv, { env, stdio: ["ignore", "pipe", "pipe"] });
    const printed = printedBy(child);
    await vi.waitFor(() => expect(printed()).toMatch(isReady), { timeout: 60_000 });
    return child;
  }

  /** Runs its health check beside it; returns the exit code. */
  async checkHealth(envFile: string): Promise<number> {
    return (await this.#run("ro", this.#built.healthcheck, readEnvFile(envFile))).code;
  }

  /** Runs a line of the shell beside it, as its user; returns what it printed. */
  async shell(line: string): Promise<string> {
    return (await this.#run("ro", ["sh", "-c", line])).text;
  }

  remove(): void {
    spawnSync("env", [...AS_ROOT, "rm", "-rf", this.#place]);
  }

  get #built(): Stage {
    if (this.#stage === undefined) throw new Error("expected a Dockerfile that begins with FROM");
    return this.#stage;
  }

  async #follow(name: string, rest: string): Promise<void> {
    if (name === "FROM") {
      await this.#begin(rest);
      return;
    }
    const stage = this.#built;
    if (name === "WORKDIR") {
      stage.workdir = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
    } else if (name === "ENV") {
      for (const [, key = "", value = ""] of rest.matchAll(/(\w+)=(\S*)/g)) stage.env[key] = value;
    } else if (name === "COPY") {
      this.#copy(rest);
    } else if (name === "RUN") {
      const { code, text } = await this.#run("rw", ["sh", "-c", rest], this.#network());
      if (code !== 0) throw new Error(`RUN ${rest}: exit code ${code}\n${text}`);
    } else if (name === "USER") {
      stage.user = rest;
    } else if (name === "VOLUME") {
      stage.volumes.push(rest);
    } else if (name === "HEALTHCHECK") {
      stage.healthcheck = JSON.parse(rest.slice(rest.indexOf("[")));
    } else if (name === "CMD") {
      stage.command = JSON.parse(rest);
    } else if (name !== "EXPOSE") {
      throw new Error(`expected an instruction that is known here, got ${name} ${rest}`);
    }
  }

  async #begin(rest: string): Promise<void> {
    const [, major, alias = "image"] = /^node:(\d+)-slim(?: AS (\w+))?$/.exec(rest) ?? [];
    if (major === undefined) throw new Error(`expected an image of Node, got FROM ${rest}`);
    const root = join(this.#place, alias);
    for (const folder of ["etc", "opt"]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "etc", "passwd"), PASSWD);
    writeFileSync(join(root, "etc", "group"), GROUPS);
    for (const name of ["hosts", "resolv.conf"])
      copyFileSync(join("/etc", name), join(root, "etc", name));
    const line = `npx --yes --package node@${major} -- node -p process.execPath`;
    const { text } = await this.#world.shell(this.#world.folder, line);
    copyFileSync(text.trim().split("\n").at(-1) ?? "", join(root, "opt", "node"));
    this.#stage = {
      root,
      env: {},
      volumes: [],
      workdir: "/",
      user: "root",
      healthcheck: [],
      command: [],
    };
    this.#stages.set(alias, this.#stage);
  }

  #copy(rest: string): void {
    const stage = this.#built;
    const [, alias, listed = ""] = /^(?:--from=(\w+) )?(.+)$/.exec(rest) ?? [];
    const from = alias === undefined ? this.#context : this.#stages.get(alias)?.root;
    const words = listed.split(" ");
    const target = posix.resolve(stage.workdir, words.pop() ?? "");
    for (const word of words) {
      const source = join(from ?? "", word);
      if (from === undefined || !existsSync(source))
        throw new Error(`COPY ${rest}: ${word} was not found`);
      const isFile = statSync(source).isFile() && listed.endsWith("/");
      const place = join(stage.root, target, isFile ? posix.basename(word) : "");
      cpSync(source, place, { recursive: true, verbatimSymlinks: true });
    }
  }

  async #run(mode: Mode, argv: readonly string[], own: Readonly<Record<string, string>> = {}) {
    const env = this.#environment(own);
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn("env", this.#inside(mode, argv), { env, stdio: [...stdio] });
    const printed = printedBy(child);
    const [code] = await once(child, "close");
    return { code: Number(code), text: printed() };
  }

  /** The arguments of `env` that run a command in the image. */
  #inside(mode: Mode, argv: readonly string[]): readonly string[] {
    const { root, workdir, user, volumes } = this.#built;
    const place = [root, mode, IDS[user] ?? "", workdir, volumes.join(" ")];
    return [...AS_ROOT, "unshare", "--mount", "sh", "-ec", RUN_INSIDE, "sh", ...place, ...argv];
  }

  #environment(own: Readonly<Record<string, string>>): Record<string, string> {
    const paths = ["/opt", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
    return {
      PATH: process.env.PATH ?? "",
      IMAGE_PATH: paths.join(":"),
      DOWNLOADS: realpathSync(join(this.#world.home, ".npm", "_cacache")),
      HOME: "/root",
      ...this.#built.env,
      ...own,
    };
  }

  /** What a builder has beside the Dockerfile: the registry, and whom it trusts. */
  #network(): Record<string, string> {
    const authority = this.#world.env.NODE_EXTRA_CA_CERTS;
    if (authority === undefined) return { npm_config_registry: this.#world.registry.url };
    const copied = "/etc/authority.pem";
    copyFileSync(authority, join(this.#built.root, copied));
    return { npm_config_registry: this.#world.registry.url, NODE_EXTRA_CA_CERTS: copied };
  }
}

/** The instructions of a Dockerfile, with continued lines put together. */
function instructionsOf(text: string): readonly (readonly [string, string])[] {
  return text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [name = ""] = line.split(" ", 1);
      return [name, line.slice(name.length + 1)];
    });
}

/** Copies what Docker sends to a builder: all but what `.dockerignore` names. */
function copyContext(project: string, context: string): void {
  const text = readFileSync(join(project, ".dockerignore"), "utf8");
  const ignored = text.split("\n").filter((line) => line !== "");
  cpSync(project, context, {
    recursive: true,
    filter: (path) => !ignored.some((pattern) => matchesGlob(relative(project, path), pattern)),
  });
}

/** The variables of a file as `docker run --env-file` reads it: as they are, without quotes. */
function readEnvFile(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}
