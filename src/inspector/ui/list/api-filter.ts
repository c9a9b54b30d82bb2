/** The list's filter as the API takes it. `within`, a duration in milliseconds, is the page's own parameter for `since`. */
export function apiFilter(filter: URLSearchParams | string): URLSearchParams {
  const query = new URLSearchParams(filter);
  const within = Number(query.get("within"));
  query.delete("within");
  if (within > 0) query.set("since", String(Date.now() - within));
  return query;
}
