import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Handler } from "../../../src/entries/index.ts";
import { RunNotes } from "../../../src/inspector/live/run-notes.ts";
import { openInspector, untilCounts } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, openPage, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();
  const rows = (page: Page) => page.locator(".line").count();

  it("the title counts failing entries and dead letters, also while the tab is hidden and draws no frames", async () => {
    let broken = true;
    const handler = () => {
      if (broken) throw Object.assign(new Error("no"), { retryAfter: 600_000 });
    };
    const { inspector, receiver, api, deliver } = await openInspector({ handler, attempts: 2 });
    await deliver("payment.received");
    await untilCounts(receiver, { failing: 1 });
    const page = await newPage.at(inspector.url);
    await expect.poll(() => page.title()).toBe("(1 failing) Deliveries · hookporter");
    await page.goto(`${inspector.url.origin}/#/entry/1`);
    await api("/api/entries/1/retry", {});
    await expect.poll(() => page.title()).toBe("(1 dead) #1 · hookporter");
    await page.evaluate("window.requestAnimationFrame = () => 0");
    await deliver("lead.created");
    await untilCounts(receiver, { failing: 1 });
    await api("/api/entries/2/retry", {});
    await expect.poll(() => page.title()).toBe("(2 dead) #1 · hookporter");
    broken = false;
    for (const seq of [1, 2]) await api(`/api/entries/${seq}/retry`, {});
    await expect.poll(() => page.title()).toBe("#1 · hookporter");
  });

  it("a paused list stays as it is and counts what is new, which is shown when it resumes", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url);
    await expect.poll(() => rows(page)).toBe(1);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("status").filter({ hasText: "paused" }).waitFor();
    for (const kind of ["lead.created", "contact.created"] as const) await deliver(kind);
    await deliver("lead.created", "another secret that is wrong");
    await page.getByRole("button", { name: "Resume, 3 new" }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    expect(await rows(page)).toBe(1);
    await page.locator("#list").focus();
    await page.keyboard.press("p");
    await expect.poll(() => rows(page)).toBe(4);
    await page.locator(".feed-state.live").waitFor();
    await deliver("tenant.created");
    await expect.poll(() => rows(page)).toBe(5);
    expect(page.troubles).toEqual([]);
  });

  it("a list stays paused while the filter changes, and what is loaded for it is not counted as new", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("status").filter({ hasText: "paused" }).waitFor();
    await deliver("lead.created");
    await page.getByRole("button", { name: "Resume, 1 new" }).waitFor();
    await page.goto(`${inspector.url.origin}/#/?kind=lead.created`);
    // the list for the new filter, and not the old one
    await page.locator(".line", { hasText: "lead.created" }).waitFor();
    expect(await rows(page)).toBe(1);
    await page.getByRole("button", { name: "Resume", exact: true }).waitFor();
    await deliver("lead.created");
    await page.getByRole("button", { name: "Resume, 1 new" }).waitFor();
  });

  it.each([1280, 360])("? and a button show all keys on every page, at %i px", async (width) => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1", { viewport: { width, height: 740 } });
    await page.locator(".detail-head h1").waitFor();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keys" });
    await dialog.getByText("pause the list").waitFor();
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    for (const path of ["/trigger", "/overview"]) {
      await page.goto(`${inspector.url.origin}/#${path}`);
      await page.getByRole("button", { name: "Keys" }).click();
      await dialog.waitFor();
      await page.getByRole("button", { name: "Close" }).click();
      expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Keys");
    }
  });

  it("an attempt shows what its handler printed, as text, and the head of its target's answer", async () => {
    const runNotes = new RunNotes(Date.now);
    const answer = {
      status: 502,
      body: "no",
      bytes: Buffer.from("no"),
      cut: undefined,
      address: undefined,
    };
    const headers = { "set-cookie": ["session=canary"], server: "<i>nginx" };
    const handler: Handler = (_event, { seq, attempt }) => {
      const run = runNotes.begin(seq, attempt);
      run.print("info", "posting to ledger <b>1</b>");
      run.print("error", "the ledger said no");
      run.answered({ ...answer, headers, duration: 12, ok: false });
    };
    const { inspector, deliver } = await openInspector({ runNotes, handler });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    const run = page.locator(".run.ok");
    await run.getByRole("heading", { name: "Printed" }).waitFor();
    const printed = "posting to ledger <b>1</b>\nerror  the ledger said no\n";
    expect(await run.locator(".printed pre").textContent()).toBe(printed);
    await run.getByText("Answer 502, 2 bytes, after 12 ms").click();
    expect(await run.locator("dd").allTextContents()).toEqual(["(not shown)", "<i>nginx"]);
    expect(await page.content()).not.toContain("canary");
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
  });

  it("an address that names no page says so, and leads back", async () => {
    const { inspector, deliver } = await openInspector();
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/nonsense");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(await page.title()).toBe("No such page · hookporter");
    await page.getByRole("button", { name: "Show the deliveries" }).click();
    await page.locator("#line-e1").waitFor();
  });

  it("a page without deliveries keeps saying how to send one while listen is stopped", async () => {
    const { inspector, close } = await openInspector();
    const page = await newPage.at(inspector.url);
    const title = page.getByRole("heading", { name: "No deliveries yet" });
    await title.waitFor();
    await close();
    await page.locator(".feed-state.offline").waitFor();
    expect(await title.isVisible()).toBe(true);
  });

  it.each([1024, 360])(
    "a page of %i px says that listen is stopped, and keeps its buttons in sight",
    async (width) => {
      const { inspector, deliver, close } = await openInspector({ handler: () => {} });
      await deliver("payment.received");
      const page = await newPage.at(inspector.url, "/", { viewport: { width, height: 740 } });
      await close();
      const state = page.getByRole("status").filter({ hasText: "listen does not respond" });
      await state.waitFor();
      expect((await state.boundingBox())?.height).toBeLessThan(40);
      const keys = await page.getByRole("button", { name: "Keys" }).boundingBox();
      expect((keys?.x ?? width) + (keys?.width ?? 0)).toBeLessThanOrEqual(width);
    },
  );

  it("the durations have a line for each kind, and a long one stays clear of its numbers", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    const webhook = { id: "wh_1", url: "https://receiver.example/webhooks" };
    const event = `property.${"x".repeat(90)}`;
    await deliver({ event, timestamp: new Date().toISOString(), data: { id: "prop_1" }, webhook });
    const page = await newPage();
    await page.setViewportSize({ width: 1440, height: 900 });
    await openPage(page, inspector.url, "/overview");
    const line = page.getByRole("row", { name: event });
    await line.waitFor();
    const name = line.getByRole("rowheader");
    const numbers = await line.getByRole("cell").all();
    expect((await numbers[0]?.textContent()) ?? "").toBe("1");
    const kind = await name.boundingBox();
    const count = await numbers[0]?.boundingBox();
    expect((kind?.x ?? 0) + (kind?.width ?? 0)).toBeLessThanOrEqual(count?.x ?? 0);
  });
});
