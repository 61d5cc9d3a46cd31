import fc from 'fast-check';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeApi } from '../../src/api-document.js';
import { indexAll, useApp } from '../support/app.js';
import { AnswerCheck } from '../support/response-check.js';
import { differences } from '../support/audit.js';
import { askedAgain, isUnavailable } from '../support/repeated-requests.js';
import { operationsOf } from '../support/openapi.js';
import { scale, SEED } from '../support/scale.js';
import { RawClient } from '../support/raw-request.js';
import { arbitraryRequest, type FuzzRequest, type Known } from './arbitrary-request.js';
import { makeSubject } from './subjects.js';

const AT_ONCE = 4;
const ROUNDS = scale('fuzzRounds');

/** Sends thousands of generated requests, four at a time. TEST_SEED and TEST_SCALE change which and how many. */
describe('an arbitrary request', () => {
  // An admin's request must not close the registration.
  const app = useApp({ search: true, env: { REGISTRATION: 'open' } });
  const { world } = app;
  let document: OpenAPIObject;

  beforeAll(async () => {
    document = await describeApi();
    await indexAll(app);
  });

  it('gets a documented response other than 500, and leaves every counter exact', async () => {
    const raw = new RawClient(app.url);
    const check = new AnswerCheck(document);
    const statuses = new Map<number, number>();
    // Two operations send requests to other hosts: test/e2e/media.spec.ts, test/e2e/import-address.spec.ts.
    const operations = operationsOf(document).filter(({ id }) => id !== 'importMedia' && id !== 'importAddress');
    const byId = new Map(operations.map((operation) => [operation.id, operation]));
    const sendFuzzed = async ({ id, request }: FuzzRequest): Promise<void> => {
      const answer = await askedAgain(() => raw.send(request), isUnavailable);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const faults = answer.status >= 500 ? [JSON.stringify(answer.body)] : check.faults(byId.get(id)!, answer);
      if (faults.length > 0) throw new Error(`${request.method} ${request.path}: ${faults.join('; ')}`);
    };
    const requests = fc.array(arbitraryRequest(document, operations, await makeKnown()), {
      minLength: AT_ONCE,
      maxLength: AT_ONCE,
    });
    const property = fc.asyncProperty(requests, async (batch) => {
      await Promise.all(batch.map(sendFuzzed));
    });
    try {
      await fc.assert(property, { numRuns: ROUNDS, seed: SEED, endOnFailure: true });
    } finally {
      raw.agent.destroy();
    }
    // A fuzz test that gets only refusals finds nothing. Account routes refuse most random passwords, codes and tokens.
    const succeeded = [200, 201, 204].reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
    expect(succeeded).toBeGreaterThan((ROUNDS * AT_ONCE) / 8);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 304, 400, 401, 403, 404, 415]));
    expect(await differences(app.db)).toEqual([]);
  });

  /** Creates accounts, posts, comments and collections as targets. */
  async function makeKnown(): Promise<Known> {
    const owner = await world.person({ overHttp: true, role: 'user' });
    const others = [
      await world.person({ overHttp: true, role: 'user' }),
      await world.person({ overHttp: true, role: 'moderator' }),
      await world.person({ overHttp: true, role: 'admin' }),
    ];
    const subjects = [
      ...(['public post', 'public post', 'hidden post', 'comment', 'comment', 'deleted post'] as const),
      ...(['public list', 'private list', 'public series', 'deleted list'] as const),
      ...(['draft', 'draft', 'edited post', 'picture'] as const),
    ];
    const targets = [];
    for (const subject of subjects) targets.push(await makeSubject(app, subject, owner));
    const ids = targets.flatMap(({ id, commentId, collectionId, draftId, mediaId }) => [
      ...[id, commentId, collectionId],
      ...[draftId, mediaId],
    ]);
    const { body } = await app.client.get('/v1/feed?limit=1');
    return {
      values: {
        id: ids,
        idOrSlug: targets.flatMap(({ idOrSlug, collectionSlug }) => [idOrSlug, collectionSlug]),
        postId: ids,
        key: targets.flatMap(({ draftKey, mediaKey }) => [draftKey, mediaKey]),
        version: ['1', '2'],
        provider: ['google', 'unknown'],
        username: [owner, ...others].map(({ username }) => username),
        ids: [ids.join(','), owner.id, `${owner.id},${ids[0]}`],
        targets: [[...new Set(ids)].join(','), ids[0]!],
        cursor: [body.page.nextCursor, 'x'.repeat(48)],
        author: [owner.username],
      },
      tokens: [owner, ...others].map(({ token }) => token),
    };
  }
});
