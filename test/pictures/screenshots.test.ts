import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, it } from "vitest";
import { root } from "../docs/markdown.ts";
import { CHROMIUM, openPage, useBrowser } from "../inspector/browser/chromium.ts";
import { anHour, firstRun } from "./an-hour.ts";
import { ansiToSvg } from "./ansi-to-svg.ts";
import { withFewColours } from "./few-colours.ts";
import { TIME_ZONE } from "./session.ts";
import { COLUMNS, HAS_TMUX, showTerminal } from "./terminal.ts";

/** The folder for the pictures of the README and the pages of docs/; `npm run screenshots` takes them again. */
const FOLDER = join(root, "docs", "images");

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 740 };

describe.skipIf(process.env.HOOKPORTER_SCREENSHOTS === undefined)("screenshots", { timeout: 300_000 }, () => {
  mkdirSync(FOLDER, { recursive: true });

  it.skipIf(!HAS_TMUX)("are taken of listen on a terminal", async () => {
    const screen = await showTerminal();
    const title = "listen on a terminal of 80 columns";
    writeFileSync(join(FOLDER, "terminal.svg"), ansiToSvg(screen, { columns: COLUMNS, title }));
  });

  describe.skipIf(CHROMIUM === undefined)("of the page", () => {
    const newPage = useBrowser();

    /** A page as it is at this time. */
    const pageAt = async (url: URL, now: number, path: string, options: BrowserContextOptions = {}) => {
      const page = await newPage({
        ...{ viewport: DESK, timezoneId: TIME_ZONE, locale: "en-GB", colorScheme: "light" },
        ...options,
      });
      await page.clock.setFixedTime(now);
      await openPage(page, url, path);
      return page;
    };

    it("are taken of every view after an hour of deliveries", async () => {
      const { page: url, now } = await anHour();
      const failed = async (options: BrowserContextOptions = {}) => {
        const page = await pageAt(url, now, "/", options);
        await page.locator("a", { hasText: "payment.overdue" }).first().click();
        await page.getByText("caused by: account 4711").first().waitFor();
        return page;
      };
      const list = await pageAt(url, now, "/");
      await list.locator("a", { hasText: "unauthorized" }).first().click();
      await take(list, "list");
      await take(await failed(), "failed-light");
      await take(await failed({ colorScheme: "dark" }), "failed-dark");
      await take(await failed({ viewport: PHONE, isMobile: true, hasTouch: true }), "phone");
      await take(await pageAt(url, now, "/overview"), "overview");
      await take(await pageAt(url, now, "/trigger"), "trigger");
    });

    it("are taken of a first run", async () => {
      const { page: url, now } = await firstRun();
      await take(await pageAt(url, now, "/entry/3"), "first-run");
    });
  });
});

async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(500); // the charts measure their width once they are drawn
  writeFileSync(join(FOLDER, `${name}.png`), withFewColours(await page.screenshot()));
}
