import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Edge, type EdgeKnobs } from "../relay/tunnel/edge/edge.ts";
import { tempFolder } from "./fake-io.ts";
import { startListening } from "./listening.ts";

/** The token that `listen` finds. */
export const TOKEN = "cli-token-that-nobody-may-see";

/** A local edge that ends with the test. */
export async function openEdge(knobs: Partial<EdgeKnobs> = {}): Promise<Edge> {
  const edge = await new Edge(knobs).start();
  onTestFinished(() => edge.close());
  return edge;
}

/** `listen --tunnel ngrok` in a separate process, through an edge; killed with the test. */
export function listenThrough(
  edge: Edge,
  argv: readonly string[] = [],
  cwd = tempFolder(),
  more: Readonly<Record<string, string>> = {},
) {
  writeFileSync(join(cwd, "edge.pem"), edge.ca);
  const env = {
    NGROK_AUTHTOKEN: TOKEN,
    HOOKPORTER_NGROK_SERVER_ADDR: edge.serverAddr,
    HOOKPORTER_NGROK_CA_FILE: "edge.pem",
    ...more,
  };
  return startListening(["--tunnel", "ngrok", ...argv], { cwd, env });
}
