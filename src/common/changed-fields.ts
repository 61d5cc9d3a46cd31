import { isDeepStrictEqual } from 'node:util';

/** The given fields of an edit whose value differs from the row. */
export function changedFields<Row extends object, Name extends keyof Row>(
  row: Row,
  edit: { [Field in Name]?: Row[Field] | undefined },
  names: readonly Name[],
): Partial<Pick<Row, Name>> {
  const isChanged = (name: Name): boolean => edit[name] !== undefined && !isDeepStrictEqual(edit[name], row[name]);
  return Object.fromEntries(names.filter(isChanged).map((name) => [name, edit[name]])) as Partial<Pick<Row, Name>>;
}
