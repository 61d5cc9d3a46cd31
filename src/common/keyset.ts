/**
 * Returns a filter for the rows after one position, ordered by a value that rows may share, and by id: two ranges of one index, which the
 * server merges in order. A single range would read all rows with an equal value again on every page.
 * @param same the value, or a range of the value alone, because the server merges only scans of one form
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
