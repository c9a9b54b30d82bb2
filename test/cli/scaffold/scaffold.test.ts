import { execFileSync } from "node:child_process";
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { scaffold } from "../../../src/cli/scaffold/scaffold.ts";

let place: string;

beforeEach(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), "hookporter-scaffold-")));
});

afterEach(() => rm(place, { recursive: true, force: true }));

const code = (expected: string) => expect.objectContaining({ code: expected });

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}

describe("the express template", () => {
  test("becomes a project with the folder's name, and hookporter at this version", async () => {
    const directory = join(place, "deep", "Rent Desk");
    const made = await scaffold({ directory });
    expect(made).toMatchObject({ directory, name: "rent-desk", template: "express" });
    const manifest = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
    expect(manifest).toMatchObject({ name: "rent-desk", private: true, type: "module" });
    expect(manifest.dependencies.hookporter).toBe(`^${packageJson.version}`);
    expect(Object.keys(manifest.dependencies)).toEqual([
      "express",
      "hookporter",
      "prom-client",
      "zod",
    ]);
  });

  test("is listed file by file, with the ignore files under their real names", async () => {
    const { files, directory } = await scaffold({ directory: join(place, "a") });
    expect(files).toEqual(await filesIn(directory));
    expect(files).toEqual(
      expect.arrayContaining([".gitignore", ".dockerignore", ".env", ".env.example"]),
    );
    expect(files.filter((path) => path.startsWith("_") || path.includes("node_modules"))).toEqual(
      [],
    );
    expect(await readFile(join(directory, ".gitignore"), "utf8")).toMatch(/^\.env$/m);
    expect(await readFile(join(directory, ".dockerignore"), "utf8")).toMatch(/^\.env$/m);
  });

  test("has the secret in .env, only for its owner, and nowhere else", async () => {
    const made = await scaffold({ directory: join(place, "a") });
    const path = join(made.directory, ".env");
    const secret = /^HOOKPORTER_SECRET=([\w-]{43})$/m.exec(await readFile(path, "utf8"))?.[1] ?? "";
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    if (process.platform !== "win32") expect((await lstat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(made)).not.toContain(secret);
    for (const file of made.files.filter((file) => file !== ".env")) {
      expect(await readFile(join(made.directory, file), "utf8")).not.toContain(secret);
    }
    const other = await scaffold({ directory: join(place, "b") });
    expect(await readFile(join(other.directory, ".env"), "utf8")).not.toContain(secret);
  });

  test("keeps an existing repository", async () => {
    execFileSync("git", ["init", "--quiet", place]);
    const { files } = await scaffold({ directory: place, name: "mine" });
    expect(files).toContain("package.json");
    expect((await lstat(join(place, ".git", "HEAD"))).isFile()).toBe(true);
  });
});

describe("refuses, and writes nothing", () => {
  const scaffolding = (name: string, more: object = {}) =>
    expect(scaffold({ directory: join(place, name), ...more })).rejects;

  test("a folder that is not empty, even if a dangling .env link is all in it", async () => {
    await writeFile(join(place, "notes.txt"), "mine");
    await scaffolding(".").toThrow(code("directory_not_empty"));
    await scaffolding(".").toThrow("--into");
    expect(await filesIn(place)).toEqual(["notes.txt"]);
    await mkdir(join(place, "linked"));
    await symlink(join(place, "elsewhere"), join(place, "linked", ".env"));
    await scaffolding("linked").toThrow(code("directory_not_empty"));
    expect(await filesIn(join(place, "linked"))).toEqual([".env"]);
  });

  test("a target that is a file, or a link to an empty folder or to nothing", async () => {
    await mkdir(join(place, "real"));
    await symlink(join(place, "real"), join(place, "link"));
    await symlink(join(place, "nothing"), join(place, "dangling"));
    await writeFile(join(place, "file"), "mine");
    for (const name of ["link", "dangling", "file"])
      await scaffolding(name).toThrow(code("option_invalid"));
    expect(await filesIn(join(place, "real"))).toEqual([]);
    expect(await readFile(join(place, "file"), "utf8")).toBe("mine");
  });

  test.each(["rails", "", "_shared", ".", "..", "../src", "express/src", "__proto__"])(
    "the template %j, naming the existing ones",
    async (template) => {
      await scaffolding("a", { template }).toThrow(code("template_unknown"));
      await scaffolding("a", { template }).toThrow(/express/);
      expect(await readdir(place)).toEqual([]);
    },
  );

  test("a name that npm refuses or that a dependency has, and a secret that is short or no line of .env", async () => {
    const words = ["Upper", "a b", "../up", ".hidden", "_x", "a/b", "", "x".repeat(215), "a\n"];
    const dependencies = ["node_modules", "hookporter", "express", "vitest"];
    for (const name of [...words, ...dependencies])
      await scaffolding("a", { name }).toThrow(code("option_invalid"));
    for (const secret of ["short", "", "sixteen-or-more-but\nPORT=1", 'quoted"quoted"quoted'])
      await scaffolding("a", { secret }).toThrow(code("option_invalid"));
    expect(await readdir(place)).toEqual([]);
  });
});
