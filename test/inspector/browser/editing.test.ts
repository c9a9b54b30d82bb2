import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { sampleEvent } from "../../../src/testing.ts";
import { openInspector } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, choose, openPage, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();
  const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const editor = (page: Page) => page.getByRole("textbox", { name: "Body" });
  const problem = (page: Page) => page.locator(".editor-problem [role=status]");

  it("a body of 600 kB is edited whole, not only its beginning", async () => {
    const { inspector, receiver, deliver } = await openInspector({ handler: () => {} });
    const rows = Array.from({ length: 24_000 }, (_, id) => `{"id": ${id}, "n": 1.50}`);
    const body = JSON.stringify({ ...sampleEvent("payment.received"), data: "DATA" })
      .replace('"DATA"', () => `{\n"rows": [${rows.join(",\n")}]}`)
      .concat("  ");
    expect(body.length).toBeGreaterThan(600_000);
    await deliver(Buffer.from(body));
    const page = await newPage();
    await openPage(page, inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" ");
    await click(page, "Sign and send");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await vi.waitFor(async () => expect(await receiver.inbox.delivery(2)).toBeDefined(), 10_000);
    const sent = String(Buffer.from((await receiver.inbox.delivery(2))?.body ?? []));
    const undated = (text: string) => text.replace(/"timestamp":"[^"]*"/, "");
    expect(undated(sent) === undated(`${body} `)).toBe(true); // a message of 600 kB would help nobody
    expect(page.troubles).toEqual([]);
  });

  it("a body that is too large to edit is offered as a download instead", async () => {
    const inbox = memoryInbox();
    await inbox.append({
      key: { source: "service", eventId: "evt_1", timestamp: 1 },
      ...{ kind: "lead.created", eventTimestamp: 1, state: "dead", reason: "too_old", orderKey: null },
      delivery: {
        ...{ method: "POST", target: "/webhooks", headers: {}, receivedAt: Date.now() },
        body: Buffer.from(JSON.stringify("x".repeat(2_100_000))),
      },
    });
    const { inspector } = await openInspector({ inbox });
    const page = await newPage();
    await openPage(page, inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    await page.getByText("can be edited here").waitFor();
    expect(await editor(page).count()).toBe(0);
    const [download] = await Promise.all([page.waitForEvent("download"), click(page, "Download it")]);
    expect(download.suggestedFilename()).toMatch(/\.json$/);
  });

  it("what is not JSON is announced with its place and selected there, and axe finds no problems", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage({ viewport: { width: 360, height: 740 } });
    await openPage(page, inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    await editor(page).fill('\n{"data": {"id": oops}}');
    await expect
      .poll(() => problem(page).textContent())
      .toBe("Not JSON: line 2, column 17: expected a value");
    await click(page, "Show it");
    expect(await page.evaluate("String(getSelection())")).toBe("oops");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    expect(page.troubles).toEqual([]);
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    await editor(page).fill('{"data": {}}');
    await expect.poll(() => problem(page).textContent()).toBe("");
  });

  it("a draft stays after Escape and a reload, ends with the tab, and is dropped when it is sent", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage();
    await openPage(page, inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    const draft = JSON.stringify({ ...sampleEvent("lead.created"), id: "evt_draft" });
    await editor(page).fill(draft);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.reload();
    await choose(page, "Send again", "Edit and send…");
    await page.getByText("This is your draft").waitFor();
    await expect.poll(() => editor(page).inputValue()).toBe(draft);
    const other = await page.context().newPage();
    await openPage(other, inspector.url, "/entry/1");
    await choose(other, "Send again", "Edit and send…");
    await expect.poll(() => editor(other).inputValue()).toContain("payment.received");
    await click(page, "Sign and send");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await choose(page, "Send again", "Edit and send…");
    await expect.poll(() => editor(page).inputValue()).toContain("payment.received");
    expect(await page.evaluate("Object.keys(sessionStorage).filter((key) => /draft/.test(key))")).toEqual([]);
    expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
  });

  it("the data of each sample keeps its draft while another kind is chosen", async () => {
    const { inspector } = await openInspector();
    const page = await newPage();
    await openPage(page, inspector.url, "/trigger");
    const data = page.getByRole("textbox", { name: "data" });
    await data.fill('{"id": "mine"}');
    await page.getByRole("radio", { name: "lead.created" }).check();
    await expect.poll(() => data.inputValue()).not.toContain("mine");
    await page.getByRole("radio", { name: "payment.received" }).check();
    await expect.poll(() => data.inputValue()).toBe('{"id": "mine"}');
    await click(page, "Reset");
    await expect.poll(() => data.inputValue()).toContain("amount");
  });
});
