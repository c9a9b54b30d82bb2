declare module "autocannon" {
  namespace autocannon {
    interface Request {
      method?: string;
      path?: string;
      headers?: Record<string, string>;
      body?: string | Buffer;
      setupRequest?: (request: Request) => Request;
    }
    interface Result {
      readonly requests: { readonly total: number };
      readonly non2xx: number;
      readonly errors: number;
      readonly timeouts: number;
      readonly duration: number;
    }
  }
  /** A load that is being sent. */
  interface Run extends Promise<autocannon.Result> {
    on(
      event: "response",
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): void;
  }
  /** Sends a load and returns the result. */
  function autocannon(options: {
    url: string;
    method: string;
    connections: number;
    duration: number;
    requests: autocannon.Request[];
  }): Run;
  export default autocannon;
}
