const OPEN = Buffer.from('{"data":[');
const LAST = Buffer.from('],"page":{"nextCursor":null}}');

/** A list answer that is JSON already, as UTF-8: nothing serialises or encodes it again on its way out. */
export class SerialisedPage {
  private constructor(
    readonly json: Buffer,
    readonly nextCursor: string | null,
  ) {}

  /** @param rows the items with commas between them */
  static of(rows: Buffer, nextCursor: string | null): SerialisedPage {
    const close = nextCursor === null ? LAST : Buffer.from(`],"page":{"nextCursor":"${nextCursor}"}}`, 'latin1');
    return new SerialisedPage(Buffer.concat([OPEN, rows, close]), nextCursor);
  }
}
