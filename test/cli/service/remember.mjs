// Remembers subscriptions, one after another, as soon as a line comes: `node remember.mjs <folder> <name> <count>`.
import { once } from "node:events";
import { createJiti } from "jiti";

const [cwd, name, count] = process.argv.slice(2);
const { SubscriptionMemory } = await createJiti(import.meta.url).import(
  "../../../src/cli/service/subscription-memory.ts",
);
const memory = new SubscriptionMemory(cwd);
process.stdout.write("ready\n");
await once(process.stdin, "data");
for (let number = 0; number < Number(count); number++) {
  const sample = {
    ...{ id: null, state: "unconfirmed", url: `https://app.example/${name}/${number}`, events: [] },
    ...{ baseUrl: "https://api.example", environment: "test", secretFingerprint: "0123456789ab" },
    ...{ tunnel: null, createdAt: "2026-01-15T10:00:00.000Z" },
  };
  memory.add(sample);
  memory.replace(sample, { ...sample, state: "created" });
}
process.stdin.destroy();
