import { join } from "node:path";
import { type Environment, settingsFolder } from "../../base/system/paths.ts";

/** The path of ngrok's configuration on this system. */
export function ngrokConfigPath(env: Environment): string | undefined {
  const folder = settingsFolder(env);
  return folder && join(folder, "ngrok", "ngrok.yml");
}

/**
 * The token in ngrok's configuration: at the top level in version 2 of its format, under `agent` in version 3. Read line by
 * line, since one plain value needs no YAML parser.
 */
export function authtokenOf(yaml: string): string | undefined {
  let section = "";
  for (const line of yaml.split(/\r?\n/)) {
    const [, indent = "", key, value = ""] = /^(\s*)([\w-]+)\s*:\s*(.*?)\s*(?:\s#.*)?$/.exec(line) ?? [];
    if (key === undefined) continue;
    if (indent === "") section = key;
    const here = indent === "" || section === "agent";
    if (key !== "authtoken" || !here) continue;
    const token = value.replace(/^(["'])(.*)\1$/, "$2");
    if (token !== "") return token;
  }
  return undefined;
}
