export type OutgoingReason =
  /** the address or the target of a redirect is not allowed */
  | 'refused'
  /** no response in time */
  | 'timeout'
  /** the response exceeds the limit */
  | 'too_large'
  | 'too_many_redirects'
  /** not found, not reachable, not trusted, or not HTTP */
  | 'unreachable';

/** The reason why a request to another host got no response. The message is safe to show to the user who entered the address. */
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
