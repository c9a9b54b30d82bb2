import packageJson from "../../package.json" with { type: "json" };

/** The version of hookporter. */
export const VERSION: string = packageJson.version;
