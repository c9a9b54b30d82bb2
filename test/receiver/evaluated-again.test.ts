import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";
import { createJiti } from "jiti";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createReceiver, type Receiver } from "../../src/entries/index.ts";
import { deliveryNow, gate, inboxFile, keptLog, SECRET, until } from "./sample.ts";

/** What the modules of these tests find in `globalThis`, as they would import it. */
interface World {
  readonly createReceiver: typeof createReceiver;
  readonly options: object;
  /** The module's version of each handler that ran. */
  readonly ran: string[];
}

/** What a module exports. */
interface Module {
  readonly receivers: readonly Receiver[];
}

/** One receiver in the body of its module. */
const IN_BODY = `
const receiver = createReceiver(options);
receiver.on("*", () => ran.push("first"));
export const receivers = [receiver];`;

/** The same, created in a function. */
const IN_FUNCTION = `
export const receivers = [];
function make() {
  const receiver = createReceiver(options);
  receiver.on("*", () => ran.push("first"));
  receivers.push(receiver);
}
make();`;

/** The same module, edited. */
function edited(code: string): string {
  return code.replace('"first"', '"second"').replace("\n", "\n// A comment.\n");
}

let inbox = "";
let log = keptLog();
let world: World;

beforeEach(() => {
  inbox = inboxFile();
  log = keptLog();
  const options = { secret: SECRET, inbox, log: log.log, poll: 5 };
  world = { createReceiver, options, ran: [] };
  Object.assign(globalThis, { world });
});

const HEAD = "const { createReceiver, options, ran } = globalThis.world;";

/** Node's own `import`, since Vitest has another. */
function nativeImport(url: string): Promise<Module> {
  const file = join(dirname(inbox), "import.cjs");
  writeFileSync(file, "module.exports = (url) => import(url);");
  return createRequire(import.meta.url)(file)(url);
}

/** The ways in which development servers and test runners evaluate a module again. */
const LOADERS: Readonly<Record<string, (code: string, time: number) => Promise<Module>>> = {
  "import with a query": (code, time) => {
    const file = write("receiver.mjs", code);
    return nativeImport(`${pathToFileURL(file)}?t=${time}`);
  },
  jiti: (code) => {
    const jiti = createJiti(inbox, { moduleCache: false, fsCache: false });
    return jiti.import(write("receiver.ts", code));
  },
  vm: async (code) => {
    const exported = code.replaceAll(/export const (\w+) =/g, "const $1 = exports.$1 =");
    const wrapped = `(function (exports) {${HEAD}${exported}\n})`;
    const module = { receivers: [] };
    runInThisContext(wrapped, { filename: join(dirname(inbox), "receiver.js") })(module);
    return module;
  },
};

function write(name: string, code: string): string {
  const file = join(dirname(inbox), name);
  writeFileSync(file, `${HEAD}${code}`);
  return file;
}

/** Starts the receivers of a module, one after another. */
async function start({ receivers }: Module): Promise<readonly Receiver[]> {
  for (const receiver of receivers) {
    onTestFinished(() => receiver.close());
    await receiver.start();
  }
  return receivers;
}

/** The lines about two receivers of one source. */
function warnings() {
  return log.lines.filter(({ message }) => message.includes("two receivers"));
}

describe.each(Object.entries(LOADERS))("a module that %s evaluates again", (name, load) => {
  const mayBeKnown = [IN_BODY, edited(IN_BODY), edited(IN_FUNCTION)];
  if (name === "import with a query") mayBeKnown.push(IN_FUNCTION);

  it.each(mayBeKnown)("replaces its receiver: %s", async (code) => {
    const before = code.includes("make()") ? IN_FUNCTION : IN_BODY;
    const [first] = await start(await load(before, 1));
    const [second] = await start(await load(code, 2));
    expect({ first: first?.refusing, second: second?.refusing }).toEqual({ first: "closed" });
    await second?.accept(deliveryNow());
    await until(() => expect(world.ran).toEqual([/"(\w+)"\)/.exec(code)?.[1]]));
    expect(warnings()).toEqual([]);
  });

  it("only reports it in production", async () => {
    vi.stubEnv("NODE_ENV", "production");
    onTestFinished(() => void vi.unstubAllEnvs());
    const [first] = await start(await load(IN_BODY, 1));
    const [second] = await start(await load(edited(IN_BODY), 2));
    expect([first?.ready, second?.ready]).toEqual([true, true]);
    expect(warnings()).toHaveLength(1);
  });
});

describe("receivers of one source that one evaluation of a module creates", () => {
  const make = (own: object = {}) => {
    const options = { ...world.options, ...own } as { secret: string };
    const receiver = createReceiver(options);
    return receiver;
  };
  const readiness = (receivers: readonly Receiver[]) => receivers.map(({ ready }) => ready);

  it("all stay, and are reported once", async () => {
    const other = createReceiver(world.options as { secret: string });
    const receivers = await start({ receivers: [make(), make(), other] });
    expect(readiness(receivers)).toEqual([true, true, true]);
    expect(warnings()).toMatchObject([{ level: "warn", fields: { source: "service" } }]);
  });

  it.each([
    ["source", { source: "other" }],
    ["role", { role: "receive" }],
    ["inbox", { inbox: "memory:" }],
  ])("are not reported with another %s", async (_, own) => {
    const receivers = await start({ receivers: [make(), make(own)] });
    expect(readiness(receivers)).toEqual([true, true]);
    expect(warnings()).toEqual([]);
  });

  it("are not reported if the first is being closed", async () => {
    const [first] = await start({ receivers: [make()] });
    const closed = first?.close();
    await start({ receivers: [make()] });
    await closed;
    expect(warnings()).toEqual([]);
  });
});

it("of two evaluations that start at the same time, the later one stays", async () => {
  const load = LOADERS["import with a query"];
  const modules = [await load?.(IN_BODY, 1), await load?.(IN_BODY, 2)];
  const receivers = modules.flatMap((module) => module?.receivers ?? []);
  for (const receiver of receivers) onTestFinished(() => receiver.close());
  await Promise.all(receivers.map((receiver) => receiver.start()));
  await until(() => expect(receivers.map(({ ready }) => ready)).toEqual([false, true]));
  expect(log.lines.filter(({ level }) => level !== "info")).toEqual([]);
});

it("a replaced receiver ends what it runs", async () => {
  const opened = gate();
  Object.assign(world, { opened: opened.opened });
  const slow = IN_BODY.replace(
    '() => ran.push("first")',
    'async () => { ran.push("began"); await globalThis.world.opened; ran.push("ended"); }',
  );
  const load = LOADERS["import with a query"];
  const [first] = await start((await load?.(slow, 1)) ?? { receivers: [] });
  await first?.accept(deliveryNow());
  await until(() => expect(world.ran).toEqual(["began"]));
  const [second] = await start((await load?.(IN_BODY, 2)) ?? { receivers: [] });
  expect(first?.refusing).toBe("closed");
  opened.open();
  await first?.close();
  expect(world.ran).toEqual(["began", "ended"]);
  expect(await second?.inbox.list()).toMatchObject([{ state: "handled" }]);
});
