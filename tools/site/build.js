// `npm run docs` builds the site into tools/site/dist/; `npm run docs -- dev` serves it, and
// follows edits of docs/.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { llmsFiles } from "./llms.js";

const here = import.meta.dirname;
const project = join(here, "..", "..");
/** The folders of docs/ whose files are served as they are: pages link to them. */
const files = JSON.parse(readFileSync(join(here, "files.json"), "utf8"));
/** The site has the pages of the package: the others are for people who have a clone. */
const leftOut = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
  .files.filter((path) => /^!docs\/.*\.md$/.test(path))
  .map((path) => join(project, path.slice("!".length)));
const pages = join(here, "pages");
const lock = join(here, "package-lock.json");
const installed = join(here, "node_modules", ".package-lock.json");

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  const npm = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", npm, {
    cwd: here,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}

// Copied, since compiled pages import Vue, which is found only from beside it.
rmSync(pages, { recursive: true, force: true });
copyPages();
const { build, createServer } = await import("vitepress");
if (process.argv[2] === "dev") {
  watch(join(project, "docs"), { recursive: true }, copyPages);
  const server = await createServer(here, { host: "127.0.0.1" });
  await server.listen();
  server.printUrls();
} else {
  await build(here);
}

function copyPages() {
  cpSync(join(project, "docs"), pages, {
    recursive: true,
    filter: (path) => !leftOut.includes(path),
  });
  for (const name of ["CHANGELOG.md", "SECURITY.md"])
    cpSync(join(project, name), join(pages, name));
  cpSync(join(pages, "README.md"), join(pages, "contents.md"));
  rmSync(join(pages, "README.md"));
  cpSync(join(here, "home.md"), join(pages, "index.md"));
  const docs = join(project, "docs");
  for (const folder of files)
    cpSync(join(docs, folder), join(pages, "public", folder), { recursive: true });
  const read = (path) => readFileSync(join(docs, path), "utf8");
  mkdirSync(join(pages, "public"), { recursive: true });
  for (const [name, text] of Object.entries(llmsFiles(read("README.md"), read)))
    writeFileSync(join(pages, "public", name), text);
}
