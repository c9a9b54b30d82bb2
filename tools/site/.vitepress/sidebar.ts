export interface SidebarItem {
  readonly text: string;
  readonly link: string;
}

export interface SidebarGroup {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: SidebarItem[];
}

/**
 * The sidebar from the list of pages in `docs/README.md`: a group for each heading, an item for
 * each page.
 */
export function readSidebar(contents: string): SidebarGroup[] {
  return contents
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [text = ""] = section.split("\n");
      const items = [...section.matchAll(/^- \[(.+)\]\((.+)\.md\)$/gm)].map(
        ([, name = "", path = ""]) => ({
          text: name.replaceAll("`", ""),
          link: `/${path.replace(/^\.\.\//, "").replace(/(^|\/)index$/, "$1")}`,
        }),
      );
      return { text, collapsed: items.length > 12, items };
    });
}
