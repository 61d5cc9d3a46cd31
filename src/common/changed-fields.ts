import { isDeepStrictEqual } from 'node:util';

/** Those of these fields that an edit names, with another value than the row has. */
export function changedFields<Row extends object, Name extends keyof Row>(
  row: Row,
  edit: { [Field in Name]?: Row[Field] | undefined },
  names: readonly Name[],
): Partial<Pick<Row, Name>> {
  const isChanged = (name: Name): boolean => edit[name] !== undefined && !isDeepStrictEqual(edit[name], row[name]);
  return Object.fromEntries(names.filter(isChanged).map((name) => [name, edit[name]])) as Partial<Pick<Row, Name>>;
}
