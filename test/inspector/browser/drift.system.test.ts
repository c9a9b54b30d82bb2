import { describe, expect, it } from "vitest";
import { driftFrom } from "../../../src/cli/types/drift.ts";
import { learn } from "../../../src/cli/types/shape.ts";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { openInspector } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, useBrowser } from "./chromium.ts";

const TEXT =
  "Events of payment.received began to differ: data.amount: type changed, expected string (decimal), got number";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("a changed sender is told of within one delivery, in a line that leads to it and can be dismissed", async () => {
    const learned = new Map();
    for (let count = 0; count < 3; count++)
      learn(learned, "payment.received", { id: "pay_1001", amount: "12.50" }, count);
    const { inspector, deliver } = await openInspector({
      handler: () => {},
      drift: driftFrom(learned),
    });
    const payment = (data: object) => deliver({ ...sampleEvent("payment.received"), data });
    await payment({ id: "pay_1", amount: "7.00" });
    const page = await newPage.at(inspector.url);
    await page.getByText("pay_1").first().waitFor();
    expect(await page.getByText("began to differ").count()).toBe(0);
    await payment({ id: "pay_2", amount: 7.5 });
    const notice = page.getByRole("status").filter({ hasText: "began to differ" });
    await notice.waitFor();
    expect(await notice.innerText()).toContain(`${TEXT} · #2`);
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);

    await notice.getByRole("link", { name: "#2" }).click();
    await page.waitForURL(/#\/entry\/2$/);
    await page
      .locator(".detail")
      .getByText("Events of this kind began to differ with this one")
      .waitFor();
    await notice.getByRole("button", { name: "Dismiss" }).click();
    await notice.waitFor({ state: "detached" });
    await payment({ id: "pay_3", amount: 8.5, note: "x" });
    await notice.getByText("data.note").waitFor();
    expect(await notice.innerText()).not.toContain("data.amount");
    await page.reload();
    await notice.getByText("data.note").waitFor();
    expect(await notice.innerText()).not.toContain("data.amount");

    await page.getByRole("link", { name: "Overview" }).click();
    const list = page.getByRole("region", { name: "Events that began to differ" });
    await list.getByText(TEXT).waitFor();
    expect(await list.getByRole("listitem").count()).toBe(2);
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    expect(page.troubles).toEqual([]);
  });
});
