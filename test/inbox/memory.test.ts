import { memoryInbox } from "../../src/inbox/memory.ts";
import { describeInbox } from "./contract.ts";

describeInbox("the memory inbox", memoryInbox, { wakes: false });
