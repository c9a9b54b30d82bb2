import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { isFile, linkOnSite, slugOf } from "./links.ts";
import { readSidebar } from "./sidebar.ts";

const project = join(import.meta.dirname, "..", "..", "..");
const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
const sidebar = readSidebar(readFileSync(join(project, "docs", "README.md"), "utf8"));

export default defineConfig({
  title: "hookporter",
  description: "Receive, verify, keep, replay and test signed webhooks",
  lang: "en-GB",
  head: [["link", { rel: "icon", href: "data:," }]], // none, rather than a request that fails
  srcDir: "pages", // copies that build.js makes
  outDir: "dist",
  cleanUrls: false, // the built site works on any file server
  markdown: {
    anchor: { slugify: slugOf },
    config: (markdown) => {
      const codeInline = markdown.renderer.rules.code_inline;
      // Names break between their words, and paths after a slash.
      markdown.renderer.rules.code_inline = (...args) =>
        codeInline?.(...args).replaceAll(/_|(?<!<)\/(?!\/)|[a-z](?=[A-Z][a-z])/g, "$&<wbr>") ?? "";
      // A cell knows its column, which style.css shows on a narrow screen.
      markdown.core.ruler.push("labels-of-cells", ({ tokens }) => {
        let columns = [];
        let at = 0;
        for (const [index, token] of tokens.entries()) {
          if (token.type === "table_open") columns = [];
          else if (token.type === "tr_open") at = 0;
          else if (token.type === "th_open") columns.push(tokens[index + 1]?.content ?? "");
          else if (token.type === "td_open") token.attrSet("data-column", columns[at++] ?? "");
        }
      });
      markdown.core.ruler.push("links-of-the-site", ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href");
          if (href === null) continue;
          token.attrSet("href", linkOnSite(href));
          // a file, which is no page of the site
          if (isFile(href)) token.attrSet("target", "_self");
        }
      });
    },
  },
  themeConfig: {
    nav: [
      { text: "Documentation", link: "/contents" },
      { text: "Commands", link: "/reference/cli/" },
      { text: "Package", link: "/reference/package/" },
      { text: version, link: "/CHANGELOG" },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: "local" },
  },
});
