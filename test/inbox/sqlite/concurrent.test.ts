import { join } from "node:path";
import { tempFolder } from "../../cli/fake-io.ts";
import { describeConcurrent } from "../concurrent-contract.ts";
import { open } from "./opened.ts";

// One machine has one clock, so there is no test of clocks that differ.
describeConcurrent("two connections to an inbox file", {
  openTwo: async () => {
    const path = join(tempFolder(), "inbox.db");
    return [await open(path), await open(path)];
  },
});
