import { once } from "node:events";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect } from "vitest";
import { type PostgresServer, startPostgres } from "../inbox/postgres/server.ts";
import {
  app,
  entriesOf,
  exampleOf,
  expectOwnRoute,
  expectReceiver,
  makeSecret,
  succeed,
  untilOpen,
} from "./kit/apps.ts";
import { journey } from "./kit/journey.ts";
import { linesOf } from "./kit/pages.ts";
import { pinned } from "./kit/pinned.ts";
import type { Running, World } from "./kit/world.ts";

const { step } = journey("nextjs");
const PAGE = "docs/frameworks/nextjs.md";

/** The app before it has a receiver. */
const APP = {
  "package.json": {
    name: "next-shop",
    private: true,
    scripts: {
      dev: "next dev --hostname 127.0.0.1",
      build: "next build",
      start: "next start --hostname 127.0.0.1",
    },
    dependencies: {
      next: pinned("next-16"),
      react: pinned("react-19"),
      "react-dom": pinned("react-dom"),
    },
    devDependencies: {
      "@types/node": pinned("@types/node"),
      "@types/react": pinned("@types/react"),
      typescript: pinned("typescript"),
    },
  },
  // As the generator of Next.js writes it.
  "tsconfig.json": {
    compilerOptions: {
      target: "ES2017",
      lib: ["dom", "dom.iterable", "esnext"],
      allowJs: true,
      skipLibCheck: true,
      strict: true,
      noEmit: true,
      esModuleInterop: true,
      module: "esnext",
      moduleResolution: "bundler",
      resolveJsonModule: true,
      isolatedModules: true,
      jsx: "react-jsx",
      incremental: true,
      plugins: [{ name: "next" }],
    },
    include: ["next-env.d.ts", "**/*.ts", "**/*.tsx", ".next/types/**/*.ts"],
    exclude: ["node_modules"],
  },
  "src/app/layout.tsx": `export default function Layout({ children }: { children: React.ReactNode }) {
  return <html><body>{children}</body></html>;
}`,
  "src/app/page.tsx": `export default function Page() {
  return <h1>The shop</h1>;
}`,
  "src/app/orders/route.ts": `export async function POST(request: Request) {
  return Response.json(await request.json());
}`,
};

let project = "";
let url = "";
let server: Running | undefined;
let postgres: PostgresServer | undefined;

afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
});

/** The first column of the rows that the database has. */
async function ask(text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: postgres?.url });
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: "array" });
    return rows.map(([value]) => value);
  } finally {
    await client.end();
  }
}

/** A database that only counts who connects to it. */
async function countConnections() {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://127.0.0.1:${port}/app`,
    close() {
      server.close();
      return count;
    },
  };
}

/** Runs a server of Next.js at the story's port. */
async function serve(world: World, line: "npm run dev" | "npm start"): Promise<Running> {
  server = await world.start(project, line, /Ready in/, { PORT: new URL(url).port });
  await untilOpen(url);
  return server;
}

step(
  "a Next.js app receives after init --into, and next dev runs an edited handler",
  async (world) => {
    project = app(world, "with-init", APP);
    await succeed(world, project, "npm install");
    await succeed(world, project, "npx --yes hookporter init --into . --yes");
    await succeed(world, project, "npm install");
    await succeed(world, project, "npx vitest run src/webhooks");
    url = await world.portFor(project);
    const dev = await serve(world, "npm run dev");
    await expectReceiver(world, project, url);
    await dev.until(/"payment received"/);
    const handler = join(project, "src", "webhooks", "handlers", "finances.ts");
    world.edit(handler, '"payment received"', '"payment booked"');
    await expectReceiver(world, project, url);
    await dev.until(/"payment booked"/);
    await dev.stop();
  },
);

step("a Next.js app with a receiver of init builds and starts", async (world) => {
  await succeed(world, project, "npm run build");
  const started = await serve(world, "npm start");
  await expectReceiver(world, project, url);
  await expectOwnRoute(url, "/orders");
  await started.stop();
});

step("a Next.js app gets the receiver of its page, and builds without a secret", async (world) => {
  project = app(world, "by-hand", APP);
  await succeed(world, project, "npm install");
  await succeed(world, project, `npm install hookporter pg@${pinned("pg")}`);
  const receiver = exampleOf(project, PAGE, "ts", "createReceiver");
  writeFileSync(join(project, "src", "receiver.ts"), receiver);
  const start = exampleOf(project, PAGE, "js", "register");
  writeFileSync(join(project, "src", "instrumentation.ts"), start);
  mkdirSync(join(project, "src", "app", "webhooks"));
  const route = exampleOf(project, PAGE, "js", "as POST");
  writeFileSync(join(project, "src", "app", "webhooks", "route.ts"), route);

  expect(await succeed(world, project, "npm run build")).not.toMatch(/warn/i);

  postgres = await startPostgres();
  await makeSecret(world, project);
  appendFileSync(join(project, ".env"), `DATABASE_URL=${postgres.url}\n`);
  const config = exampleOf(project, PAGE, "json", "project");
  writeFileSync(join(project, "hookporter.config.json"), config);
  await ask(exampleOf(project, PAGE, "sql"));
  url = await world.portFor(project);
});

step("next dev handles a delivery", async (world) => {
  await serve(world, "npm run dev");
  await expectReceiver(world, project, url);
  await expectOwnRoute(url, "/orders");
  expect(await ask("SELECT event FROM payment")).toHaveLength(1);
});

step("an edited handler handles the next delivery of next dev", async (world) => {
  const receiver = join(project, "src", "receiver.ts");
  world.edit(receiver, "VALUES ($1", "VALUES ('edited ' || $1");
  await expectReceiver(world, project, url);
  const events = await ask("SELECT event FROM payment ORDER BY event");
  expect(events).toEqual([expect.stringMatching(/^edited evt_/), expect.stringMatching(/^evt_/)]);
  await server?.stop();
});

step("next build and next start run what the page prints", async (world) => {
  await ask("TRUNCATE payment");
  const database = await countConnections();
  const env = { DATABASE_URL: database.url };
  const built = await world.shell(project, "npm run build", { env });
  expect(built, built.text).toMatchObject({ code: 0 });
  expect(database.close()).toBe(0); // the build opened no inbox
  await serve(world, "npm start");
  const [, line = ""] = linesOf(project, PAGE, "Build it, start it");
  const sent = await succeed(world, project, line.replace("3000", new URL(url).port));
  expect(sent).toContain("3 sent, 1 new, 2 duplicates");
  await expect.poll(async () => (await entriesOf(world, project)).at(-1)?.state).toBe("handled");
  expect(await ask("SELECT event FROM payment")).toHaveLength(1);
  await expectReceiver(world, project, url);
  await expectOwnRoute(url, "/orders");
  await server?.stop();
});
