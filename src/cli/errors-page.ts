import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../common/errors.js';

/** Maximum number of operations named per code. The page counts the others. */
const NAMED_OPERATIONS = 3;

const ADVICE: Record<number, string> = {
  400: 'Correct the request. `errors` names each wrong field. The same request fails again.',
  401: 'Sign in, refresh the access token, or complete the second factor. Send the request again with the new token.',
  403: 'The account or token may not do this. Another account, scope or verified address is needed.',
  404: 'The resource does not exist, or you may not read it.',
  405: 'Use a method of the `Allow` header.',
  408: 'The request arrived too slowly. Send it again.',
  409: 'The request conflicts with the current state. Read the resource, then decide.',
  410: 'The resource existed and was deleted for good.',
  412: 'The resource changed since you read it. Read it again and merge.',
  413: 'Send less.',
  414: 'Shorten the URL.',
  415: 'Send `Content-Type: application/json` in UTF-8, without `Content-Encoding`.',
  416: 'Ask for a range within the file (`Content-Range` has its size).',
  417: 'Send no `Expect` header.',
  422: 'The `Idempotency-Key` was used with another body. Use a new key.',
  428: 'Send `If-Match` with the ETag that you read.',
  429: 'Wait for the seconds in `Retry-After`, then send the request again.',
  431: 'Send fewer or shorter headers.',
  500: 'A bug. Report it with the `requestId`.',
  503: 'Wait for the seconds in `Retry-After`, then send the request again, a POST with the same `Idempotency-Key`.',
};

/** Generates docs/errors.md: all error codes, how clients handle them, and the operations that return them. */
export function errorsPage(document: OpenAPIObject): string {
  const operations = operationsByCode(document);
  const codes = Object.entries(ERROR_CODES) as [ErrorCode, readonly [number, string]][];
  const statuses = [...new Set(codes.map(([, [status]]) => status))].sort((a, b) => a - b);
  const sections = statuses.map((status) => {
    const rows = codes
      .filter(([, [one]]) => one === status)
      .map(([code, [, title]]) => `| \`${code}\` | ${title} | ${named(operations.get(code) ?? [])} |`);
    return [
      `## ${status}`,
      '',
      ADVICE[status],
      '',
      '| code | title | operations |',
      '| --- | --- | --- |',
      ...rows,
    ].join('\n');
  });
  return [
    '# Error codes',
    '',
    '<!-- `npm run cli -- openapi` writes this page. -->',
    '',
    'Every error is `application/problem+json` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)) with a stable `code`.',
    'Decide by `code`, show `detail`, log `requestId`. The [API guide](api-guide.md#errors) has an example.',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
}

function operationsByCode({ paths }: OpenAPIObject): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item) as { operationId?: string; 'x-error-codes'?: string[] }[]) {
      for (const code of operation['x-error-codes'] ?? []) {
        found.set(code, [...(found.get(code) ?? []), operation.operationId!]);
      }
    }
  }
  return found;
}

function named(operations: string[]): string {
  if (operations.length === 0) return 'any';
  const shown = operations.slice(0, NAMED_OPERATIONS).map((id) => `\`${id}\``);
  const more = operations.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
