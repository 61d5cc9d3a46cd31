/** A JSON response that is also stored compressed, for clients that accept the encoding. */
export class EncodedJson {
  constructor(
    readonly json: Buffer,
    readonly encoding: 'zstd',
    readonly encoded: Buffer,
  ) {}
}
