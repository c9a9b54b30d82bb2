import { describeConcurrent } from "../concurrent-contract.ts";
import { newPath, open } from "./opened.ts";

// One machine has one clock, so there is no test of clocks that differ.
describeConcurrent("two connections to an inbox file", {
  openTwo: async () => {
    const path = newPath();
    return [await open(path), await open(path)];
  },
});
