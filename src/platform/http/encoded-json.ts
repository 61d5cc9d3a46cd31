/** A JSON answer that is kept encoded, too: a client that accepts the encoding gets those bytes as they are. */
export class EncodedJson {
  constructor(
    readonly json: Buffer,
    readonly encoding: 'zstd',
    readonly encoded: Buffer,
  ) {}
}
