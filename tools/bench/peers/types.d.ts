// What is used of these packages, which are installed only when they are measured.
declare module "bullmq" {
  export class Queue<Data> {
    constructor(name: string, options: object);
    add(name: string, data: Data): Promise<unknown>;
    close(): Promise<void>;
  }
  export class Worker<Data> {
    constructor(
      name: string,
      run: (job: { readonly data: Data }) => Promise<void>,
      options: object,
    );
    waitUntilReady(): Promise<unknown>;
    close(): Promise<void>;
  }
}

declare module "graphile-worker" {
  export class Logger {
    constructor(factory: () => () => void);
  }
  export function run(options: {
    readonly preset: object;
    readonly taskList: Readonly<Record<string, (payload: unknown) => Promise<void>>>;
    readonly parsedCronItems: readonly [];
    readonly noHandleSignals: boolean;
  }): Promise<{ addJob(task: string, payload: object): Promise<unknown>; stop(): Promise<void> }>;
}

// test/recipes uses this declaration too.
declare module "ioredis" {
  export class Redis {
    constructor(url: string, options: object);
    on(event: "error", listener: (error: Error) => void): this;
    ping(): Promise<string>;
    info(section: string): Promise<string>;
    xrangeBuffer(
      stream: string,
      start: string,
      end: string,
    ): Promise<readonly (readonly [Buffer, readonly Buffer[]])[]>;
    disconnect(): void;
  }
}

declare module "pg-boss" {
  export class PgBoss {
    constructor(options: object);
    on(event: "error", listener: (error: Error) => void): void;
    start(): Promise<unknown>;
    createQueue(name: string, options: object): Promise<void>;
    work<Data>(
      name: string,
      options: object,
      run: (jobs: readonly { readonly data: Data }[]) => Promise<unknown>,
    ): Promise<string>;
    send(name: string, data: object): Promise<unknown>;
    stop(options: object): Promise<void>;
  }
}
