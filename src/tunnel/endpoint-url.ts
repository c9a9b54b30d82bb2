/**
 * The URL for deliveries at a public address. Adds the receiver's path, unless the address already has one, as behind a
 * proxy that maps paths.
 */
export function endpointUrl(publicUrl: string, path: string): string {
  const url = new URL(publicUrl);
  if (url.pathname === "/") url.pathname = path; // assigned, not resolved, so that no path can change the host
  return url.href;
}
