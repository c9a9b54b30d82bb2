/**
 * Heights of labels, as close as possible to the wanted ones, with at least `gap` between any two.
 */
export function labelPlaces(
  wanted: readonly number[],
  { gap, lowest }: { gap: number; lowest: number },
): readonly number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const places = [...wanted];
  let free = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    const place = Math.max(wanted[index] ?? 0, free);
    places[index] = place;
    free = place + gap;
  }
  let limit = lowest;
  for (const index of order.reverse()) {
    const place = Math.min(places[index] ?? 0, limit);
    places[index] = place;
    limit = place - gap;
  }
  return places;
}
