import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, it } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { appFolder, filesOf } from "../scaffold/into/app-folder.ts";

const into = (cwd: string, ...argv: string[]) => runCli(["init", "--into", ".", ...argv], { cwd });
const changed = (before: object, after: object) => {
  const known = new Map(Object.entries(before));
  return Object.entries(after)
    .filter(([path, text]) => known.get(path) !== text)
    .map(([path]) => path);
};
const added = (before = "", after = "") => {
  const known = before.split("\n");
  return after.split("\n").filter((line) => !known.includes(line));
};

it("without a terminal and without --yes it shows what would change, hides each secret of .env, and writes nothing", async () => {
  const cwd = appFolder("express", { ".env": "A=1\nSTRIPE_KEY=sk_live_hunter2" });
  const before = filesOf(cwd);
  const { code, stdout, stderr } = await into(cwd);
  expect(code).toBe(2);
  expect(stderr).toContain("--yes");
  expect(stdout).toContain("  + app.use('/webhooks', webhooks);");
  expect(stdout).toContain("+ webhooks/receiver.mjs (new, ");
  expect(stdout).toContain("HOOKPORTER_SECRET=(a new secret)");
  expect(stdout).not.toMatch(/SECRET=\w|hunter2/);
  expect(filesOf(cwd)).toEqual(before);
});

it("takes an empty secret in .env for none", async () => {
  for (const text of [
    "HOOKPORTER_SECRET=\nA=1\n",
    'export HOOKPORTER_SECRET=""\n',
    "HOOKPORTER_SECRET= # to fill in\n",
  ]) {
    const cwd = appFolder("express", { ".env": text, ".env.example": text });
    expect((await into(cwd, "--yes")).code).toBe(0);
    const after = filesOf(cwd);
    expect(parseEnv(after[".env"] ?? "").HOOKPORTER_SECRET).toMatch(/^[\w-]{43}$/);
    expect(after[".env.example"]).toBe(text);
  }
});

it("an app in CommonJS gets its endpoint before the parsers and its start before it listens; a second run changes nothing", async () => {
  const cwd = appFolder("express");
  const before = filesOf(cwd);
  chmodSync(join(cwd, "bin/www"), 0o755);
  const { code, records } = await into(cwd, "--yes", "--json");
  expect(code).toBe(0);
  const after = filesOf(cwd);
  expect(records).toMatchObject([
    {
      type: "receiver",
      framework: "Express",
      home: "webhooks",
      files: changed(before, after),
      toDo: [],
    },
  ]);
  expect(after["app.js"]).toBe(
    before["app.js"]
      ?.replace(
        "var express = require('express');\n",
        "$&const { webhooks } = require('./webhooks/endpoint.mjs');\n",
      )
      .replace(
        "var app = express();\n",
        "$&// Before anything that reads bodies: the signature covers the raw bytes.\napp.use('/webhooks', webhooks);\n",
      ),
  );
  expect(added(before["bin/www"], after["bin/www"])).toEqual([
    "const { startReceiver } = require('../webhooks/endpoint.mjs');",
    "startReceiver();",
  ]);
  expect(after["bin/www"]).toMatch(/\nstartReceiver\(\);\nserver\.listen\(/);
  expect(statSync(join(cwd, "bin/www")).mode & 0o777).toBe(0o755);
  expect(Object.keys(JSON.parse(after["package.json"] ?? "").dependencies)).toEqual([
    "express",
    "hookporter",
    "zod",
  ]);
  expect(after[".gitignore"]).toBe(".env\ndata/\n.hookporter/\n");
  expect(after[".env"]).toMatch(/^HOOKPORTER_SECRET=[\w-]{43}$/m);
  expect(statSync(join(cwd, ".env")).mode & 0o077).toBe(0);
  expect(after[".env.example"]).toMatch(/^HOOKPORTER_SECRET=$/m);

  const again = await into(cwd, "--yes");
  expect([again.code, again.stdout]).toEqual([0, ""]);
  expect(again.stderr).toContain("Nothing changed");
  expect(filesOf(cwd)).toEqual(after);
});

it("an app in TypeScript keeps its style, gets types, and the shapes of its schemas stay beside them", async () => {
  const cwd = appFolder("express-ts");
  const before = filesOf(cwd);
  await into(cwd, "--yes");
  const after = filesOf(cwd);
  expect(added(before["src/index.ts"], after["src/index.ts"])).toEqual([
    'import { startReceiver, webhooks } from "./webhooks/endpoint.js"',
    "  // Before anything that reads bodies: the signature covers the raw bytes.",
    '  app.use("/webhooks", webhooks)',
    "  void startReceiver()",
  ]);
  expect(after["src/webhooks/handlers/index.ts"]).toContain('from "./finances.js"');
  expect(JSON.parse(after["hookporter.config.json"] ?? "")).toEqual({
    project: { inbox: "data/inbox.db", handlers: "src/webhooks/handlers" },
    types: { out: "src/webhooks/schemas.ts" },
  });
  expect(changed(before, after)).toContain("src/webhooks/handlers.test.ts");
  expect(JSON.parse(after["package.json"] ?? "").dependencies.zod).toBe("^4.0.0");
});

it("a Nest app gets the endpoint once it is made, and the start once its own hooks are set; Jest gets no test", async () => {
  const cwd = appFolder("nestjs");
  const before = filesOf(cwd);
  const { stderr } = await into(cwd, "--yes");
  const after = filesOf(cwd);
  expect(added(before["src/main.ts"], after["src/main.ts"])).toEqual([
    "import { startReceiver, webhooks } from './webhooks/endpoint';",
    "  // Before anything that reads bodies: the signature covers the raw bytes.",
    "  app.use('/webhooks', webhooks);",
    "  await startReceiver();",
  ]);
  expect(after["src/main.ts"]).toMatch(
    /\n {2}\}\);\n.*\n {2}app\.use\([\s\S]*enableShutdownHooks\(\);\n {2}await start/,
  );
  expect(stderr).toContain("Jest");
  expect(changed(before, after).filter((path) => /\.(?:spec|test)\./.test(path))).toEqual([]);
});

