import { connect, type Socket } from "node:net";

/**
 * A sender without the secret, in a process of its own: `flood-sender.ts PORT CONNECTIONS BYTES TEXT`. It begins when it
 * is told to: on each of so many connections it sends the text, and then as many bytes, and reads no answer.
 */
const [port = "", connections = "", bytes = "", text = ""] = process.argv.slice(2);
const sent = Buffer.concat([Buffer.from(text), Buffer.alloc(Number(bytes), 0x20)]);

const open = (): Socket => {
  const socket = connect(Number(port), "127.0.0.1");
  return socket.on("error", () => {}).pause(); // to be cut off is what it asks for
};

process.once("message", () => {
  for (let n = 0; n < Number(connections); n++) open().write(sent);
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
