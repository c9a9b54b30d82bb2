import { runChild } from "../src/relay/tunnel/child.ts";

// Started by `listen --tunnel` with a channel to it; by itself it ends at once.
runChild(process, () => process.exit());
