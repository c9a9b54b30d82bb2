import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { openInspector, untilCounts } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, choose, openPage, useBrowser } from "./chromium.ts";

const OPEN_ALL =
  "document.querySelectorAll('details:not([open]) > summary').forEach((summary) => summary.click())";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("the error with its file and line, its cause, and the body are visible at 1440 × 900 without scrolling", async () => {
    const { inspector } = await failed();
    const page = await newPage.at(inspector.url, "/entry/1", {
      viewport: { width: 1440, height: 900 },
    });
    const why = page.locator(".why");
    await inView(why.getByText("TypeError: ledger says no: account 4711 is closed"));
    await inView(why.getByText(/detail\.system\.test\.ts:\d+:\d+/));
    await inView(why.getByText("caused by: connect ECONNREFUSED 127.0.0.1:5432"));
    await inView(page.getByRole("button", { name: "Retry", exact: true }));
    await inView(page.locator(".body-line", { hasText: '"amount": "1450.00"' }));
    const story = page.locator(".story");
    const payload = page.locator(".payload");
    expect((await payload.boundingBox())?.y).toBe((await story.boundingBox())?.y);
    expect(await page.locator(".run").count()).toBe(2);
    await page.getByText("the same error as in attempt 2").waitFor();
  });

  it("the field that does not fit, and the body, are visible at 1440 × 900 without scrolling", async () => {
    const { inspector } = await failed();
    const page = await newPage.at(inspector.url, "/entry/2", {
      viewport: { width: 1440, height: 900 },
    });
    await inView(
      page.locator(".problems", { hasText: "data.id" }).getByText("expected string, got number"),
    );
    await inView(
      page.locator(".body-line.wrong", { hasText: /"id": 12\s*← expected string, got number/ }),
    );
    await inView(page.locator(".step.failed", { hasText: "Data" }));
    const tree = page.getByRole("tree", { name: "Body as JSON" });
    await tree.focus();
    await page.keyboard.press("Home");
    expect(await page.locator(".body-line.active.wrong").count()).toBe(0);
    await page.getByRole("button", { name: "data.id", exact: true }).click();
    await page.locator(".body-line.active.wrong", { hasText: '"id": 12' }).waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("tree");
  });

  it("checks that passed are one line, which opens with what was compared", async () => {
    const { inspector } = await failed();
    const page = await newPage.at(inspector.url, "/entry/1");
    const line = page.locator(".checks summary");
    expect(await line.textContent()).toMatch(/signature.*envelope.*time.*data.*identity/);
    expect((await line.boundingBox())?.height).toBeLessThan(40);
    expect(await page.locator(".step").first().isVisible()).toBe(false);
    await line.click();
    await page.locator(".step.passed", { hasText: "The HMAC-SHA256 of the raw bytes" }).waitFor();
  });

  it("the payload follows the summary at 360 pixels, and nothing is wider than the screen", async () => {
    const { inspector } = await failed();
    const page = await newPage.at(inspector.url, "/", { viewport: { width: 360, height: 740 } });
    for (const view of ["/entry/1", "/entry/2", "/refusal/r1"]) {
      await page.goto(`${inspector.url.origin}/#${view}`);
      const payload = page.locator(".payload");
      const story = page.locator(".story");
      await payload.waitFor();
      await page.evaluate(OPEN_ALL);
      await page.locator("details:not([open])").first().waitFor({ state: "detached" });
      expect((await payload.boundingBox())?.y).toBeLessThan((await story.boundingBox())?.y ?? 0);
      expect(await page.evaluate("document.documentElement.scrollWidth"), view).toBe(360);
      const pane = "document.querySelector('.main-pane')";
      expect(await page.evaluate(`${pane}.scrollWidth <= ${pane}.clientWidth`), view).toBe(true);
    }
  });

  it("axe finds no problems with everything opened, in light and dark", async () => {
    const { inspector } = await failed();
    const page = await newPage.at(inspector.url, "/", {
      viewport: { width: 1440, height: 900 },
      colorScheme: "light",
    });
    await page.evaluate(AXE);
    for (const view of ["/entry/1", "/entry/2", "/refusal/r1"]) {
      await page.goto(`${inspector.url.origin}/#${view}`);
      await page.locator(".payload").waitFor();
      await page.evaluate(OPEN_ALL);
      await page.locator("details:not([open])").first().waitFor({ state: "detached" });
      expect(await axe(page), view).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await axe(page, ["color-contrast"]), `${view} in dark`).toEqual([]);
      await page.emulateMedia({ colorScheme: "light" });
    }
  });

  it("times are local, with UTC on hover, which the page says once", async () => {
    const { inspector } = await failed();
    const page = await newPage.at(inspector.url, "/entry/1", { timezoneId: "America/New_York" });
    expect(await page.getByText(/^local time, UTC−[45]$/).count()).toBe(1);
    const time = page.locator(".detail-sub time");
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    const local = at.toLocaleTimeString("sv-SE", { timeZone: "America/New_York" });
    expect(await time.innerText()).toContain(local);
    expect(await time.getAttribute("title")).toContain(`${at.toISOString().slice(11, -1)} UTC`);
    await page.getByRole("heading", { name: "Record" }).click();
    expect(await page.locator(".detail").textContent()).not.toMatch(/\b0\.0 ms/);
    expect(await page.locator(".headers dd").first().textContent()).toContain(local);
  });

  it("an entry without a handler was received, which is no failure, and runs with those like it once there is one", async () => {
    const ran: string[] = [];
    const { inspector, deliver, receiver } = await openInspector();
    for (const kind of ["payment.received", "payment.received", "lead.created"] as const)
      await deliver(kind);
    await untilCounts(receiver, { received: 3 });
    const page = await newPage.at(inspector.url, "/entry/1");
    await page.locator(".detail-sub .state", { hasText: "received" }).waitFor();
    await page.locator(".line .state", { hasText: "received" }).first().waitFor();
    expect(await page.locator(".detail .why, .detail .failed, .detail .dead").count()).toBe(0);
    await page.getByText("npx hookporter listen --handlers handlers/").waitFor();
    receiver.on("payment.*", ({ kind }) => void ran.push(kind));
    await page.getByText("A handler for payment.received is loaded now: payment.*").waitFor();
    expect(await inboxOf(receiver).counts()).toMatchObject({ received: 3 });
    await page.getByRole("button", { name: "Run these 2…" }).click();
    const dialog = page.getByRole("dialog", { name: "Retry or drop entries" });
    await dialog.getByText("2 received: their handlers run.").waitFor();
    expect(await inboxOf(receiver).counts()).toMatchObject({ received: 3 });
    await dialog.getByRole("button", { name: "Run 2" }).click();
    await dialog.getByRole("status").getByText("2 entries run again.").waitFor();
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await page.locator(".detail-sub .state", { hasText: "handled" }).waitFor();
    await untilCounts(receiver, { received: 1, handled: 2 });
    expect(ran).toEqual(["payment.received", "payment.received"]);
  });

  it("a refused delivery says its cause first, without codes or backticks", async () => {
    const { inspector } = await failed();
    const page = await newPage.at(inspector.url, "/refusal/r1");
    await page
      .locator(".why", { hasText: "The delivery has no signature header. Nothing was kept." })
      .waitFor();
    expect(await page.locator(".detail").innerText()).not.toMatch(/`|signature_missing/);
  });

  it("every button can be hit with a finger, on all pages and in a dialog", async () => {
    const { inspector } = await failed();
    const page = await newPage({
      viewport: { width: 360, height: 800 },
      isMobile: true,
      hasTouch: true,
    });
    const small = () =>
      page.locator("button:not(.link):visible, summary:visible").evaluateAll((found) =>
        found.flatMap((one) => {
          const { height } = one.getBoundingClientRect();
          return height < 44 ? [`${one.textContent || one.ariaLabel}: ${height}`] : [];
        }),
      );
    const width = () => page.locator("html").evaluate(({ scrollWidth }) => scrollWidth);
    await openPage(page, inspector.url);
    for (const path of ["/", "/overview", "/trigger", "/refusal/r1", "/entry/1"]) {
      await page.goto(`${inspector.url.origin}/#${path}`);
      await page.locator("h1").last().waitFor();
      expect({ path, small: await small(), width: await width() }).toEqual({
        path,
        small: [],
        width: 360,
      });
    }
    await choose(page, "Send again", "Edit and send…");
    await page.getByRole("dialog").waitFor();
    expect({ small: await small(), width: await width() }).toEqual({ small: [], width: 360 });
  });

  it("a refused delivery's row has its whole reason, on a phone too", async () => {
    const { inspector, deliver } = await openInspector();
    await deliver("lead.created", "another secret that is wrong");
    const page = await newPage();
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await openPage(page, inspector.url);
      const row = page.locator(".line", {
        hasText: "does not match these bytes under any configured secret",
      });
      const name = await row.locator(".line-name").boundingBox();
      const box = await row.boundingBox();
      expect((name?.y ?? 0) + (name?.height ?? 99), String(width)).toBeLessThan(
        (box?.y ?? 0) + (box?.height ?? 0),
      );
    }
    await page.locator(".line").click();
    await page.getByRole("tree", { name: "Body as JSON" }).getByText("lead.created").waitFor();
    await page
      .getByText(/^npx hookporter verify body.json --signature "sha256=[0-9a-f]{64}"$/)
      .waitFor();
  });
});

async function inView(element: Locator): Promise<void> {
  await element.first().waitFor();
  const box = await element.first().boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect((box?.y ?? 0) + (box?.height ?? 900)).toBeLessThanOrEqual(900);
}

/** An entry whose handler failed, one whose data does not fit, and a refused delivery. */
async function failed() {
  const handler = () => {
    const cause = new Error("connect ECONNREFUSED 127.0.0.1:5432");
    throw new TypeError("ledger says no: account 4711 is closed", { cause });
  };
  const opened = await openInspector({ handler, attempts: 2 });
  const { deliver, endpoint, receiver } = opened;
  await deliver("payment.overdue");
  await deliver(sampleEvent("property.created", { data: { id: 12 } }));
  await fetch(endpoint, { method: "POST", body: "x" });
  await untilCounts(receiver, { dead: 2, waiting: 0 });
  return opened;
}
