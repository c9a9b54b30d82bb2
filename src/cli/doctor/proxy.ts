import { proxyNotice } from "../service/proxy-notice.ts";
import { type Check, ok, type splitFix, warn } from "./finding.ts";

const VARIABLES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/** Proxy variables, which most requests do not honour. */
export const proxy: Check = {
  name: "proxy",
  run: ({ options: { baseUrl }, context: { io } }) => {
    const set = VARIABLES.filter((name) => io.env[name]);
    if (set.length === 0) return [];
    const isKnown = baseUrl !== undefined && URL.canParse(baseUrl);
    const notice = isKnown ? proxyNotice(new URL(baseUrl), io) : undefined;
    if (notice === undefined) return [ok(`${set.join(", ")} set; forwards never go through a proxy`)];
    const { message, fix = "" } = splitAtColon(notice.replace(/^warning: /, ""));
    return [warn(message, fix)];
  },
};

function splitAtColon(text: string): ReturnType<typeof splitFix> {
  const [, message = text, fix] = /^(.*?through a proxy): (.*)$/.exec(text) ?? [];
  return { message, fix };
}
