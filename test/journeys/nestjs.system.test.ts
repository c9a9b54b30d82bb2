import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  app,
  byHand,
  entriesOf,
  exampleOf,
  expectOwnRoute,
  expectReceiver,
  makeSecret,
  succeed,
  untilOpen,
  withInbox,
} from "./kit/apps.ts";
import { journey } from "./kit/journey.ts";
import { commandsIn } from "./kit/pages.ts";
import { pinned } from "./kit/pinned.ts";
import type { Running, World } from "./kit/world.ts";

const { step } = journey("nestjs");
const START = "node --env-file=.env dist/main.js";

/** The app before it has a receiver. */
const APP = {
  "package.json": {
    name: "nest-shop",
    private: true,
    type: "module",
    scripts: { build: "tsc", start: START },
    dependencies: {
      "@nestjs/common": pinned("@nestjs/common"),
      "@nestjs/core": pinned("@nestjs/core"),
      "@nestjs/platform-express": pinned("@nestjs/platform-express"),
      "reflect-metadata": pinned("reflect-metadata"),
      rxjs: pinned("rxjs"),
    },
    devDependencies: {
      "@types/express": pinned("@types/express"),
      "@types/node": pinned("@types/node"),
      typescript: pinned("typescript"),
    },
  },
  // As the generator of NestJS writes it.
  "tsconfig.json": {
    compilerOptions: {
      module: "nodenext",
      moduleResolution: "nodenext",
      esModuleInterop: true,
      isolatedModules: true,
      emitDecoratorMetadata: true,
      experimentalDecorators: true,
      target: "ES2023",
      types: ["node"],
      rootDir: "./src",
      outDir: "./dist",
      skipLibCheck: true,
      strict: true,
      strictPropertyInitialization: false,
    },
    include: ["src"],
  },
  "src/app.module.ts": `import { Body, Controller, Module, Post } from '@nestjs/common';

@Controller()
class OrdersController {
  @Post('orders')
  order(@Body() body: object) {
    return body;
  }
}

@Module({ controllers: [OrdersController] })
export class AppModule {}`,
  "src/main.ts": `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  await app.listen(process.env.PORT ?? 3000, '127.0.0.1');
}
await bootstrap();`,
};

/** Builds and starts an app. */
async function serve(world: World, project: string, url: string): Promise<Running> {
  await succeed(world, project, "npm run build");
  const server = await world.start(project, START, /^/);
  await untilOpen(url);
  return server;
}

step("a NestJS app receives after init --into", async (world) => {
  const project = app(world, "with-init", APP);
  await succeed(world, project, "npm install");
  const told = await succeed(world, project, "npx --yes hookporter init --into . --yes");
  await succeed(world, project, "npm install");
  await succeed(world, project, "npx vitest run src/webhooks");
  const url = await world.portFor(project);
  const server = await serve(world, project, url);
  const [command = ""] = commandsIn(told).filter((line) => line.includes(" trigger "));
  await expectReceiver(world, project, url, command.replace("3000", new URL(url).port));
  await expectOwnRoute(url, "/orders");
  await server.stop();
});

const PAGE = "docs/frameworks/nestjs.md";

let project = "";
let url = "";

/** The page's program, which listens where the story needs it. */
function mainOf(code: string): string {
  expect(code).toContain("app.listen(3000)");
  return code.replace("listen(3000)", 'listen(Number(process.env.PORT), "127.0.0.1")');
}

step("a NestJS app receives with the example of its page", async (world) => {
  project = app(world, "by-hand", { ...APP, ...byHand });
  await succeed(world, project, "npm install hookporter");
  await makeSecret(world, project);
  const receiver = exampleOf(project, "docs/frameworks/index.md", "js", "export const receiver");
  writeFileSync(join(project, "src", "receiver.ts"), withInbox(receiver));
  writeFileSync(join(project, "src", "main.ts"), mainOf(exampleOf(project, PAGE, "js")));
  url = await world.portFor(project);
  const server = await serve(world, project, url);
  await expectReceiver(world, project, url);
  await expectOwnRoute(url, "/orders");
  await server.stop();
});

