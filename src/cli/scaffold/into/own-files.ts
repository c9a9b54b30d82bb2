import { join } from "node:path";
import { readLayers } from "../layers.ts";
import type { App } from "./app.ts";
import { withoutTypes } from "./without-types.ts";

/** The templates whose files are reused; those of a later one replace those of an earlier one. */
const LAYERS = ["_shared", "_docker", "_inbox-file", "nextjs", "_into"];

export type OwnFiles = Awaited<ReturnType<typeof ownFiles>>;

/** The texts of a receiver in a folder of the app, such as `src/webhooks`. */
export async function ownFiles(packageRoot: string, app: App, home: string) {
  const { files, manifests } = await readLayers(
    LAYERS.map((layer) => join(packageRoot, "templates", layer)),
  );
  const { framework, base, extension } = app;
  const text = (path: string) => files.get(path) ?? "";
  const own = (path: string) => fitted(text(path), app, home);
  const made = new Map<string, string>();
  const add = (from: string, name = from) =>
    made.set(`${home}/${name}${extension}`, own(`src/${from}.ts`));
  for (const path of files.keys()) if (path.startsWith("src/handlers/")) add(path.slice(4, -3));
  if (extension === ".ts") add("registry");
  add("schemas").set(`${home}/log${extension}`, own("src/log.ts"));
  if (!app.packages.has("jest") || app.packages.has("vitest")) {
    const end = framework.startsWith("NestJS") ? "spec" : "test";
    made.set(`${home}/handlers.${end}${extension}`, own("test/handlers.test.ts"));
  }
  made.set("hookporter.config.json", configFor(text("hookporter.config.json"), app, home));
  const toHome = `/${home.slice(base.length)}/`;
  if (framework === "Next.js") {
    const route = own("src/app/webhooks/route.ts").replace('"../../', `"../..${toHome}`);
    made.set(`${base}app/webhooks/route${extension}`, route);
  } else if (framework === "Express" || framework === "NestJS") add("endpoint");
  add("receiver");
  const [first = ""] = manifests;
  const { dependencies, devDependencies } = JSON.parse(first);
  const ranges: { zod: string; vitest: string } = {
    zod: dependencies.zod,
    vitest: devDependencies.vitest,
  };
  return {
    files: made, // the last one is written once all others are
    env: text(".env.example"),
    pnpmWorkspace: text("pnpm-workspace.yaml"),
    nextConfig: own("next.config.ts"),
    instrumentation: own("src/instrumentation.ts").replace('"./', `".${toHome}`),
    ranges,
  };
}

function configFor(template: string, { extension }: App, home: string): string {
  const { project } = JSON.parse(template);
  const types = extension === ".ts" && { types: { out: `${home}/schemas.ts` } };
  return `${JSON.stringify({ project: { ...project, handlers: `${home}/handlers` }, ...types }, null, 2)}\n`;
}

/** A template's file with the app's kind of imports, and with the paths that files have there. */
function fitted(text: string, { extension, suffix }: App, home: string): string {
  const placed = text
    .replaceAll('"../src/', '"./') // the test is beside what it tests
    .replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, `$1${suffix}"`)
    .replaceAll(/\bsrc\/(?=handlers|schemas)/g, `${home}/`);
  return extension === ".ts"
    ? placed
    : withoutTypes(placed).replaceAll(/(\/\w+)\.ts\b/g, `$1${extension}`);
}
