import { describe, expect, it } from "vitest";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { keep, numberedEntry } from "../../inbox/entries.ts";
import { openInspector, until, untilCounts } from "../open.ts";
import { CHROMIUM, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("a delivery is found by its error, its number and its state's word", async () => {
    const handler = (event: { kind: string }) => {
      if (event.kind === "payment.overdue") throw new Error("ledger says no");
    };
    const { inspector, deliver, receiver } = await openInspector({ handler, attempts: 1 });
    for (const kind of ["lead.created", "payment.overdue", "contact.created"] as const)
      await deliver(kind);
    await untilCounts(receiver, { handled: 2, dead: 1 });
    const page = await newPage.at(inspector.url);
    const search = page.getByRole("searchbox");
    expect(await search.getAttribute("placeholder")).toMatch(/error.*#number/);
    for (const [text, kinds] of [
      ["ledger says", ["payment.overdue"]],
      ["#1", ["lead.created"]],
      ["dead", ["payment.overdue"]],
      ["application/json", ["contact.created", "payment.overdue", "lead.created"]],
    ] as const) {
      await search.fill(text);
      await until(async () =>
        expect(await page.locator(".line-name").allTextContents(), text).toEqual(kinds),
      );
    }
    expect(page.troubles).toEqual([]);
  });

  it("Enter right after the last key opens the first hit, however late the list comes", async () => {
    const { inspector, deliver } = await openInspector();
    for (const kind of ["payment.overdue", "lead.created"] as const) await deliver(kind);
    const page = await newPage.at(inspector.url);
    await page.locator("#line-e2").waitFor();
    await page.route("**/api/**", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await page.getByRole("searchbox").fill("payment.overdue");
    await page.keyboard.press("Enter");
    await page.locator(".detail-head h1", { hasText: "payment.overdue" }).waitFor();
    expect(page.url()).toContain("#/entry/1?text=payment.overdue");
    expect(page.troubles).toEqual([]);
  });

  it("a time in the filter leaves out what was received before it", async () => {
    const inbox = memoryInbox();
    await keep(inbox, numberedEntry(1, 0, { state: "dead" }));
    const { inspector, deliver } = await openInspector({ inbox });
    await deliver("lead.created");
    const page = await newPage.at(inspector.url);
    const rows = async () => (await page.locator(".line-name").allTextContents()).length;
    await expect.poll(rows).toBe(2);
    const time = page.getByRole("combobox", { name: "Time" });
    await time.selectOption("Last 5 minutes");
    await expect.poll(rows).toBe(1);
    await page.getByRole("button", { name: "1 all" }).waitFor();
    expect(await time.inputValue()).toBe("300000");
    await page.reload();
    await expect.poll(rows).toBe(1);
    await time.selectOption("Any time");
    await expect.poll(rows).toBe(2);
    expect(page.troubles).toEqual([]);
  });

  it("an address with a wrong filter says what is wrong, and shows all on demand", async () => {
    const { inspector, deliver } = await openInspector();
    await deliver("lead.created");
    const page = await newPage.at(inspector.url);
    await page.goto(`${inspector.url.origin}/#/?state=bogus`);
    await page
      .getByText(
        'expected state to be one of waiting, failing, running, handled, dead, received, refused, got "bogus".',
      )
      .waitFor();
    expect(await page.getByText("listen does not respond").count()).toBe(0);
    await page.getByRole("button", { name: "Show all" }).click();
    await page.locator("#line-e1").waitFor();
  });
});
