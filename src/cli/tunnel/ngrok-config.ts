import { posix, win32 } from "node:path";

/** The path of ngrok's configuration on this system. */
export function ngrokConfigPath(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): string | undefined {
  if (platform === "win32") {
    return env.LOCALAPPDATA && win32.join(env.LOCALAPPDATA, "ngrok", "ngrok.yml");
  }
  if (!env.HOME) return undefined;
  const mac = posix.join(env.HOME, "Library", "Application Support");
  const folder = platform === "darwin" ? mac : env.XDG_CONFIG_HOME || posix.join(env.HOME, ".config");
  return posix.join(folder, "ngrok", "ngrok.yml");
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
