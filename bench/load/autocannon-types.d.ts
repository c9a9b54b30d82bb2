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
      readonly latency: { readonly p50: number; readonly p99: number; readonly max: number };
      readonly non2xx: number;
      readonly errors: number;
      readonly timeouts: number;
      readonly duration: number;
    }
  }
  /** Sends a load and returns the result. */
  function autocannon(options: {
    url: string;
    method: string;
    connections: number;
    duration: number;
    requests: autocannon.Request[];
  }): Promise<autocannon.Result>;
  export default autocannon;
}
