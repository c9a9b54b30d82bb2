import type { Page } from "playwright-core";

/** The editor with a name, in a page. It renders only the lines in view. */
export function editorIn(page: Page, name: string) {
  const box = page.getByRole("textbox", { name });
  return {
    box,
    fill: (text: string) => box.fill(text),
    /** The text of the lines that are rendered. */
    text: async () => (await box.locator(".cm-line").allTextContents()).join("\n"),
  };
}
