import { describe, expect, it } from "vitest";
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
