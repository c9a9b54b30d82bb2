import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { recordListening } from "../../../../src/cli/ready/running-listen.ts";
import type { Fault } from "../fault.ts";

/** Faults of ports. */
export const PORT_FAULTS: readonly Fault[] = [
  {
    title: "a port that another program uses",
    plant: async (place) => {
      const server = createServer((_, response) =>
        response.writeHead(404).end('{"error":{"type":"not_found"}}'),
      );
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      place.argv.push("--port", String((server.address() as AddressInfo).port));
      return () => void server.close();
    },
    found: { check: "port", status: "fail", message: /is in use by / },
    fix: /stop that program, or choose another port with --port/,
  },
  {
    title: "a listen of this folder that is too busy to answer, or was suspended",
    plant: async (place) => {
      const server = createServer(() => {});
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      place.argv.push("--port", String(port));
      const forget = recordListening(
        place.cwd,
        new URL(`http://127.0.0.1:${port}/webhooks`),
        undefined,
      );
      return () => {
        forget();
        server.closeAllConnections();
        server.close();
      };
    },
    found: { check: "port", status: "fail", message: /listen of this folder does not answer/ },
    fix: /restart it/,
  },
];
