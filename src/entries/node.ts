/** `hookporter/node`: a receiver behind Node's own HTTP server. Re-exports only. */
export {
  type NodeReceiverOptions,
  nodeReceiver,
  readBody,
  writeAnswer,
} from "../adapters/node.ts";