it("a Next.js app gets a route, and lines in its configuration and instrumentation, or these files", async () => {
  const cwd = appFolder("nextjs");
  const before = filesOf(cwd);
  const { records } = await into(cwd, "--yes", "--json");
  expect(records).toMatchObject([{ framework: "Next.js", home: "src/webhooks", toDo: [] }]);
  const after = filesOf(cwd);
  expect(added(before["next.config.ts"], after["next.config.ts"])).toEqual([
    expect.stringMatching(/^ {2}serverExternalPackages: \["hookporter"\],/),
  ]);
  expect(added(before["src/instrumentation.ts"], after["src/instrumentation.ts"])).toEqual([
    "  // The Edge runtime has no inbox. In this form, the build for it leaves the block out.",
    '  if (process.env.NEXT_RUNTIME === "nodejs") {',
    '    const { startReceiver } = await import("./webhooks/receiver");',
    "    await startReceiver();",
    "  }",
  ]);
  expect(after["src/app/webhooks/route.ts"]).toContain('from "../../webhooks/receiver"');

  const bare = appFolder("express", { "package.json": DEPENDENCIES.replace("NAME", "next") });
  await into(bare, "--yes");
  const made = filesOf(bare);
  expect(made["instrumentation.js"]).toContain('import("./webhooks/receiver")');
  expect(made["next.config.mjs"]).toMatch(/^const config = \{/m);
  expect(made["app/webhooks/route.js"]).toContain("export function POST(request) {");
});

const DEPENDENCIES = '{\n  "dependencies": {\n    "NAME": "1"\n  }\n}\n';

it.each([
  ["fastify", "app.register(fastifyReceiver(receiver()));"],
  [
    "@nestjs/platform-fastify",
    "app.getHttpAdapter().getInstance().register(fastifyReceiver(receiver()));",
  ],
  ["hono", 'app.all("/webhooks", (context) => fetchReceiver(receiver())(context.req.raw));'],
])("for %s the lines are printed, and no source is changed", async (name, line) => {
  const cwd = appFolder("express", { "package.json": DEPENDENCIES.replace("NAME", name) });
  const before = filesOf(cwd);
  const { records, stderr } = await into(cwd, "--yes", "--json");
  expect(records[0]?.toDo).toContainEqual({ where: expect.stringContaining("app is made"), line });
  expect(stderr).toContain(line);
  const after = filesOf(cwd);
  expect(changed(before, after).filter((path) => before[path] !== undefined)).toEqual([
    "package.json",
  ]);
  expect(changed(before, after)).not.toContain("webhooks/endpoint.mjs");
});

it.each([
  [
    "made twice",
    "const express = require('express');\nconst app = express();\nconst other = express();\n",
  ],
  ["one of several declared at once", "const express = require('express'),\n  app = express();\n"],
  ["made in an expression", "const express = require('express');\nconst app = wrap(express());\n"],
  ["followed by a call", "const express = require('express');\nconst app = express().use(x);\n"],
  ["in a comment", "const express = require('express');\n// const app = express();\n"],
])("an app that is %s is not changed, and the lines are printed", async (_, source) => {
  const cwd = appFolder("express", { "app.js": source });
  const { records } = await into(cwd, "--yes", "--json");
  expect(readFileSync(join(cwd, "app.js"), "utf8")).toBe(source);
  expect(records[0]?.toDo).toContainEqual(
    expect.objectContaining({ line: 'app.use("/webhooks", webhooks);' }),
  );
});

it.each([
  ["a condition", "if (ready)\n  server.listen(3000);\n"],
  ["a condition on the same column", "if (ready)\nserver.listen(3000)\n"],
  ["a chain", "ready()\n  .then(go)\nserver\n  .listen(3000)\n"],
  ["an arrow function", "ready(() =>\n  server.listen(3000))\n"],
  ["one of two servers", "server.listen(3000);\nother.listen(3001);\n"],
])("no line is inserted before a listen that depends on %s", async (_, source) => {
  const cwd = appFolder("express", { "bin/www": `const app = require('../app');\n${source}` });
  const { records } = await into(cwd, "--yes", "--json");
  expect(readFileSync(join(cwd, "bin/www"), "utf8")).not.toContain("startReceiver");
  expect(records[0]?.toDo).toContainEqual({
    where: "before the server listens",
    line: "startReceiver();",
  });
});

it("what the app has already stays: its secret, ignored files, configuration, and a folder named webhooks", async () => {
  const cwd = appFolder("express", {
    ".env": "A=1\nHOOKPORTER_SECRET=an own secret of the app",
    ".env.example": "A=",
    ".gitignore": "/.env*\n/data",
    "hookporter.config.json": "{}\n",
    "pnpm-lock.yaml": "",
  });
  mkdirSync(join(cwd, "webhooks"));
  const before = filesOf(cwd);
  const { records } = await into(cwd, "--yes", "--json");
  const after = filesOf(cwd);
  expect(records).toMatchObject([
    { home: "receiver", toDo: [{ where: "hookporter.config.json" }] },
  ]);
  expect(after[".env"]).toBe(before[".env"]);
  expect(after[".env.example"]).toMatch(/^A=\n\n# .*[\s\S]*\nHOOKPORTER_SECRET=\n/);
  expect(after[".gitignore"]).toBe("/.env*\n/data\n.hookporter/\n");
  expect(after["hookporter.config.json"]).toBe("{}\n");
  expect(after["pnpm-workspace.yaml"]).toContain("@photostructure/sqlite");
});

it("in a pnpm workspace, it says what the workspace's file needs, and writes none of its own", async () => {
  const cwd = appFolder("express");
  writeFileSync(join(cwd, "../pnpm-workspace.yaml"), "packages: [app]\n");
  const { records } = await into(cwd, "--yes", "--json");
  expect(records[0]?.toDo).toEqual([
    { where: "../pnpm-workspace.yaml, allowBuilds", line: '"@photostructure/sqlite": false' },
  ]);
  expect(existsSync(join(cwd, "pnpm-workspace.yaml"))).toBe(false);
});

it("a project of init has a receiver already", async () => {
  const cwd = tempFolder();
  for (const template of ["express", "nextjs", "fastify", "hono"]) {
    await runCli(["init", `my-${template}`, "--template", template], { cwd });
    const { stderr } = await into(join(cwd, `my-${template}`), "--yes");
    expect(stderr, template).toContain("Nothing changed");
  }
});

it("a folder without an app, an older zod, a file in the way, and flags for new projects are refused", async () => {
  const cwd = tempFolder();
  expect((await into(cwd, "--yes")).said).toContain("package.json");
  writeFileSync(join(cwd, "package.json"), '{ "dependencies": { "koa": "3" } }');
  expect(await into(cwd, "--yes")).toMatchObject({
    code: 3,
    said: expect.stringContaining("express"),
  });
  const old = appFolder("express", {
    "package.json": '{\n  "dependencies": {\n    "express": "4",\n    "zod": "^3.22.0"\n  }\n}\n',
  });
  expect((await into(old, "--yes")).said).toContain("zod 4");
  const next = appFolder("nextjs");
  mkdirSync(join(next, "src/app/webhooks"));
  writeFileSync(join(next, "src/app/webhooks/route.ts"), "");
  expect((await into(next, "--yes")).said).toContain("src/app/webhooks/route.ts");
  expect(existsSync(join(next, "src/webhooks"))).toBe(false);
  expect((await into(cwd, "--template", "hono")).code).toBe(2);
  expect((await into(cwd, "--inbox", "postgres")).said).toContain("a new project");
  expect((await runCli(["init", "dir", "--into", "."], { cwd })).code).toBe(2);
});

it.each([
  ["the environment", { PORT: "1" }, {}],
  ["the app's .env", {}, { ".env": "PORT=1\n" }],
] as const)(
  "the line to try with a PORT in %s waits on the app's own inbox",
  async (_, env, files) => {
    const cwd = appFolder("express", files);
    const { stderr } = await runCli(["init", "--into", ".", "--yes"], { cwd, env });
    const [, line = ""] = /npx hookporter (trigger .+)$/m.exec(stderr) ?? [];
    expect(line).toContain("--wait");
    // the app has not been started yet
    const ran = await runCli(line.split(" "), { cwd, env });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(`no inbox at ${join(cwd, "data", "inbox.db")}`);
  },
);
