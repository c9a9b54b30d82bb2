import type { NextConfig } from "next";

const config: NextConfig = {
  // loaded from node_modules, with the files that it needs beside it
  serverExternalPackages: ["hookporter"],
  // `/webhooks/` is the same endpoint; a sender may not follow a redirect
  skipTrailingSlashRedirect: true,
};

export default config;
