/**
 * The rows behind one position, by a value that several may share and the id: two ranges of one index, which the server merges in
 * order. A single range with the equals filtered out would read all of them again on every page.
 */
export function beyond(
  filter: object,
  field: string,
  direction: '$gt' | '$lt',
  { value, id }: { value: unknown; id: unknown },
): { $or: object[] } {
  return {
    $or: [
      { ...filter, [field]: value, _id: { [direction]: id } },
      { ...filter, [field]: { [direction]: value } },
    ],
  };
}
