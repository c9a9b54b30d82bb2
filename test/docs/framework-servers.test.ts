import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { type InstalledModules, installModules } from "./installed-modules.ts";
import { codeOf, readPage } from "./markdown.ts";
import { HAS_OWN_PORTS, runPage } from "./run-page.ts";

/** Pages with a whole server, and how it is started if the page leaves that to a framework. */
const SERVERS: readonly { readonly page: string; readonly starter?: string }[] = [
  { page: "README.md" },
  { page: "docs/frameworks/express.md" },
  { page: "docs/frameworks/fastify.md" },
  { page: "docs/frameworks/node-http.md" },
  {
    page: "docs/frameworks/fetch.md",
    starter:
      'import { serve } from "@hono/node-server";\nimport { POST } from "./server.mjs";\nserve({ fetch: POST, port: 3000 });\n',
  },
];

/** What an endpoint answers to a request without a signature. */
const ANSWERS_401 = `[ "$(curl -s -o curl.txt -w '%{http_code}' -X POST http://127.0.0.1:3000/webhooks)" = 401 ]`;

let modules: InstalledModules;

beforeAll(() => {
  modules = installModules();
  return modules.remove;
});

it.skipIf(!HAS_OWN_PORTS).each(SERVERS)(
  "the server on $page receives what `trigger` sends, and nothing unsigned",
  { timeout: 120_000 },
  async ({ page, starter }) => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-framework-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [server = ""] = codeOf(readPage(page), "ts");
    const main = starter === undefined ? "server.mjs" : "main.mjs";
    const steps = [
      "<!-- run: echo HOOKPORTER_SECRET=the-secret-of-this-test > .env; chmod 600 .env -->",
      `<!-- file: server.mjs -->\n\`\`\`js\n${server}\`\`\``,
      `<!-- file: main.mjs -->\n\`\`\`js\n${starter ?? ""}\`\`\``,
      `<!-- start: node --env-file=.env ${main} -->`,
      `<!-- run: until ${ANSWERS_401}; do sleep 0.2; done -->`,
      "```sh\nnpx hookporter trigger payment.received --url 3000\n```",
      "```text\n200 payment.received 42.5 ms  new  evt_1_82e2f2a39ddb172e85c996ef4c5572a6ef793939\n```",
    ];
    expect(await runPage(steps.join("\n\n"), folder, modules.path)).toEqual([]);
  },
);
