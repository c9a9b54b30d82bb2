import { relative } from "node:path";
import type { Scaffolded } from "../../scaffold/scaffold.ts";

/** What to type next, line by line. */
export function nextSteps(cwd: string, { directory, inbox }: Scaffolded): readonly string[] {
  const path = relative(cwd, directory);
  const go = path === "" ? [] : [`  cd ${/^[\w./\\:~-]+$/.test(path) ? path : JSON.stringify(path)}`];
  const database = "  docker compose up -d --wait   (PostgreSQL; or set DATABASE_URL in .env)";
  return [
    "",
    "Next:",
    ...go,
    "  npm install",
    "  npm test",
    ...(inbox === "postgres" ? [database] : []),
    "  npm run dev",
    "",
    "Then, in a second terminal in the same folder:",
    "  npx hookporter trigger payment.received --url http://127.0.0.1:3000/webhooks",
  ];
}
