import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, it, vi } from "vitest";
import type { Handler } from "../../../src/dispatch/handler.ts";
import { eventKinds } from "../../../src/event/kinds.ts";
import { seededRandom } from "../../../src/relay/random.ts";
import { sampleEvent } from "../../../src/testing.ts";
import { openInspector } from "../open.ts";
import { CHROMIUM, openPage, useBrowser } from "./chromium.ts";

/** The folder for the pictures of the README and docs/inspector.md; `npm run screenshots` takes them again. */
const FOLDER = join(import.meta.dirname, "..", "..", "..", "docs", "images");

const MINUTE = 60_000;

describe.skipIf(CHROMIUM === undefined || process.env.HOOKPORTER_SCREENSHOTS === undefined)(
  "screenshots",
  () => {
    const newPage = useBrowser();

    it("are taken of the main views, in light and dark", { timeout: 120_000 }, async () => {
      mkdirSync(FOLDER, { recursive: true });
      const { inspector, failing } = await anHour();
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await newPage({ colorScheme, viewport: { width: 1180, height: 760 } });
        await openPage(page, inspector.url, `/entry/${failing}`);
        await page.getByRole("heading", { name: "Payload" }).waitFor();
        await draw(page, `delivery-${colorScheme}`);
        await page.goto(`${inspector.url.origin}/#/overview`);
        await page.getByText("Redrive all").waitFor();
        await draw(page, `overview-${colorScheme}`);
      }
    });
  },
);

async function draw(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(300); // the charts measure their width once they are drawn
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}

/** An inspector after an hour of varied deliveries, and the number of an entry that failed. */
async function anHour() {
  const random = seededRandom(7);
  const start = Date.now() - 58 * MINUTE;
  let now = start;
  const handler: Handler = async ({ kind }) => {
    await new Promise((resolve) => setTimeout(resolve, random() * (kind === "lease.expired" ? 60 : 12)));
    if (kind === "payment.overdue")
      throw new Error("http://127.0.0.1:3000/webhooks answered 502: upstream is down");
  };
  const opened = await openInspector({ handler, attempts: 3, clock: () => now });
  const { deliver, endpoint, receiver } = opened;
  for (let minute = 0; minute < 58; minute++) {
    now = start + minute * MINUTE;
    const count = Math.round(2 + 5 * random() + 4 * Math.sin(minute / 9) ** 2);
    for (let number = 0; number < count; number++) {
      now += 900 + Math.round(random() * 300);
      const kind = eventKinds[Math.floor(random() * eventKinds.length)] ?? "lead.created";
      const event = sampleEvent(kind, { timestamp: now - 40 });
      await deliver(event);
      if (random() < 0.12) await deliver(event);
    }
    if (minute % 9 === 4)
      await deliver(sampleEvent("lead.created", { timestamp: now }), "another secret that is wrong");
    if (minute % 17 === 6)
      await deliver(sampleEvent("contact.created", { timestamp: now - 30 * 86_400_000 }));
    if (minute % 23 === 8) await fetch(`${endpoint.origin}/favicon.ico`);
  }
  await deliver(sampleEvent("property.created", { timestamp: now }));
  now = Date.now();
  await deliver(sampleEvent("payment.overdue", { timestamp: now - 30 }));
  await deliver(sampleEvent("property.updated", { timestamp: now - 20 }));
  await deliver(sampleEvent("lead.created", { timestamp: now }), "another secret that is wrong");
  await deliver(sampleEvent("payment.received", { timestamp: now - 10 }));
  await vi.waitFor(
    async () => {
      now = Date.now() + 60_000; // so that waiting entries are due
      const { pending, running } = await receiver.inbox.counts();
      if (pending + running > 0) throw new Error("still at work");
    },
    { timeout: 60_000, interval: 50 },
  );
  const [failing] = await receiver.inbox.list({ kinds: ["payment.overdue"], limit: 1 });
  return { ...opened, failing: failing?.seq ?? 1 };
}
