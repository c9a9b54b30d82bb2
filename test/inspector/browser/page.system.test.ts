import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import type { Receiver } from "../../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { deadLetter, openInspector, SECRET, untilCounts } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, choose, openPage, useBrowser } from "./chromium.ts";
import { LONGEST_FRAME, WATCH_FRAMES, type WatchedFrames } from "./frames.ts";

const VIEWS = ["/", "/entry/1", "/entry/2", "/refusal/r1", "/overview", "/trigger"];

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("axe finds no problems, and the contrast is sufficient in light and dark", async () => {
    const { inspector } = await lived();
    const page = await newPage.at(inspector.url, "/", { colorScheme: "light" });
    await page.evaluate(AXE);
    for (const view of VIEWS) {
      await show(page, inspector.url, view);
      expect(await axe(page), view).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await axe(page, ["color-contrast"]), `${view} in dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
    }
    await show(page, inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    expect(await axe(page), "dialog").toEqual([]);
    const empty = await openInspector();
    await page.goto("about:blank");
    await openPage(page, empty.inspector.url);
    await page.getByText("No deliveries yet").waitFor();
    await page.evaluate(AXE);
    expect(await axe(page), "empty").toEqual([]);
  });

  it("the page is usable at 360 pixels: nothing is wider than the screen, and a selected delivery replaces the list", async () => {
    const { inspector } = await lived();
    const page = await newPage.at(inspector.url, "/", { viewport: { width: 360, height: 740 } });
    for (const view of VIEWS) {
      await show(page, inspector.url, view);
      expect(await page.evaluate("document.documentElement.scrollWidth"), view).toBeLessThanOrEqual(
        360,
      );
      const wide = `[...document.querySelectorAll("main, article, section, form")].filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0).map((e) => e.className || e.tagName)`;
      expect(await page.evaluate(wide), view).toEqual([]);
    }
    await show(page, inspector.url, "/");
    await page.locator(".line").first().click();
    await page.getByRole("button", { name: "← Deliveries" }).click();
    await page.locator(".line").first().waitFor();
  });

  it("the page stays smooth while 1 000 deliveries per second arrive", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage.at(inspector.url);
    await page.evaluate(WATCH_FRAMES);
    const seconds = 2;
    const sent = await flood(receiver, { perSecond: 1000, seconds });
    expect(sent).toBe(1000 * seconds);
    const loaded = new RegExp(`, ${sent} loaded$`);
    await vi.waitFor(
      async () => expect(await page.locator("#list").getAttribute("aria-label")).toMatch(loaded),
      15_000,
    );
    const { longest, time, frames } = await page.evaluate<WatchedFrames>("window.watched");
    expect(longest).toBeLessThan(time * LONGEST_FRAME);
    expect(frames).toBeGreaterThan(seconds * 5);
    expect(await page.locator(".line").count()).toBeLessThan(60);
  });

  it("rows being read stay in place while more arrive, which are counted", async () => {
    const { inspector, deliver } = await openInspector({ inbox: await filled(400) });
    const page = await newPage.at(inspector.url);
    await page.evaluate("document.getElementById('list').scrollTop = 56 * 50");
    const seen = page.locator("#line-e350");
    await seen.waitFor();
    const before = await seen.boundingBox();
    for (let count = 0; count < 3; count++) await deliver("lead.created");
    await page.getByRole("button", { name: "↑ 3 new" }).waitFor();
    expect((await seen.boundingBox())?.y).toBe(before?.y);
    await page.getByRole("button", { name: "↑ 3 new" }).click();
    await page.locator("#line-e403").waitFor();
  });

  it("a search continues through all of the past until the text is found", async () => {
    const { inspector } = await openInspector({ inbox: await filled(25_000, '{"it": "Needle"}') });
    const page = await newPage.at(inspector.url);
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    await page.locator("#line-e1").waitFor();
    expect(await page.locator(".line").count()).toBe(1);
    await page.keyboard.type("s");
    await page.getByText("No matching deliveries").waitFor();
  });

  it("100 000 entries scroll to the oldest, with few rows rendered", {
    timeout: 180_000,
  }, async () => {
    const { inspector } = await openInspector({ inbox: await filled(100_000) });
    const page = await newPage.at(inspector.url);
    await page.evaluate(WATCH_FRAMES);
    const down = "document.getElementById('list').scrollTop = 1e9";
    await page.evaluate(`(async () => {
      while (document.getElementById("line-e1") === null) {
        ${down};
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })()`);
    await page.locator("#line-e1").waitFor();
    expect(await page.locator("#list").getAttribute("aria-label")).toContain("100000 loaded");
    expect(await page.locator(".line").count()).toBeLessThan(60);
    const { longest, time } = await page.evaluate<WatchedFrames>("window.watched");
    expect(longest).toBeLessThan(time * LONGEST_FRAME);
    await page.evaluate("document.getElementById('list').scrollTop = 56 * 50000");
    await page.locator("#line-e50000").waitFor();
  });
});

async function show(page: Page, url: URL, view: string): Promise<void> {
  await page.goto(`${url.origin}/#${view}`);
  await page
    .locator(view === "/" ? ".line" : ".detail-head h1, .page h1")
    .first()
    .waitFor();
  if (view.startsWith("/entry")) await page.getByRole("heading", { name: "Payload" }).waitFor();
}

/** An inspector for a receiver with entries in all states. */
async function lived() {
  const handler = (event: { kind: string }) => {
    if (event.kind === "payment.overdue") throw new Error("the ledger is down");
  };
  const opened = await openInspector({ handler, attempts: 2 });
  const { deliver, endpoint, receiver } = opened;
  const event = sampleEvent("payment.received");
  for (const one of [event, event, "payment.overdue", "lead.created", Buffer.from("{}")] as const)
    await deliver(one);
  await fetch(endpoint, { method: "POST", body: "x" });
  await deliver("lead.created", "another secret that is wrong");
  await untilCounts(receiver, { handled: 2, dead: 2 });
  return opened;
}

/** An inbox in memory with this many entries; the first has a distinct body. */
async function filled(count: number, first = "{}"): Promise<Inbox> {
  const inbox = memoryInbox();
  for (let number = 1; number <= count; number++) {
    const receivedAt = Date.now() - count + number;
    await inbox.append(deadLetter(number, number === 1 ? first : "{}", receivedAt));
  }
  return inbox;
}

/**
 * Delivers to a receiver at a steady rate, as an adapter would; resolves with the count when all
 * are answered.
 */
async function flood(
  receiver: Pick<Receiver, "receive">,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number> {
  const start = performance.now();
  const answers: Promise<{ status: number }>[] = [];
  while (answers.length < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, ((performance.now() - start) / 1000) * perSecond);
    while (answers.length < due) {
      const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: SECRET });
      const head = { method: "POST", target: "/webhooks", path: "/webhooks", headers };
      answers.push(receiver.receive({ ...head, read: async () => body }));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return (await Promise.all(answers)).filter(({ status }) => status === 200).length;
}
