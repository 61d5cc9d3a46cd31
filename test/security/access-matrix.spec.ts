import type { OpenAPIObject } from '@nestjs/swagger';
import { describeApi } from '../../src/api-document.js';
import { indexAll, useApp } from '../support/app.js';
import { askedAgain, isUnavailable } from '../support/asked-again.js';
import { type Operation, operationsOf } from '../support/openapi.js';
import type { PersonWithPassword } from '../support/world.js';
import { ACCESS_MATRIX, type Caller, CALLERS, type MatrixRow } from './access-matrix.js';
import { validRequest } from './valid-request.js';
import { forgedTokens, makeEnded, makeSubject, type Target } from './subjects.js';

/** Who may do what, route by route; the table is access-matrix.ts. */
describe('access', () => {
  const app = useApp({ search: true });
  const { world } = app;
  let document: OpenAPIObject;
  let operations: Map<string, Operation>;
  let callers: Record<Exclude<Caller, 'anonymous' | 'forged'>, PersonWithPassword>;

  beforeAll(async () => {
    document = await describeApi();
    operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
    const [other, owner, moderator, admin] = await Promise.all([
      world.person({ overHttp: true }),
      world.person({ overHttp: true }),
      world.person({ overHttp: true, role: 'moderator' }),
      world.person({ overHttp: true, role: 'admin' }),
    ]);
    await indexAll(app);
    callers = { other, owner, moderator, admin, ended: await makeEnded(app) };
  });

  it('is decided for every route of the document', () => {
    const decided = new Set(ACCESS_MATRIX.map(({ operation }) => operation));
    expect([...operations.keys()].filter((id) => !decided.has(id))).toEqual([]);
    expect([...decided].filter((id) => !operations.has(id))).toEqual([]);
  });

  it('is told by the document as the table has it', () => {
    for (const { operation, expected } of ACCESS_MATRIX) {
      const { access } = operations.get(operation)!;
      const isForAll = new Set(Object.values(expected)).size === 1;
      const means =
        isForAll || expected.forged !== 401 ? 'public' : expected.anonymous !== 401 ? 'optional' : 'required';
      expect([operation, access]).toEqual([operation, means]);
    }
  });

  it.each(ACCESS_MATRIX)('$operation, $subject', async (row) => {
    const answered: Partial<Record<Caller, number>> = {};
    const target = await makeSubject(app, row.subject, callers.owner);
    const isRead = operations.get(row.operation)!.method === 'GET';
    for (const caller of CALLERS.filter((name) => name !== 'forged')) {
      // who may change a thing changes one of their own, so that no answer depends on the one before
      const changesNothing = isRead || row.expected[caller] >= 400;
      const own = changesNothing ? target : await makeSubject(app, row.subject, callers.owner);
      answered[caller] = await ask(row, own, caller);
    }
    for (const [kind, token] of Object.entries(forgedTokens(callers.owner.id))) {
      const status = await ask(row, target, 'forged', token);
      if (status !== row.expected.forged) throw new Error(`a token ${kind} was answered ${status}`);
      answered.forged = status;
    }
    expect(answered).toEqual(row.expected);
  });

  async function ask({ operation: id }: MatrixRow, target: Target, caller: Caller, forged?: string): Promise<number> {
    const operation = operations.get(id)!;
    const endsAccount = id === 'deleteAccount' && !['anonymous', 'ended', 'forged'].includes(caller);
    const person = caller === 'anonymous' || caller === 'forged' ? undefined : callers[caller];
    const token =
      forged ??
      (endsAccount ? (await world.person({ overHttp: true, role: person!.viewer.role })).token : person?.token);
    const signedIn = id === 'refreshTokens' || id === 'logout' ? await world.person({ overHttp: true }) : callers.owner;
    const context = { target, username: callers.owner.username, refreshToken: signedIn.refreshToken };
    const { path, body, headers } = validRequest(document, operation, context);
    const send = () => app.client.request(operation.method, path, { token, body, headers });
    return (await askedAgain(send, isUnavailable)).status;
  }
});
