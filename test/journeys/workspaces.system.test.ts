import { join } from "node:path";
import { expect } from "vitest";
import { app, expectReceiver, succeed } from "./kit/apps.ts";
import { journey } from "./kit/journey.ts";
import { pinned } from "./kit/pinned.ts";
import type { World } from "./kit/world.ts";

const { step } = journey("workspaces");
const PNPM = `npx --yes pnpm@${pinned("pnpm")}`;

step("a project in a workspace of npm is installed and tested from its root", async (world) => {
  const root = app(world, "monorepo", {
    "package.json": { name: "monorepo", private: true, workspaces: ["apps/*"] },
    "apps/.gitkeep": "",
  });
  const apps = join(root, "apps");
  await succeed(world, apps, "npx --yes hookporter init hooks --yes");
  await succeed(world, root, "npm install");
  await succeed(world, join(apps, "hooks"), "npm test");
});

step("npm run dev of a project in a workspace of npm starts the server", async (world) => {
  const project = join(world.folder, "monorepo", "apps", "hooks");
  await expectDevServer(world, project, "npm run dev");
});

step("a project in a workspace of pnpm is installed and tested", async (world) => {
  const root = app(world, "monorepo-pnpm", {
    "package.json": { name: "monorepo-pnpm", private: true },
    "pnpm-workspace.yaml": "packages:\n  - apps/*",
    "apps/.gitkeep": "",
  });
  const apps = join(root, "apps");
  await succeed(world, apps, "npx --yes hookporter init hooks --yes");
  await succeed(world, root, `${PNPM} install`);
  await succeed(world, join(apps, "hooks"), `${PNPM} test`);
});

step("pnpm dev of a project in a workspace of pnpm starts the server", async (world) => {
  const project = join(world.folder, "monorepo-pnpm", "apps", "hooks");
  await expectDevServer(world, project, `${PNPM} run dev`);
});

step(
  "a pnpm that refuses build scripts nobody has decided on installs a project in its workspace",
  async (world) => {
    // pnpm 11 does so by default; it needs Node 22.
    const root = join(world.folder, "monorepo-pnpm");
    await succeed(world, root, "rm -rf node_modules apps/hooks/node_modules");
    await succeed(world, root, `${PNPM} install --config.strict-dep-builds=true`);
  },
);

/** Starts a project of init as its developer does, and sends to it. */
async function expectDevServer(world: World, project: string, line: string): Promise<void> {
  const url = await world.portFor(project);
  const server = await world.start(project, line, /"message":"listening"|Error|ERR_/);
  try {
    expect(server.printed()).toMatch(/"message":"listening"/);
    await expectReceiver(world, project, url);
  } finally {
    await server.stop();
  }
}
