import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { DEFAULT_ENDPOINT } from "../../src/http/default-endpoint.ts";
import { runCli } from "../cli/fake-io.ts";
import { listening } from "../cli/open-listen.ts";
import { compileWithPackage } from "./compile-with-package.ts";
import {
  anchorsOf,
  codeOf,
  contributorPages,
  pagesIn,
  quoted,
  readPage,
  root,
  sectionOf,
  withoutCode,
} from "./markdown.ts";
import { importsRecipePackage } from "./recipe-blocks.ts";

const docs = pagesIn("docs");
const pages = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...docs];
const readme = readPage("README.md");

it.each(pages)("every link in %s leads somewhere", (page) => {
  const links = [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(
    (match) => match[1] ?? "",
  );
  const relative = links.filter((link) => !/^https?:/.test(link));
  expect(relative.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
});

it("every picture on the pages exists, and every existing one is shown", () => {
  const shown = pages.flatMap((page) => {
    const found = readPage(page).matchAll(/\b(?:src|srcset)="([^"]+\.(?:png|svg))"/g);
    return [...found].map(([, target = ""]) => join(root, dirname(page), target));
  });
  const images = readdirSync(join(root, "docs", "images")).map((name) =>
    join(root, "docs", "images", name),
  );
  expect([...new Set(shown)].sort()).toEqual(images.sort());
});

it("the README links to the list of pages, which has each page of the package once", () => {
  expect(readme).toContain("](docs/README.md)");
  const listed = [...readPage("docs/README.md").matchAll(/^- \[.+\]\(([^.].+)\)$/gm)].map(
    ([, to]) => `docs/${to}`,
  );
  const packed = docs.filter(
    (page) => page !== "docs/README.md" && !contributorPages().includes(page),
  );
  expect(listed.sort()).toEqual(packed);
});

it("CONTRIBUTING.md links to each page that is not in the package", () => {
  const contributing = readPage("CONTRIBUTING.md");
  expect(contributorPages().length).toBeGreaterThan(0);
  expect(contributorPages().filter((page) => !contributing.includes(`](${page})`))).toEqual([]);
});

it.each([
  ["README.md", 700],
  ["CONTRIBUTING.md", 900],
])("%s has at most %i words", (page, most) => {
  expect(readPage(page).trim().split(/\s+/).length).toBeLessThanOrEqual(most);
});

it("the map of the rooms has every room of src/", () => {
  const named = quoted(sectionOf(readPage("docs/architecture.md"), "The rooms"));
  const rooms = readdirSync(join(root, "src"), { withFileTypes: true }).filter((dirent) =>
    dirent.isDirectory(),
  );
  expect(rooms.map(({ name }) => `src/${name}/`).filter((room) => !named.includes(room))).toEqual(
    [],
  );
});

it("everything that is listed as not in this version is absent", async () => {
  const items = sectionOf(readPage("docs/not-included.md"), "Not in this version")
    .split(/^- /m)
    .slice(1);
  const absent = items.flatMap((item) =>
    quoted(/\(([^)]*`[^)]*)\)/.exec(item.replaceAll(/\]\([^)]*\)/g, "]"))?.[1] ?? ""),
  );
  expect(items.length).toBeGreaterThan(3);
  expect(absent.length).toBeGreaterThanOrEqual(items.length);
  for (const name of absent) {
    if (name.startsWith("hookporter/")) {
      expect(Object.keys(packageJson.exports)).not.toContain(name.replace("hookporter", "."));
      continue;
    }
    const words = name.split(" ");
    const { code, stderr } = await runCli(name.includes("--") ? [...words, "x"] : words);
    expect([name, code]).toEqual([name, 2]);
    expect(stderr).toMatch(/unknown (?:command|option)/);
  }
});

it("only scripts of package.json are named", () => {
  const texts = ["README.md", "CONTRIBUTING.md", "AGENTS.md"].map(readPage).join("\n");
  const named = [...texts.matchAll(/\bnpm (?:run ([\w:-]+)|(test))/g)];
  const scripts = named.map((match) => match[1] ?? match[2] ?? "");
  expect(scripts.length).toBeGreaterThan(6);
  expect(scripts.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([]);
});

it("the README has the commands for a fresh clone, and names the oldest Node", () => {
  expect(codeOf(readme, "sh")).toContain("npm ci && npm run demo\nnpm ci && npm test\n");
  expect(readme).toContain(`Node ${packageJson.engines.node.replace(">=", "")} or newer`);
});

it("the README has ten lines of library code, and AGENTS.md fits on a screen", () => {
  const lines = (codeOf(readme, "ts")[0] ?? "").split("\n").filter((line) => line.trim() !== "");
  expect(lines).toHaveLength(10);
  expect(readPage("AGENTS.md").trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

/** Packages that are not installed here, as far as the pages use them. */
const NOT_INSTALLED = `
declare module "kafkajs";
declare module "@nestjs/common" {
  export function Injectable(): ClassDecorator;
  export function Module(parts: object): ClassDecorator;
}
declare module "@aws-sdk/client-sqs" {
  type Failed = { Id: string | undefined; Code: string | undefined; Message?: string | undefined };
  export class SendMessageBatchCommand { constructor(batch: { QueueUrl: string | undefined; Entries: object[] }); }
  export class SQSClient {
    constructor(options: object);
    send(command: SendMessageBatchCommand, options: { abortSignal: AbortSignal }): Promise<{ Failed?: Failed[] }>;
  }
}
`;

it("all TypeScript on the pages compiles", { timeout: 60_000 }, async () => {
  const codes = pages.flatMap((page) =>
    codeOf(readPage(page), "ts").map((code) => ({ page, code })),
  );
  expect(codes.length).toBeGreaterThan(5);
  // An example that changes the package's types would change those of all others: it has a test of
  // its own. So has one that imports a package of test/recipes.
  const alike = codes.filter(
    ({ code }) => !code.includes('declare module "hookporter"') && !importsRecipePackage(code),
  );
  const files = alike.map(({ page, code }, index): [string, string] => [
    `${page.replaceAll(/\W/g, "-")}-${index + 1}.ts`,
    code,
  ]);
  expect(await compileWithPackage(new Map([...files, ["not-installed.d.ts", NOT_INSTALLED]]))).toBe(
    "",
  );
});

it.skipIf(
  ["sh", "openssl", "curl"].some((name) => spawnSync(name, ["--help"]).error !== undefined),
)("the example for openssl and curl works as written", { timeout: 90_000 }, async () => {
  const { cwd, url } = await listening();
  const script = codeOf(readPage("docs/reference/cli/sign.md"), "sh").at(-1) ?? "";
  expect(script).toContain(DEFAULT_ENDPOINT);
  const example = script.replace(DEFAULT_ENDPOINT, url);
  const send = promisify(execFile);
  const first = await send("sh", ["-c", example], { cwd });
  expect(JSON.parse(first.stdout)).toMatchObject({ received: true, duplicate: false });
  const again = await send("sh", ["-c", example.slice(example.indexOf("digest="))], { cwd });
  expect(JSON.parse(again.stdout)).toMatchObject({ received: true, duplicate: true });
});

it("the page of the promise contains the exact promise", () => {
  const page = readPage("docs/reference/identity-and-promise.md");
  expect(sectionOf(page, "The promise").replaceAll("\n", " ")).toContain(
    "An acknowledged event is never lost; handlers run *at least once*; with `tx` (PostgreSQL) their database effects " +
      "commit together with the entry's completion, *effectively once*; no order is promised except per key, on request (`orderBy`).",
  );
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(readPage(target)).includes(anchor);
}
