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
import packageJson from "../../package.json" with { type: "json" };
import { scaffold } from "../../src/scaffold/scaffold.ts";

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

  test("imports only the published package", async () => {
    const { files, directory } = await scaffold({ directory: join(place, "a") });
    const imports: string[] = [];
    for (const file of files.filter((file) => file.endsWith(".ts"))) {
      const text = await readFile(join(directory, file), "utf8");
      imports.push(...[...text.matchAll(/from "([^".][^"]*)"/g)].map(([, name]) => name ?? ""));
    }
    const allowed =
      /^(?:hookporter(?:\/(?:config|express|metrics|testing))?|express|prom-client|zod|vitest|node:.*)$/;
    expect(imports).toContain("hookporter");
    expect(imports.filter((name) => !allowed.test(name))).toEqual([]);
  });

  test("keeps an existing repository", async () => {
    execFileSync("git", ["init", "--quiet", place]);
    const { files } = await scaffold({ directory: place, name: "mine" });
    expect(files).toContain("package.json");
    expect((await lstat(join(place, ".git", "HEAD"))).isFile()).toBe(true);
  });
});

describe("refuses, and writes nothing", () => {
  test("a folder that is not empty", async () => {
    await writeFile(join(place, "notes.txt"), "mine");
    const refused = scaffold({ directory: place });
    await expect(refused).rejects.toThrow(code("directory_not_empty"));
    await expect(refused).rejects.toThrow("--into");
    expect(await filesIn(place)).toEqual(["notes.txt"]);
  });

  test("a folder with a dangling .env link in it", async () => {
    await symlink(join(place, "elsewhere"), join(place, ".env"));
    await expect(scaffold({ directory: place })).rejects.toThrow(code("directory_not_empty"));
    expect(await filesIn(place)).toEqual([".env"]);
  });

  test("a target that is a link, to an empty folder or to nothing", async () => {
    await mkdir(join(place, "real"));
    await symlink(join(place, "real"), join(place, "link"));
    await symlink(join(place, "nothing"), join(place, "dangling"));
    await expect(scaffold({ directory: join(place, "link") })).rejects.toThrow(
      code("option_invalid"),
    );
    await expect(scaffold({ directory: join(place, "dangling") })).rejects.toThrow(
      code("option_invalid"),
    );
    expect(await filesIn(join(place, "real"))).toEqual([]);
  });

  test("a target that is a file", async () => {
    await writeFile(join(place, "file"), "mine");
    await expect(scaffold({ directory: join(place, "file") })).rejects.toThrow(
      code("option_invalid"),
    );
    expect(await readFile(join(place, "file"), "utf8")).toBe("mine");
  });

  test.each(["rails", "", "_shared", ".", "..", "../src", "express/src", "__proto__"])(
    "the template %j, naming the existing ones",
    async (template) => {
      const scaffolding = scaffold({ directory: join(place, "a"), template });
      await expect(scaffolding).rejects.toThrow(code("template_unknown"));
      await expect(scaffolding).rejects.toThrow(/express/);
      expect(await readdir(place)).toEqual([]);
    },
  );

  test.each([
    "Upper",
    "a b",
    "../up",
    ".hidden",
    "_x",
    "a/b",
    "",
    "node_modules",
    "x".repeat(215),
    "a\n",
  ])("the name %j", async (name) => {
    await expect(scaffold({ directory: join(place, "a"), name })).rejects.toThrow(
      code("option_invalid"),
    );
    expect(await readdir(place)).toEqual([]);
  });

  test.each(["hookporter", "express", "vitest"])("the name of a dependency, %s", async (name) => {
    await expect(scaffold({ directory: join(place, "a"), name })).rejects.toThrow(
      code("option_invalid"),
    );
    expect(await readdir(place)).toEqual([]);
  });

  test.each(["short", "", "sixteen-or-more-but\nPORT=1", 'quoted"quoted"quoted'])(
    "the secret %j",
    async (secret) => {
      await expect(scaffold({ directory: join(place, "a"), secret })).rejects.toThrow(
        code("option_invalid"),
      );
      expect(await readdir(place)).toEqual([]);
    },
  );
});
