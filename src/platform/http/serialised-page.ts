/** A list answer that is JSON already, as UTF-8: nothing serialises or encodes it again on its way out. */
export class SerialisedPage {
  constructor(
    readonly json: Buffer,
    readonly nextCursor: string | null,
  ) {}
}
