import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { scaffold } from "../../../src/cli/scaffold/scaffold.ts";
import { root } from "../../docs/markdown.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

const KINDS =
  "payment.received tenant.created lease.expired deal.status_changed contact.created".split(" ");

/** Handlers that use fields of data that nobody wrote down. */
const HANDLERS = `import { defineHandlers } from "hookporter";
import { otherKinds, schemas } from "./schemas.ts";

export default defineHandlers({
  schemas,
  otherKinds,
  handlers: {
    "payment.received": (event) => void event.data.amount.padStart(8),
    "tenant.created": (event) => void event.data.lease_start.slice(0, 4),
    "lease.expired": (event) => void event.data.expires_on.slice(0, 4),
    "deal.status_changed": (event) => void event.data.status.toUpperCase(),
    "contact.created": (event) => void event.data.email.split("@"),
    "invoice.sent": (event) => void event.data["code postal"].padStart(event.data.number),
  },
});
`;

it("a new project's handlers are typed by what it received, with no edit of the schemas", async () => {
  const cwd = await newProject();
  const { trigger, url, stop } = await listening(["--no-inspect", "--inbox", "data/inbox.db"], cwd);
  for (const kind of KINDS) expect((await trigger(kind, "--count", "40")).code).toBe(0);
  for (let number = 0; number < 40; number++) {
    const invoice = {
      event: "invoice.sent",
      timestamp: new Date().toISOString(),
      webhook: { id: "wh_1", url: "https://app.test/" },
      data: { prénom: number % 2 ? "Zoé" : null, "code postal": "01000", number },
    };
    await writeFile(join(cwd, "data", `${number}.json`), JSON.stringify(invoice));
  }
  expect((await runCli(["replay", "data", "--url", url], { cwd })).code).toBe(0);
  await stop();

  const { code, stderr } = await runCli(["types", "--with-samples"], { cwd });
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/contact\.created +40 events.*invoice\.sent +40 events/s),
  ]);
  expect(await failedTests(cwd)).toEqual([]);
  const file = join(cwd, "src", "learned-handlers.ts");
  await writeFile(file, HANDLERS);
  expect(await compilerOutput(cwd)).toBe("");
  await writeFile(file, HANDLERS.replace("amount.pad", "amount.nope.pad"));
  expect(await compilerOutput(cwd)).toContain("nope");
});

it("a 13th kind compiles in the handlers' files, and a misspelt one is told with those of its family", async () => {
  const cwd = await newProject();
  const schemas = join(cwd, "src", "schemas.ts");
  const learned = await readFile(schemas, "utf8");
  await writeFile(schemas, learned.replace("otherKinds = []", 'otherKinds = ["invoice.sent"]'));
  const finances = join(cwd, "src", "handlers", "finances.ts");
  const before = await readFile(finances, "utf8");
  const withHandler = (pattern: string) =>
    writeFile(
      finances,
      before.replace(/^}$/m, `  receiver.on(${pattern}, ({ kind }) => void kind);\n}`),
    );
  await withHandler('"invoice.sent"');
  expect(await compilerOutput(cwd)).toBe("");
  expect(await compilerOutput(cwd, ["src", "test"])).toBe("");
  await withHandler('"payment.recieved"');
  expect(await compilerOutput(cwd)).toContain('"did you mean payment.received?"');
  await withHandler('["payment.received", "paymnt.overdue"]');
  expect(await compilerOutput(cwd)).toContain(
    "no such event kind: expected one of EventKind or otherKinds",
  );
});

/** A new project, with packages of which `hookporter` is this one, as it is built. */
async function newProject(): Promise<string> {
  const place = tempFolder();
  const cwd = join(place, "app");
  await scaffold({ directory: cwd, template: "express", inbox: "file" });
  const packages = join(place, "packages");
  await mkdir(packages);
  await symlink(root, join(packages, "hookporter"), "junction");
  for (const name of ["zod", "express", "prom-client", "@types", "typescript", "vitest"])
    await symlink(join(root, "node_modules", name), join(packages, name), "junction");
  await symlink(packages, join(cwd, "node_modules"), "junction");
  return cwd;
}

/** The project's own tests of its handlers that fail. */
async function failedTests(cwd: string): Promise<readonly string[]> {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const argv = [vitest, "run", "test/handlers.test.ts", "--reporter", "json"];
  const run = promisify(execFile)(process.execPath, argv, {
    cwd,
    env: { ...process.env, VITEST: undefined },
  });
  const { stdout } = await run.catch((error) => error);
  const { testResults } = JSON.parse(stdout);
  const tests: readonly { title: string; status: string }[] = testResults[0].assertionResults;
  expect(tests.length).toBeGreaterThan(10);
  return tests.flatMap(({ title, status }) => (status === "failed" ? [title] : []));
}

/** What the compiler says of a project's sources, by default without its tests. */
async function compilerOutput(cwd: string, include = ["src"]): Promise<string> {
  const settings = { extends: "./tsconfig.json", include, compilerOptions: { noEmit: true } };
  await writeFile(join(cwd, "tsconfig.src.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const run = promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.src.json"], { cwd });
  return (await run.catch((error) => error)).stdout;
}
