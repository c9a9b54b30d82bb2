/**
 * Whether a URL's host name means this machine. Decided by the name alone; nothing is looked up.
 */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|(?:.+\.)localhost|127(?:\.\d{1,3}){3}|\[::1\])\.?$/i.test(hostname);
}
