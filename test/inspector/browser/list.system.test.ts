import { describe, expect, it } from "vitest";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { keep, numberedEntry } from "../../inbox/entries.ts";
import { openInspector, until, untilCounts } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  /** An event of a kind about a resource. */
  const event = (kind: "payment.received" | "payment.overdue", id: string) => {
    const sample = sampleEvent(kind);
    return { ...sample, data: { id, tenant: { name: `tenant of ${id}` } } };
  };

  it("a row says why, with resource, duration, number and a time that ticks; its value can be chosen for good", async () => {
    const handler = ({ kind }: { kind: string }) => {
      if (kind === "payment.overdue") throw new Error("ledger says no\nand more");
    };
    const { inspector, deliver, receiver } = await openInspector({ handler, attempts: 1 });
    await deliver(event("payment.received", "pay_1"));
    await deliver(event("payment.overdue", "pay_2"));
    await untilCounts(receiver, { dead: 1, handled: 1 });
    const page = await newPage.at(inspector.url);
    const failed = page.locator("#line-e2");
    await failed.locator(".line-why", { hasText: /^ledger says no$/ }).waitFor();
    expect(await failed.locator(".line-resource").textContent()).toBe("pay_2");
    expect(await failed.locator(".line-duration").textContent()).toMatch(/ m?s$/);
    expect(await failed.locator(".line-id").textContent()).toBe("#2");
    const time = page.locator("#line-e1 .line-time");
    await until(async () => expect(await time.textContent()).toMatch(/^[2-9] s ago/));
    expect(await time.getAttribute("title")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} /);
    await page.locator(".view-options summary").click();
    await page.getByLabel("Value shown in each row").fill("data.tenant.name");
    await page.keyboard.press("Enter");
    await page.locator("#line-e1 .line-resource", { hasText: "tenant of pay_1" }).waitFor();
    const height = async () => (await page.locator("#line-e1").boundingBox())?.height ?? 0;
    const comfortable = await height();
    await page.getByRole("button", { name: "compact" }).click();
    await until(async () => expect(await height()).toBeLessThanOrEqual(comfortable / 2));
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    await page.reload();
    await page.locator("#line-e1 .line-resource", { hasText: "tenant of pay_1" }).waitFor();
    expect(await height()).toBeLessThanOrEqual(comfortable / 2);
    expect(Object.keys(await page.evaluate("({ ...localStorage })"))).toEqual(["hookporter-list"]);
    await page.evaluate("localStorage.setItem('hookporter-list', '[{')"); // as another program may
    await page.reload();
    await page.locator("#line-e1 .line-resource", { hasText: "pay_1" }).waitFor();
    expect(page.troubles).toEqual([]);
  });

  it("the filter's chips count, also live and within a kind, and one stands for each state", async () => {
    const handler = ({ kind }: { kind: string }) => {
      if (kind === "payment.overdue") throw new Error("no");
    };
    const { inspector, deliver } = await openInspector({ handler, attempts: 1 });
    await deliver(event("payment.received", "pay_1"));
    await deliver(event("payment.overdue", "pay_2"));
    await deliver("lead.created");
    await deliver("lead.created", "another secret that is wrong");
    const page = await newPage.at(inspector.url);
    const chips = (wanted: string) =>
      expect
        .poll(async () => (await page.locator(".chip").allTextContents()).join(", "))
        .toBe(wanted);
    await chips("4 all, 0 failing, 1 dead, 0 waiting, 2 handled, 0 received, 1 refused");
    await deliver(event("payment.overdue", "pay_3"));
    await chips("5 all, 0 failing, 2 dead, 0 waiting, 2 handled, 0 received, 1 refused");
    await page.getByRole("button", { name: "2 dead" }).click();
    await until(async () => expect(await page.locator(".line").count()).toBe(2));
    await page.getByRole("combobox", { name: "Kind" }).selectOption("lead.*");
    await chips("1 all, 0 failing, 0 dead, 0 waiting, 1 handled, 0 received, 0 refused");
    await page.getByText("No matching deliveries").waitFor();
    await page.getByRole("combobox", { name: "Kind" }).selectOption("payment.*");
    await page.getByRole("combobox", { name: "Kind" }).selectOption("payment.overdue");
    await chips("2 all, 0 failing, 2 dead, 0 waiting, 0 handled, 0 received, 0 refused");
  });

  it("Page Down, End and Home select rows that are drawn, and moving leaves one step in the history", async () => {
    const inbox = memoryInbox();
    for (let number = 1; number <= 300; number++)
      await keep(inbox, numberedEntry(number, number, { state: "dead" }));
    const { inspector } = await openInspector({ inbox });
    const page = await newPage.at(inspector.url);
    await page.locator("#line-e300").click();
    await page.locator(".detail-head h1").waitFor();
    const list = page.locator("#list");
    await list.focus();
    const steps = await page.evaluate("history.length");
    for (const [key, id] of [
      ["End", "e1"],
      ["Home", "e300"],
      ["j", "e299"],
      ["k", "e300"],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(`#line-${id}[aria-selected="true"]`).waitFor();
      expect(await list.getAttribute("aria-activedescendant")).toBe(`line-${id}`);
      expect(page.url()).toMatch(new RegExp(`/entry/${id.slice(1)}$`));
    }
    await page.keyboard.press("PageDown");
    const chosen = page.locator('.line[aria-selected="true"]');
    const number = Number((await chosen.getAttribute("id"))?.replace("line-e", ""));
    expect(number).toBeGreaterThan(270);
    expect(number).toBeLessThan(297);
    expect(await list.getAttribute("aria-activedescendant")).toBe(`line-e${number}`);
    expect(await page.evaluate("history.length")).toBe(steps);
    await list.evaluate((element) => element.scrollTo(0, 56 * 250));
    await until(async () => expect(await list.getAttribute("aria-activedescendant")).toBeNull());
  });
});
