/** Rejects unknown fields in documents and filters. Only `migrate up` creates collections, indexes and validators. */
export function schemaOptions<Name extends string>(collection: Name) {
  const isManaged = { autoIndex: false, autoCreate: false, versionKey: false } as const;
  return { collection, ...isManaged, strict: 'throw', strictQuery: 'throw' } as const;
}
