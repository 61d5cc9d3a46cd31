import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Expectation } from './load-plan.js';

/** The API of OpenCanvas has `_id`. */
type Row = { id?: string; _id?: string };

/** Returns null for an expected response, otherwise one sentence that names the difference. */
export function findMismatch(expect: Expectation, status: number, body: Buffer | string): string | null {
  if (status !== expect.status) return `status ${status} instead of ${expect.status}: ${body.toString().slice(0, 200)}`;
  if (expect.body) {
    const bytes = Buffer.byteLength(body);
    if (bytes !== expect.body.bytes) return `${bytes} bytes instead of ${expect.body.bytes}`;
    if (sha256(body) !== expect.body.sha256) return 'other bytes than the first answer';
  }
  if (!expect.ids && !expect.members) return null;
  let answer: Record<string, unknown>;
  try {
    answer = JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    return `a body that is not JSON: ${body.toString().slice(0, 80)}`;
  }
  if (expect.ids) {
    const ids = Array.isArray(answer.data) ? (answer.data as Row[]).map((row) => row.id ?? row._id) : [];
    if (!isDeepStrictEqual(ids, expect.ids)) return `ids ${ids.join(' ')} instead of ${expect.ids.join(' ')}`;
  }
  for (const [name, value] of Object.entries(expect.members ?? {})) {
    if (!isDeepStrictEqual(answer[name], value)) {
      return `${name} is ${JSON.stringify(answer[name])} instead of ${JSON.stringify(value)}`;
    }
  }
  return null;
}

export function sha256(body: Buffer | string): string {
  return createHash('sha256').update(body).digest('hex');
}
