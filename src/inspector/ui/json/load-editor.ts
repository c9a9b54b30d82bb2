/**
 * Loads the editor's script, which is large and rarely needed. Only the one that this page was built with: once `listen` has
 * ended, another program may have the port, and its script must not run in a page that holds a token.
 */
export async function loadEditor(): Promise<typeof import("./code-editor.ts")> {
  const [href = "", integrity = ""] = metaContent("editor").split(" ");
  if (integrity === "") throw new Error("expected the page to name its editor, got none: run npm run build");
  loading ??= preload(href, integrity);
  await loading;
  // The module is in the page's module map now, so this requests nothing.
  return import("./code-editor.ts");
}

let loading: Promise<void> | undefined;

function preload(href: string, integrity: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "modulepreload", href, integrity });
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => reject(new Error("the editor could not be loaded")));
    document.head.append(link);
  });
}

function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? "";
}
