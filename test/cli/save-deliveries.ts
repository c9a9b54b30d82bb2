import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Delivery } from "../../src/entries/index.ts";
import { formatDelivery } from "../../src/relay/fixture.ts";
import { savedDelivery } from "../relay/sample.ts";
import { tempFolder } from "./fake-io.ts";

/** Saves deliveries as files with these names, and with the queries that saving hides. */
export function saveDeliveries(deliveries: Readonly<Record<string, Partial<Delivery>>>): string {
  const cwd = tempFolder();
  for (const [name, { target = "/in", ...parts }] of Object.entries(deliveries)) {
    const text = formatDelivery(savedDelivery({ ...parts, target: "TARGET" }));
    writeFileSync(join(cwd, name), text.replace('"TARGET"', JSON.stringify(target)));
  }
  return cwd;
}
