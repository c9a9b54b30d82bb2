import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createServer } from "vite";
import { expect, it, onTestFinished } from "vitest";
import type { Receiver } from "../../src/entries/index.ts";
import { deliveryNow, inboxFile, SECRET, until } from "./sample.ts";

/** A module that creates a receiver, and starts it as a route would: when it is first needed. */
const RECEIVER = `
import { createReceiver } from "hookporter";
import { handlers } from "./handlers.js";

const { secret, inbox, log } = globalThis.viteReload;
export const receiver = createReceiver({ secret, inbox, log, handlers, poll: 5 });
let starting;
export const started = () => (starting ??= receiver.start());`;

const HANDLERS = `
export const handlers = { "payment.received": () => globalThis.viteReload.ran.push("first") };`;

it("Vite evaluates an edited module, or one with an edited import, again: it has one receiver", async () => {
  const inbox = inboxFile();
  const folder = dirname(inbox);
  const ran: string[] = [];
  const lines: string[] = [];
  const note = (_: object, message: string) => void lines.push(message);
  const log = { debug() {}, info() {}, warn: note, error: note };
  Object.assign(globalThis, { viteReload: { secret: SECRET, inbox, log, ran } });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(import.meta.dirname, "..", ".."), join(folder, "node_modules", "hookporter"));
  const write = (name: string, code: string) => writeFileSync(join(folder, name), code);
  write("receiver.js", RECEIVER);
  write("handlers.js", HANDLERS);

  const vite = await createServer({
    root: folder,
    configFile: false,
    appType: "custom",
    logLevel: "error",
    server: { middlewareMode: true, ws: false },
    ssr: { external: ["hookporter"] }, // as an installed one is
  });
  onTestFinished(() => vite.close());
  /** Delivers to the receiver of now, as a request to the development server does. */
  const deliver = async () => {
    const { receiver, started } = await vite.ssrLoadModule("/receiver.js");
    await started();
    onTestFinished(() => receiver.close());
    expect(await receiver.accept(deliveryNow())).toMatchObject({ type: "accepted" });
    return receiver as Receiver;
  };
  const edited = async (before: Receiver) => {
    await until(async () =>
      expect((await vite.ssrLoadModule("/receiver.js")).receiver).not.toBe(before),
    );
    return deliver();
  };

  const first = await deliver();
  await until(() => expect(ran).toEqual(["first"]));
  write("handlers.js", HANDLERS.replace("first", "second"));
  const second = await edited(first);
  await until(() => expect(ran).toEqual(["first", "second"]));
  write("receiver.js", `// Edited.\n${RECEIVER}`);
  const third = await edited(second);
  await until(() => expect(ran).toEqual(["first", "second", "second"]));
  expect([first, second, third].map(({ ready }) => ready)).toEqual([false, false, true]);
  expect(lines).toEqual([]);
});
