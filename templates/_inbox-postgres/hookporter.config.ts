import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { defineConfig } from "hookporter/config";

const file = existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {};
const env = { ...file, ...process.env };

/** The commands use the server's inbox, except for `listen`, which keeps its own. */
export default defineConfig({
  inbox: env.HOOKPORTER_INBOX || env.DATABASE_URL,
  listen: { inbox: ".hookporter/inbox.db" },
});
