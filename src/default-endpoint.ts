/** The port on this machine, and the path, of an endpoint for which nothing else is named. */
export const DEFAULT_PORT = 4400;
export const DEFAULT_PATH = "/webhooks";

/** Where `listen` listens, and `trigger` and `replay` send, if nothing else is named. */
export const DEFAULT_ENDPOINT = `http://127.0.0.1:${DEFAULT_PORT}${DEFAULT_PATH}`;
