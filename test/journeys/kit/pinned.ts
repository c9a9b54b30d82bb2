import manifest from "../package.json" with { type: "json" };

/** The version of a package that journeys install, exact, so that each walk is the same. */
export function pinned(name: keyof typeof manifest.dependencies): string {
  return manifest.dependencies[name].replace(/^npm:.+@/, "");
}
