import { createReceiver, type Receiver } from "./index.ts";
let a: Receiver;
a = createReceiver({ secret: "x" }); void a;
