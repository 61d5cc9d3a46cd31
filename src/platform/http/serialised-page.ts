/** A list answer that is JSON text already: nothing serialises it again on its way out. */
export class SerialisedPage {
  constructor(
    readonly json: string,
    readonly nextCursor: string | null,
  ) {}
}
