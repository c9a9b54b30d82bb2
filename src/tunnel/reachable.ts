import { connect } from "node:net";

/** Whether the host of an address accepts a connection within this many milliseconds. */
export type Look = (address: string, timeout: number) => Promise<boolean>;

/** Connects to the host of an address and closes the connection: cheaper than a probe, and no request that a provider counts. */
export const isReachable: Look = (address, timeout) => {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === "http:" ? 80 : 443), timeout });
    const end = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket
      .once("connect", () => end(true))
      .once("timeout", () => end(false))
      .once("error", () => end(false));
  });
};
