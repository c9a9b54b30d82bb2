import { runChild } from "../src/tunnel/child.ts";

// Started by `listen --tunnel` with a channel to it; by itself it ends at once.
runChild(process, () => process.exit());
