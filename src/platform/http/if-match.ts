import { Headers } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { CodedError } from '../../common/errors.js';
import { etagOf } from './write-response.js';

/** Returns the ETag of a resource that supports If-Match: its version and a hash of its representation. */
export function versionedEtag(version: number, body: unknown): string {
  return `"${version}-${etagOf(JSON.stringify(body))}"`;
}

/**
 * Requires that an If-Match header contains the current version. Ignores the hash, because counters in the representation change without an
 * edit.
 * @param ifMatch the raw header
 * @param what the subject of the error message
 * @throws CodedError `precondition_failed`
 */
export function requireVersion(ifMatch: string | undefined, version: number, what: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  for (const [, given] of ifMatch.matchAll(/"(\d{1,15})-[^"]*"/g)) if (Number(given) === version) return;
  throw new CodedError(
    'precondition_failed',
    `${what} has changed since you read it; read it again and repeat your edit.`,
  );
}

/** Reads and describes the header: `@IfMatch() ifMatch?: string`. */
export function IfMatch({ required = false } = {}): ParameterDecorator {
  const schema = { type: 'string', maxLength: 100, pattern: '^(\\*|"[0-9]{1,15}-[A-Za-z0-9_-]{1,64}")$' } as const;
  const description = 'the ETag of the version that you read, or `*`; any other value gets 412';
  return (target, key, index) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, key!)!;
    ApiHeader({ name: 'If-Match', required, description, schema })(target, key!, descriptor);
    Headers('if-match')(target, key, index);
  };
}
