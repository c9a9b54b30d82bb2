import { Duplex } from "node:stream";
import { DATA, encodeFrame, FIN, FrameReader, GOAWAY, RST, SYN, u32, WINDOW } from "./frame.ts";

/** The flow-control window of a stream in bytes. */
const FULL_WINDOW = 256 * 1024;
const CHUNK = 16 * 1024;
const HEARTBEAT_STREAM = 3;

/** The edge's side of a muxado session over a socket. */
export class MuxSession {
  readonly socket: Duplex;
  readonly streams = new Map<number, MuxStream>();
  readonly #onStream: (stream: MuxStream) => void;
  #nextId = 2;

  constructor(socket: Duplex, onStream: (stream: MuxStream) => void) {
    this.socket = socket;
    this.#onStream = onStream;
    const reader = new FrameReader();
    socket.on("data", (chunk: Buffer) => {
      for (const { type, flags, stream, payload } of reader.read(chunk)) {
        if (type === DATA) this.#data(stream, flags, payload);
        else if (type === WINDOW) this.streams.get(stream)?.grow(payload.readUInt32BE(0));
        else if (type === RST) this.streams.get(stream)?.reset();
        else if (type === GOAWAY) socket.destroy();
      }
      // The client leaves Nagle's algorithm on, so it waits for an answer to each small write, such
      // as this one.
      this.send(WINDOW, 0, HEARTBEAT_STREAM, u32(1));
    });
    socket.on("close", () => {
      for (const stream of this.streams.values()) stream.reset();
    });
  }

  /** Opens a stream to the client. */
  open(): MuxStream {
    const stream = new MuxStream(this, this.#nextId, SYN);
    this.#nextId += 2;
    this.streams.set(stream.id, stream);
    return stream;
  }

  send(type: number, flags: number, stream: number, payload?: Buffer): void {
    if (this.socket.writable) this.socket.write(encodeFrame(type, flags, stream, payload));
  }

  #data(id: number, flags: number, payload: Buffer): void {
    if ((flags & SYN) !== 0) {
      const opened = new MuxStream(this, id, 0);
      this.streams.set(id, opened);
      this.#onStream(opened);
    }
    const stream = this.streams.get(id);
    if (stream === undefined) this.send(RST, 0, id, u32(4));
    else stream.receive(payload, (flags & FIN) !== 0);
  }
}

/** One stream of a session; the window grows again as its reader reads. */
export class MuxStream extends Duplex {
  readonly id: number;
  readonly #session: MuxSession;
  #window = FULL_WINDOW;
  #unread = 0;
  #flags: number;
  #room: (() => void) | undefined;

  constructor(session: MuxSession, id: number, flags: number) {
    super({ allowHalfOpen: true });
    this.#session = session;
    this.id = id;
    this.#flags = flags;
    this.on("error", () => {}); // the pipe's reader notices the end
  }

  receive(payload: Buffer, last: boolean): void {
    this.#unread += payload.length;
    if (payload.length > 0) this.push(payload);
    if (last) this.push(null);
  }

  grow(bytes: number): void {
    this.#window += bytes;
    this.#room?.();
  }

  reset(): void {
    this.#session.streams.delete(this.id);
    this.#room?.();
    this.destroy(new Error("reset"));
  }

  override _read(): void {
    if (this.#unread === 0) return;
    this.#session.send(WINDOW, 0, this.id, u32(this.#unread));
    this.#unread = 0;
  }

  override async _write(
    chunk: Buffer,
    _encoding: string,
    done: (error?: Error) => void,
  ): Promise<void> {
    for (let rest = chunk; rest.length > 0 && !this.destroyed; ) {
      if (this.#window === 0) {
        await new Promise<void>((resolve) => {
          this.#room = resolve;
        });
      }
      const part = rest.subarray(0, Math.min(CHUNK, this.#window));
      this.#window -= part.length;
      rest = rest.subarray(part.length);
      if (part.length > 0) this.#send(part, 0);
    }
    done();
  }

  override _final(done: () => void): void {
    this.#send(Buffer.alloc(0), FIN);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#session.streams.delete(this.id) && !(this.writableFinished && this.readableEnded)) {
      this.#session.send(RST, 0, this.id, u32(6));
    }
    done(error);
  }

  #send(payload: Buffer, flags: number): void {
    this.#session.send(DATA, this.#flags | flags, this.id, payload);
    this.#flags = 0;
  }
}
