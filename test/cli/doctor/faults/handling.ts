import { writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
} from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { closedPort } from "../../../relay/tunnel/machine.ts";
import type { Fault } from "../fault.ts";
import type { Place } from "../place.ts";

/** Faults of handlers and targets. */
export const HANDLING_FAULTS: readonly Fault[] = [
  {
    title: "handlers that do not load",
    plant: (place) => {
      writeHandlers(place, "export default {");
      place.argv.push("--handlers", "handlers.mjs");
    },
    found: { check: "handlers", status: "fail", message: /could not load .*handlers\.mjs: \S/ },
    fix: /^correct what it names$/,
    follow: (place) => writeHandlers(place, 'export default { "*": () => {} };'),
  },
  {
    title: "handlers that import a package that is not installed",
    plant: (place) => {
      writeHandlers(place, 'import "no-such-package"; export default {};');
      place.argv.push("--handlers", "handlers.mjs");
    },
    found: { check: "handlers", status: "fail", message: /Cannot find module 'no-such-package'/ },
    fix: /^install it there, or correct its name$/,
    follow: (place) => writeHandlers(place, 'export default { "*": () => {} };'),
  },
  {
    title: "a misspelt kind in handlers",
    plant: (place) => {
      writeHandlers(place, 'export default { "*": () => {}, "payment.recieved": () => {} };');
      place.argv.push("--handlers", "handlers.mjs");
    },
    found: { check: "handlers", status: "fail", message: /payment\.recieved/ },
    fix: /did you mean payment\.received\?/,
    follow: (place) =>
      writeHandlers(place, 'export default { "*": () => {}, "payment.received": () => {} };'),
  },
  {
    title: "a handler with a transaction on an inbox file",
    plant: (place) => {
      writeHandlers(place, 'export default { "*": { handler: () => {}, tx: true } };');
      place.argv.push("--handlers", "handlers.mjs");
    },
    found: { check: "handlers", status: "fail", message: /an inbox on PostgreSQL/ },
    fix: /./,
    follow: (place) => writeHandlers(place, 'export default { "*": () => {} };'),
  },
  {
    title: "kinds that nobody handles",
    plant: (place) => {
      writeHandlers(
        place,
        'export default { "property.*": () => {}, "payment.received": () => {} };',
      );
      place.argv.push("--handlers", "handlers.mjs");
    },
    found: {
      check: "handlers",
      status: "warn",
      message: /no handler or target for 8 of the 12 kinds: tenant\.created, /,
    },
    fix: /add handlers to handlers\.mjs, one for "\*"/,
    follow: (place) => writeHandlers(place, 'export default { "*": () => {} };'),
  },
  {
    title: "a program of --exec that is not installed",
    plant: (place) => place.argv.push("HOOKPORTER_EXEC=no-such-program --flag"),
    found: { check: "handlers", status: "fail", message: /no-such-program, cannot be found/ },
    fix: /install it, or correct --exec/,
    follow: (place) => place.argv.splice(-1, 1, "HOOKPORTER_EXEC=true"),
  },
  {
    title: "a program of --on-dead that is not installed",
    plant: (place) => place.argv.push("HOOKPORTER_ON_DEAD=no-such-program --flag"),
    found: {
      check: "handlers",
      status: "fail",
      message: /--on-dead, no-such-program, cannot be found/,
    },
    fix: /install it, or correct --on-dead/,
    follow: (place) => place.argv.splice(-1, 1, "HOOKPORTER_ON_DEAD=true"),
  },
  {
    title: "a target that is listen itself",
    plant: (place) => {
      place.argv.push("--forward-to", `${place.argv[1]}/webhooks`);
    },
    found: { check: "target", status: "fail", message: /is the address of listen itself/ },
    fix: /the port of your app/,
    follow: async (place) => {
      const { server, port } = await listen(createHttpServer((_, response) => response.end()));
      place.argv.splice(2, 2, "--forward-to", `127.0.0.1:${port}`);
      server.unref();
    },
  },
  {
    title: "a target that is listen itself at another path and name",
    plant: (place) => {
      place.argv.push("--forward-to", `http://0.0.0.0:${place.argv[1]}/hooks/`);
    },
    found: { check: "target", status: "fail", message: /is the address of listen itself/ },
    fix: /the port of your app/,
    follow: async (place) => {
      const { server, port } = await listen(createHttpServer((_, response) => response.end()));
      place.argv.splice(2, 2, "--forward-to", `127.0.0.1:${port}`);
      server.unref();
    },
  },
  {
    title: "a public address that the DNS does not know",
    plant: (place) => {
      place.argv.push("HOOKPORTER_PUBLIC_URL=https://hooks.example.invalid/");
    },
    found: {
      check: "address",
      status: "fail",
      message: /hooks\.example\.invalid.* not known to the DNS/,
    },
    fix: /^correct --public-url/,
    follow: (place) => place.argv.splice(2, 1, "HOOKPORTER_PUBLIC_URL=https://localhost/"),
  },
  {
    title: "a target that nothing listens on",
    plant: async (place) => {
      place.argv.push("--forward-to", `127.0.0.1:${await closedPort()}/in`);
    },
    found: {
      check: "target",
      status: "fail",
      message: /\/in: connection refused: nothing listens there/,
    },
    fix: /start the receiver, or check the port/,
    follow: async (place) => {
      const { port } = new URL(`http://${place.argv.at(-1)}`);
      await listen(
        createHttpServer((_, response) => response.end()),
        Number(port),
      );
    },
  },
  {
    title: "a target that accepts connections and never answers",
    plant: async (place) => {
      const { server, port } = await listen(createTcpServer(() => {}));
      place.argv.push("--forward-to", `127.0.0.1:${port}`);
      server.unref();
    },
    found: {
      check: "target",
      status: "fail",
      message: /accepts connections, but did not answer in 3 s/,
    },
    fix: /check the app's log/,
    follow: async (place) => {
      const { port } = await listen(createHttpServer((_, response) => response.end()));
      place.argv.splice(-1, 1, `127.0.0.1:${port}`);
    },
  },
  {
    title: "an https target that speaks plain HTTP",
    plant: async (place) => {
      const { port } = await listen(createHttpServer((_, response) => response.end()));
      place.argv.push("--forward-to", `https://127.0.0.1:${port}/in`);
    },
    found: { check: "target", status: "fail", message: /it speaks plain HTTP, not TLS/ },
    fix: /^use http:\/\/127\.0\.0\.1:\d+$/,
    follow: (place, fix) => {
      expect(place.argv.splice(-1, 1, `${fix.replace(/^use /, "")}/in`)).toHaveLength(1);
    },
  },
];

function writeHandlers({ cwd }: Place, text: string): void {
  writeFileSync(join(cwd, "handlers.mjs"), text);
}

/** Opens a server, which is no reason for the tests to go on. */
async function listen(server: Server | TcpServer, port = 0) {
  server.unref();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
