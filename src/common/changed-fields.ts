import { isDeepStrictEqual } from 'node:util';

/** Returns the fields of an edit that differ from the row. */
export function changedFields<Row extends object, Name extends keyof Row>(
  row: Row,
  edit: { [Field in Name]?: Row[Field] | undefined },
  names: readonly Name[],
): Partial<Pick<Row, Name>> {
  const isChanged = (name: Name): boolean => edit[name] !== undefined && !isDeepStrictEqual(edit[name], row[name]);
  return Object.fromEntries(names.filter(isChanged).map((name) => [name, edit[name]])) as Partial<Pick<Row, Name>>;
}
