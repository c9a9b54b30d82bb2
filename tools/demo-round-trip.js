// The round trip: starts the sandbox, `listen --subscribe` and `listen --stream`, and creates
// properties. Handlers that call the API handle each event once, while the sandbox simulates faults
// in its deliveries.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startSandbox } from "hookporter/sandbox";

const root = join(fileURLToPath(import.meta.url), "..", "..");
const HANDLERS = join(root, "tools", "demo-handlers.js");
const PROPERTIES = 5;
const CHAOS = { duplicates: 0.5, wrongSignature: 0.4, delay: [0, 50], outage: 300 };

/** Runs the round trip in a folder; calls `check` with each result. */
export async function roundTrip(folder, check) {
  const sandbox = await startSandbox({
    port: 0,
    properties: 3,
    retry: { attempts: 51, delay: 100, factor: 1, jitter: 0 },
    chaos: CHAOS,
  });
  console.log(`\nsandbox on ${sandbox.url.origin}, with chaos: ${Object.keys(CHAOS).join(", ")}`);
  const listen = start(folder, sandbox);
  try {
    await listen.until(({ type }) => type === "subscription");
    console.log(`listen --subscribe, and --stream, on ${sandbox.subscriptions[0].url}\n`);
    const ids = [];
    for (let number = 4; number < 4 + PROPERTIES; number++) {
      sandbox.emit("property.created");
      ids.push(`prop_sandbox_${String(number).padStart(4, "0")}`);
    }
    const ended = await listen.ended;
    const settled = sandbox.deliveries.filter(({ state }) => state === "delivered").length;
    const attempts = sandbox.deliveries.flatMap((delivery) => delivery.attempts);
    const wrong = attempts.filter(({ chaos }) => chaos.length > 0).length;
    console.log(
      `${attempts.length} attempts at ${sandbox.deliveries.length} deliveries, ${wrong} made to fail`,
    );
    check(
      `${settled} deliveries were confirmed, one of each event at least`,
      settled >= PROPERTIES,
    );
    const all = PROPERTIES + 3;
    const each = ids.map((id) =>
      listen.lines.filter((line) => line.endsWith(` │ ${id} is one of ${all} properties`)),
    );
    check(
      "each new property was handled once, and found in the list",
      each.every((lines) => lines.length === 1),
    );
    check("listen ended by itself, with 0", ended === 0);
  } finally {
    listen.process.kill("SIGKILL");
    await sandbox.close();
  }
}

/** Runs `listen` until it has handled as many events as there are new properties. */
function start(folder, sandbox) {
  const flags = [
    "--port",
    "0",
    "--subscribe",
    "--stream",
    sandbox.streamUrl.href,
    "--handlers",
    HANDLERS,
  ];
  const goal = ["--count", String(PROPERTIES), "--timeout", "60s", "--json"];
  const foreign = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("HOOKPORTER_")),
  );
  const child = spawn(
    process.execPath,
    [join(root, "dist", "bin.js"), "listen", ...flags, ...goal],
    {
      cwd: folder,
      env: {
        ...foreign,
        HOOKPORTER_API_KEY: "sk_test_demo",
        HOOKPORTER_BASE_URL: sandbox.url.origin,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const lines = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const records = createInterface({ input: child.stdout });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const until = (holds) =>
    new Promise((resolve, reject) => {
      records.on("line", (line) => holds(JSON.parse(line)) && resolve());
      ended.then((code) => reject(new Error(`listen ended with ${code}:\n${lines.join("\n")}`)));
    });
  return { process: child, lines, ended, until };
}
