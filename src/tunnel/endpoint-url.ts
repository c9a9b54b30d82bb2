/**
 * Where deliveries are to be sent at a public address: at the receiver's own path, unless the address has one itself, as
 * behind a proxy that maps another.
 */
export function endpointUrl(publicUrl: string, path: string): string {
  const url = new URL(publicUrl);
  if (url.pathname === "/") url.pathname = path; // set, not resolved: no path can lead to another host
  return url.href;
}
