import type { NextConfig } from "next";

const config: NextConfig = {
  serverExternalPackages: ["hookporter"], // loaded from node_modules, with the files that it needs beside it
  skipTrailingSlashRedirect: true, // `/webhooks/` is the same endpoint; a sender may not follow a redirect
};

export default config;
