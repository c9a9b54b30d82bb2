import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { root } from "../docs/markdown.ts";
import { CHROMIUM, openPage, useBrowser } from "../inspector/browser/chromium.ts";
import { anHour, firstRun } from "./an-hour.ts";
import { ansiToSvg } from "./ansi-to-svg.ts";
import { withFewColours } from "./few-colours.ts";
import { TIME_ZONE } from "./session.ts";
import { COLUMNS, HAS_TMUX, showTerminal } from "./terminal.ts";
import { digestOfStyles, textsOf, wordsOf } from "./words.ts";

/** The folder for the pictures of the README and the pages of docs/. */
const FOLDER = join(root, "docs", "images");

/**
 * With `HOOKPORTER_SCREENSHOTS=1` and `-u`, the pictures are taken again; otherwise the same
 * sessions are compared with those in the folder.
 */
const IS_TAKING = process.env.HOOKPORTER_SCREENSHOTS !== undefined;

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 740 };

describe("what the pictures show is what the program shows; `HOOKPORTER_SCREENSHOTS=1` and `-u` take them again", {
  timeout: 300_000,
}, () => {
  it.skipIf(!HAS_TMUX)("listen on a terminal", async () => {
    const screen = await showTerminal();
    const title = "listen on a terminal of 80 columns";
    const picture = ansiToSvg(screen, { columns: COLUMNS, title });
    const file = join(FOLDER, "terminal.svg");
    if (IS_TAKING) writeFileSync(file, picture);
    const kept = readFileSync(file, "utf8");
    expect(sortedWordsOf(kept)).toEqual(sortedWordsOf(picture));
  });

  describe.skipIf(CHROMIUM === undefined)("the page", () => {
    const newPage = useBrowser();

    /** A page as it is at this time. */
    const pageAt = async (
      url: URL,
      now: number,
      path: string,
      options: BrowserContextOptions = {},
    ) => {
      const page = await newPage({
        viewport: DESK,
        timezoneId: TIME_ZONE,
        locale: "en-GB",
        colorScheme: "light",
        ...options,
      });
      await page.clock.setFixedTime(now);
      await openPage(page, url, path);
      return page;
    };

    it("every view after an hour of deliveries", async () => {
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

    it("a first run", async () => {
      const { page: url, now } = await firstRun();
      await take(await pageAt(url, now, "/entry/3"), "first-run");
    });
  });
});

/**
 * The words of the terminal's picture. On a busy machine, a retry is printed a line earlier or
 * later.
 */
function sortedWordsOf(svg: string): readonly string[] {
  return wordsOf(textsOf(svg)).split("\n").sort();
}

/**
 * Takes a picture, or compares the page with what the picture shows: its words and its styles are
 * kept in `shown/`.
 */
async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(500); // the charts measure their width once they are drawn
  if (IS_TAKING)
    writeFileSync(join(FOLDER, `${name}.png`), withFewColours(await page.screenshot()));
  const shown = `${wordsOf(await page.locator("body").innerText())}styles: ${digestOfStyles()}\n`;
  await expect(shown).toMatchFileSnapshot(join("shown", `${name}.txt`));
}
