// The app behind `--forward-to`: performs the effect of each request, then answers. The path names
// the life that forwarded it. Ends when its standard input does.
import { createServer } from "node:http";
import { haveEffect } from "./effect.js";

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { id } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  await haveEffect(id, Number(request.url.slice(1)));
  response.writeHead(200).end();
});
// A connection closed just as the next request is sent would look like a failed forward.
server.keepAliveTimeout = 0;
server.on("clientError", (_, socket) => socket.destroy());
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().on("end", () => process.exit());
