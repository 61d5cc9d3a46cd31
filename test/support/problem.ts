import type { Answer } from './client.js';

/** Requires a problem with this status and code, and compares the other given members. */
export function expectProblem(
  response: Pick<Answer, 'status' | 'headers' | 'body'>,
  status: number,
  code: string,
  members: Record<string, unknown> = {},
): void {
  const { headers, body } = response;
  const type = headers.get('content-type')?.split(';')[0];
  const expected = { status, type: 'application/problem+json', body: { status, code, ...members } };
  expect({ status: response.status, type, body }).toMatchObject(expected);
}
