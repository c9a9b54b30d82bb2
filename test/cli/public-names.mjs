// Loaded before the program under test: makes public names lead to ports of this machine, as tunnel
// services would. Each name is a file in a folder; the file contains the port.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

const plain = http.request;

/** The port of a public name; `undefined` for other names. */
function portOf(host) {
  try {
    return readFileSync(join(process.env.TEST_PUBLIC_NAMES, host), "utf8").trim();
  } catch {
    return undefined;
  }
}

for (const module of [http, https]) {
  const real = module.request;
  module.request = (url, options) => {
    const port = url instanceof URL ? portOf(url.hostname) : undefined;
    if (port === undefined) return real(url, options);
    const { pathname, search, host } = url;
    return plain(new URL(pathname + search, `http://127.0.0.1:${port}`), {
      ...options,
      headers: { ...options.headers, host },
    });
  };
}
syncBuiltinESMExports();
