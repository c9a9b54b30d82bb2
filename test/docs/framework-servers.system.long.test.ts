import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { type InstalledModules, installModules } from "./installed-modules.ts";
import { onlySection, quoted, readPage, withoutCode } from "./markdown.ts";
import { HAS_OWN_PORTS, runPage } from "./run-page.ts";
import { ownPage } from "./shell-blocks.ts";

interface Server {
  readonly page: string;
  /** A program that starts it, if the page leaves that to a framework. */
  readonly starter?: string;
  /** What Node runs, if that is neither the page's program nor the starter. */
  readonly main?: string;
  /**
   * A package that this repository lacks: the server runs only in the long run, which installs it.
   */
  readonly from?: string;
  readonly path?: string;
}

/** Pages with a whole server. */
const SERVERS: readonly Server[] = [
  { page: "docs/frameworks/express.md" },
  { page: "docs/frameworks/fastify.md" },
  { page: "docs/frameworks/node-http.md" },
  {
    page: "docs/frameworks/fetch.md",
    starter:
      'import { serve } from "@hono/node-server";\nimport { POST } from "./route.mjs";\nserve({ fetch: POST, port: 3000 });\n',
  },
  { page: "docs/frameworks/koa.md" },
  {
    page: "docs/frameworks/google-cloud-functions.md",
    main: "node_modules/@google-cloud/functions-framework/build/src/main.js --target=webhooks --port=3000",
    from: "@google-cloud/functions-framework@5",
    path: "/",
  },
];
const isLong = process.env.HOOKPORTER_LONG !== undefined;

/** How the page of all frameworks says that a recipe is tried. */
const [START = "", SEND = ""] = quoted(
  withoutCode(onlySection(readPage("docs/frameworks/index.md"), "a-project-for-the-recipes")),
).filter((text) => /^(?:node|npx) /.test(text));

/** Whether an endpoint refuses a request without a signature. */
const answers401 = (url: string) =>
  `[ "$(curl -s -o curl.txt -w '%{http_code}' -X POST ${url})" = 401 ]`;

let modules: InstalledModules;

beforeAll(() => {
  modules = installModules();
  return modules.remove;
});

it.skipIf(!HAS_OWN_PORTS).each(SERVERS.filter(({ from }) => isLong || from === undefined))(
  "the server on $page receives what `trigger` sends, and nothing unsigned",
  { timeout: 240_000 },
  async ({
    page,
    starter,
    main = starter === undefined ? "server.mjs" : "main.mjs",
    from,
    path,
  }) => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-framework-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    if (from !== undefined) await install(from, join(folder, "installed"));
    const url = `http://127.0.0.1:3000${path ?? "/webhooks"}`;
    const steps = [
      ownPage(page).replace(/, inbox: "postgres:[^"]*"/, ""),
      `<!-- file: main.mjs -->\n\`\`\`js\n${starter ?? ""}\`\`\``,
      `<!-- start: ${START.replace("server.mjs", main)} -->`,
      `<!-- run: until ${answers401(url)}; do sleep 0.2; done -->`,
      `\`\`\`sh\n${path === undefined ? SEND : SEND.replace("3000", url)}\n\`\`\``,
      "```text\n200 payment.received 42.5 ms  new  evt_1_82e2f2a39ddb172e85c996ef4c5572a6ef793939\n```",
    ];
    const text = steps.join("\n\n");
    expect(await runPage({ path: page, text }, folder, modules.path)).toEqual([]);
  },
);

/** Installs a package in a folder, and links it among the modules of the pages. */
async function install(from: string, folder: string): Promise<void> {
  mkdirSync(folder);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await promisify(execFile)("npm", ["install", from, "--prefix", folder, ...flags]);
  const name = from.replace(/@\d+$/, "");
  const link = join(modules.path, name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(folder, "node_modules", name), link, "junction");
}
