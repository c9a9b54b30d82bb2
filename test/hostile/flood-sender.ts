import { connect, type Socket } from "node:net";

/**
 * A sender without the secret, in a child process: `flood-sender.ts PORT CONNECTIONS BYTES TEXT`.
 * On a message from its parent it opens CONNECTIONS connections, writes TEXT and then BYTES spaces
 * to each, and never reads an answer.
 */
const [port = "", connections = "", bytes = "", text = ""] = process.argv.slice(2);
const sent = Buffer.concat([Buffer.from(text), Buffer.alloc(Number(bytes), 0x20)]);

const open = (): Socket => {
  const socket = connect(Number(port), "127.0.0.1");
  return socket.on("error", () => {}).pause(); // it expects to be cut off
};

process.once("message", () => {
  for (let n = 0; n < Number(connections); n++) open().write(sent);
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
