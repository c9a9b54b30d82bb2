import { database, tables } from "./database.ts";
import { disk } from "./disk.ts";
import { entries, processes } from "./entries.ts";
import { envFile } from "./env-file.ts";
import type { Check } from "./finding.ts";
import { handlers } from "./handlers.ts";
import { inboxContent } from "./inbox-content.ts";
import { inboxPlace } from "./inbox-place.ts";
import { ports } from "./ports.ts";
import { proxy } from "./proxy.ts";
import { node, sqlite } from "./runtime.ts";
import { secret } from "./secrets.ts";
import { clock, service } from "./service.ts";
import { subscription } from "./subscriptions.ts";
import { targets } from "./targets.ts";
import { tunnel } from "./tunnel.ts";

/** All checks, in the order in which they are shown. */
export const CHECKS: readonly Check[] = [
  ...[node, sqlite],
  ...[secret, envFile],
  ...[inboxPlace, disk, inboxContent, database, tables, processes, entries],
  ports,
  ...[handlers, targets, tunnel],
  ...[service, clock, subscription, proxy],
];
