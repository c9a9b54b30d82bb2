import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PLACES = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** The system's Chromium, or Chrome; `HOOKPORTER_CHROMIUM` names another. */
export const CHROMIUM: string | undefined = findChromium();

if (CHROMIUM === undefined) {
  process.stdout.write(
    "\nskipped: the tests in a browser, since no Chromium is on the path (apt-get install chromium)\n",
  );
}

function findChromium(): string | undefined {
  const given = process.env.HOOKPORTER_CHROMIUM;
  const paths = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...(given === undefined ? [] : [given]), ...paths, ...PLACES].find((path) =>
    existsSync(path),
  );
}

/** A browser for the tests of one file. */
export function useBrowser(args: readonly string[] = []) {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (CHROMIUM === undefined) return;
    // Chromium refuses to run its sandbox as root, as in a container.
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    browser = await chromium.launch({ executablePath: CHROMIUM, args: [...sandbox, ...args] });
  }, 60_000);
  afterAll(() => browser?.close());
  /**
   * A page with its own context, closed with the test; errors that it logs are recorded but fail
   * nothing.
   */
  const newPage = async (
    options: BrowserContextOptions = {},
  ): Promise<Page & { readonly troubles: string[] }> => {
    if (browser === undefined)
      throw new Error("there is no browser: the test should have been skipped");
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      ...options,
    });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") troubles.push(message.text());
    });
    page.on("dialog", (dialog) => {
      troubles.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return Object.assign(page, { troubles });
  };
  /** The same, at the inspector's page, once it is live. */
  const at = async (url: URL, path = "/", options: BrowserContextOptions = {}) => {
    const page = await newPage(options);
    await openPage(page, url, path);
    return page;
  };
  return Object.assign(newPage, { at });
}

/** Opens the inspector's page and waits until it is live. */
export async function openPage(page: Page, url: URL, path = "/"): Promise<void> {
  await page.goto(url.href);
  await page.locator(".feed-state.live").waitFor();
  if (path !== "/") await page.goto(`${url.origin}/#${path}`);
}

/** Chooses an item of a menu. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole("button", { name: menu, exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
}
