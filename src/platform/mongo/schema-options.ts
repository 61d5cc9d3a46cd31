/** Unknown fields and filters are errors, not left out. Collections, indexes and validators are made by the `indexes` command alone. */
export function schemaOptions<Name extends string>(collection: Name) {
  const isManaged = { autoIndex: false, autoCreate: false, versionKey: false } as const;
  return { collection, ...isManaged, strict: 'throw', strictQuery: 'throw' } as const;
}
