export type OutgoingReason =
  /** the address, or one it leads to, is not allowed */
  | 'refused'
  /** no response in time */
  | 'timeout'
  /** the response exceeds the limit */
  | 'too_large'
  | 'too_many_redirects'
  /** not found, not reachable, not trusted, or not HTTP */
  | 'unreachable';

/** The reason why a request to another host got no response; the message may be shown to the user who entered the address. */
export class OutgoingError extends Error {
  constructor(
    readonly reason: OutgoingReason,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutgoingError';
  }
}
