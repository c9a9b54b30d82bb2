import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { ACKNOWLEDGE_HEADER, parseAcknowledgement } from "../stream/protocol.ts";
import type { Destination, Reached } from "./destination.ts";
import type { StreamObservation } from "./observation.ts";

/** The maximum size of a client's message; acknowledgements are short. */
const MAX_MESSAGE = 1024;

/** Milliseconds for clients to close a stream gracefully. */
const CLOSE_GRACE = 1000;

/**
 * All streams, as one destination: an event goes to each open stream, and is confirmed when all
 * have confirmed it. A client that reconnects gets unconfirmed events. All of it is assumed: see
 * `stream/protocol.ts`.
 *
 * @param url - of the stream, used as the subscription's URL in envelopes
 * @param answerTimeout - milliseconds for a client to acknowledge
 */
export function streamServer(
  url: URL,
  answerTimeout: number,
  onChange: (observation: StreamObservation) => void,
) {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false,
    clientTracking: false,
  });
  server.on("headers", (headers, request) => {
    if (acknowledges(request)) headers.push(`${ACKNOWLEDGE_HEADER}: 1`);
  });
  const closing = new AbortController();
  const open = new Set<ReturnType<typeof openStream>>();
  const report = (change: StreamObservation["change"]) =>
    onChange({ type: "stream", change, open: open.size });
  /** Opens a stream on a connection whose request was checked. */
  const accept = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    server.handleUpgrade(request, socket, head, (opened) => {
      const connection = openStream(opened, acknowledges(request) ? answerTimeout : undefined);
      open.add(connection);
      opened.on("close", () => {
        open.delete(connection);
        report("closed");
      });
      report("opened");
    });
  };
  const reach = async (body: Uint8Array): Promise<Reached> => {
    const all = await Promise.all([...open].map((connection) => connection.send(body)));
    const [first = { status: null, error: "no stream is open" }] = all;
    return all.find(({ error }) => error !== null) ?? first;
  };
  /** Ends all streams abruptly, as an outage does. */
  const cut = (): void => {
    for (const connection of open) connection.cut();
  };
  /** Closes all streams gracefully, after a second forcibly. */
  const close = (): void => {
    closing.abort();
    for (const connection of open) connection.close();
    setTimeout(cut, CLOSE_GRACE).unref();
  };
  const webhook = { id: "wh_sandbox_stream", url: url.href };
  const destination: Destination = { webhook, signed: false, signal: closing.signal, reach };
  return { ...destination, accept, cut, close };
}

export type StreamServer = ReturnType<typeof streamServer>;

function acknowledges({ headers }: IncomingMessage): boolean {
  return headers[ACKNOWLEDGE_HEADER] === "1";
}

/**
 * One open stream. If its client acknowledges, its answer confirms a message; answers arrive in
 * order, within the milliseconds given. Otherwise a message counts as received once sent.
 */
function openStream(socket: WebSocket, answerTimeout: number | undefined) {
  const unanswered: ((reached: Reached) => void)[] = [];
  const cut = () => socket.terminate();
  const failAll = (error: string): void => {
    for (const answer of unanswered.splice(0)) answer({ status: null, error });
  };
  /** After a missing or invalid answer it is unknown which message the next one belongs to. */
  const giveUp = (error: string): void => {
    failAll(error);
    cut();
  };
  const write = (body: Uint8Array): Promise<Reached> =>
    new Promise((resolve) => {
      socket.send(body, { binary: false }, (error) => {
        resolve({ status: null, error: error == null ? null : `could not send: ${error.message}` });
      });
    });
  socket.on("message", (data, isBinary) => {
    const acknowledgement = isBinary ? undefined : parseAcknowledgement(String(data));
    const answer = unanswered.shift();
    if (answer === undefined || acknowledgement === undefined) {
      answer?.({ status: null, error: "expected an acknowledgement, got another message" });
      giveUp("expected acknowledgements in order, got another message");
      return;
    }
    const { status } = acknowledgement;
    answer({
      status,
      error: status === 200 ? null : `acknowledged with ${status}, but only 200 confirms`,
    });
  });
  socket.on("error", () => {}); // "close" follows
  socket.on("close", () => failAll("the stream was closed before it confirmed"));
  /** Sends a body; never throws. */
  const send = async (body: Uint8Array): Promise<Reached> => {
    if (answerTimeout === undefined) return write(body);
    const answered = new Promise<Reached>((resolve) => unanswered.push(resolve));
    const written = await write(body);
    if (written.error !== null) giveUp(written.error);
    const timer = setTimeout(
      () => giveUp(`not acknowledged in ${answerTimeout} ms`),
      answerTimeout,
    );
    try {
      return await answered;
    } finally {
      clearTimeout(timer);
    }
  };
  return { send, cut, close: () => socket.close(1001) };
}
