/**
 * The rows after one position, ordered by a value that several may share and the id: two ranges of one index, which the server merges in
 * order. A single range without the equal rows would read all of them again on every page.
 * @param same the value, or a range of it alone: the server merges only scans of one form
 */
export function beyond<Filter extends object>(
  filter: Filter,
  field: string,
  direction: '$gt' | '$lt',
  { value, id, same = value }: { value: unknown; id: unknown; same?: unknown },
): { $or: Filter[] } {
  return {
    $or: [
      { ...filter, [field]: same, _id: { [direction]: id } },
      { ...filter, [field]: { [direction]: value } },
    ],
  };
}
