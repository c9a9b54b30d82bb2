import type { Page } from "playwright-core";

/** The editor with a name, in a page. It renders only the lines in view. */
export function editorIn(page: Page, name: string) {
  const box = page.getByRole("textbox", { name });
  return {
    box,
    /** Replaces the text, not sooner than a person could: once the editor has been painted, and has set its selection. */
    async fill(text: string) {
      await box.waitFor();
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
      await box.fill(text);
    },
    /** The text of the lines that are rendered. */
    text: async () => (await box.locator(".cm-line").allTextContents()).join("\n"),
  };
}
