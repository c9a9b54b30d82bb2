import type { Page } from "playwright-core";

/** The editor with a name, in a page. */
export function editorIn(page: Page, name: string) {
  const box = page.getByRole("textbox", { name });
  return { box, fill: (text: string) => box.fill(text), text: () => box.inputValue() };
}
