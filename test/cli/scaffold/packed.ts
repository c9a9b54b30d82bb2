import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..", "..", "..");
const execute = promisify(execFile);

/** The settings of this user's npm, and the way to a registry. */
const INHERITED = /^(?:PATH|SystemRoot|NODE_EXTRA_CA_CERTS|YARN_\w+)$/;
const QUIET = ["--no-audit", "--no-fund", "--prefer-offline"];

/** The packed package, installed as a tool, and a new user's home for what is made with it. */
export interface Packed {
  readonly place: string;
  readonly env: Record<string, string | undefined>;
  /**
   * Runs a program to its end; returns what it printed to standard output and to standard error.
   */
  run(
    cwd: string,
    program: string,
    ...argv: readonly string[]
  ): Promise<{ stdout: string; stderr: string }>;
  /**
   * Makes a project that depends on the packed package, which is not published yet. Returns its
   * folder.
   */
  init(name: string, ...flags: readonly string[]): Promise<string>;
  /**
   * Copies a project of `examples/`, which then depends on the packed package. Returns its folder.
   */
  copyExample(name: string): string;
  remove(): void;
}

export async function packPackage(): Promise<Packed> {
  const place = mkdtempSync(join(tmpdir(), "hookporter-packed-"));
  mkdirSync(join(place, "home"));
  const env: Packed["env"] = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name))),
    HOME: join(place, "home"),
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
    npm_config_userconfig: join(homedir(), ".npmrc"),
    NEXT_TELEMETRY_DISABLED: "1",
  };
  const run: Packed["run"] = async (cwd, program, ...argv) => {
    try {
      return await execute(program, argv, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    } catch (thrown) {
      const { stdout, stderr } = Object(thrown);
      throw new Error(`${program} ${argv.join(" ")} failed: ${stdout}${stderr}`, { cause: thrown });
    }
  };
  await run(root, "npm", "pack", "--ignore-scripts", "--pack-destination", place);
  const tarball = join(place, readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "");
  const tool = join(place, "tool");
  mkdirSync(tool);
  writeFileSync(join(tool, "package.json"), '{ "private": true }');
  await run(tool, "npm", "install", tarball, ...QUIET);
  const dependOnTarball = (project: string) => {
    const path = join(project, "package.json");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    manifest.dependencies.hookporter = `file:${tarball}`;
    writeFileSync(path, JSON.stringify(manifest, null, 2));
    return project;
  };
  return {
    place,
    env,
    run,
    async init(name, ...flags) {
      await run(place, commandIn(tool), "init", name, ...flags);
      return dependOnTarball(join(place, name));
    },
    copyExample(name) {
      const project = join(place, `example-${name}`);
      cpSync(join(root, "examples", name), project, { recursive: true });
      return dependOnTarball(project);
    },
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

/** The command line as a project has it. */
export function commandIn(folder: string): string {
  return join(folder, "node_modules", ".bin", "hookporter");
}
