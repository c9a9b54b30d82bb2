/** The default port on this machine, and the default path of the endpoint. */
export const DEFAULT_PORT = 4400;
export const DEFAULT_PATH = "/webhooks";
/** Where `listen` listens, and `trigger` and `replay` send, by default. */
export const DEFAULT_ENDPOINT = `http://127.0.0.1:${DEFAULT_PORT}${DEFAULT_PATH}`;