step(
  "middleware of a module is told that the body was parsed, and receives with rawBody",
  async (world) => {
    const module = join(project, "src", "app.module.ts");
    world.edit(
      module,
      "export class AppModule {}",
      `export class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(expressReceiver(receiver)).forRoutes('webhooks');
  }
}`,
    );
    world.edit(
      module,
      "from '@nestjs/common';",
      `from '@nestjs/common';
import type { MiddlewareConsumer, NestModule } from '@nestjs/common';
import { expressReceiver } from 'hookporter/express';
import { receiver } from './receiver.js';`,
    );
    const main = join(project, "src", "main.ts");
    world.edit(main, 'app.use("/webhooks", expressReceiver(receiver));\n', "");
    const parsed = await serve(world, project, url);
    const line = `npx hookporter trigger payment.received --url ${url} --wait`;
    const refused = await world.shell(project, line);
    expect(refused.code, refused.text).not.toBe(0);
    expect(refused.text).toContain("500");
    await parsed.until(/body_already_parsed/);
    expect(await entriesOf(world, project)).toHaveLength(1);
    await parsed.stop();

    const index = world.read(project, "node_modules", "hookporter", "docs/frameworks/index.md");
    const [, made = ""] = /^\| NestJS \| `(NestFactory\.create\(.+?\))`/m.exec(index) ?? [];
    world.edit(main, "NestFactory.create(AppModule)", made);
    const raw = await serve(world, project, url);
    await expectReceiver(world, project, url);
    await expectOwnRoute(url, "/orders");
    await raw.stop();
  },
);

step("handlers of a NestJS app get its services, and end before the app ends", async (world) => {
  const guide = "docs/guides/handlers-with-dependencies.md";
  const shop = app(world, "with-provider", { ...APP, ...byHand });
  await succeed(world, shop, "npm install hookporter");
  await makeSecret(world, shop);
  const webhooks = join(shop, "src", "webhooks.module.ts");
  writeFileSync(webhooks, exampleOf(shop, guide, "ts", "@nestjs/common"));
  world.edit(webhooks, "SECRET, handlers }", 'SECRET, handlers, inbox: "data/inbox.db" }');
  const book = "this.booked.add(id)";
  world.edit(webhooks, book, `await new Promise((end) => setTimeout(end, 2000));\n    ${book}`);
  const page = world.read(shop, "node_modules", "hookporter", guide);
  const [, mount = ""] = /\[Mount it\]\(.+?\) with `(.+?)`/.exec(page) ?? [];
  const [, hooks = ""] = /and call `(app\.enableShutdownHooks\(\))`/.exec(page) ?? [];
  const main = join(shop, "src", "main.ts");
  world.edit(main, "  await app.listen", `  ${mount};\n  ${hooks};\n  await app.listen`);
  world.edit(
    main,
    "import { AppModule }",
    `import { expressReceiver } from 'hookporter/express';
import { WEBHOOKS } from './webhooks.module.js';
import { AppModule }`,
  );
  const module = join(shop, "src", "app.module.ts");
  world.edit(module, "@Module({ ", "@Module({ imports: [WebhooksModule], ");
  world.edit(
    module,
    "from '@nestjs/common';",
    `from '@nestjs/common';
import { WebhooksModule } from './webhooks.module.js';`,
  );
  const shopUrl = await world.portFor(shop);
  const server = await serve(world, shop, shopUrl);
  await expectReceiver(world, shop, shopUrl);
  await expectOwnRoute(shopUrl, "/orders");
  await succeed(world, shop, `npx hookporter trigger payment.received --url ${shopUrl}`);
  await server.stop();
  const states = (await entriesOf(world, shop)).map(({ state }) => state);
  expect(states).toEqual(["handled", "handled"]);
});
