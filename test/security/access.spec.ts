import { ModulesContainer } from '@nestjs/core';
import { ObjectId } from 'mongodb';
import { describeApi } from '../../src/api-document.js';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { accessRuleOf } from '../../src/platform/access/access.decorator.js';
import { type RouteScope, type Scope, SCOPES, scopeRuleOf } from '../../src/platform/access/token-scope.js';
import { indexAll, useApp } from '../support/app.js';
import { askedAgain, isUnavailable } from '../support/repeated-requests.js';
import { type Operation, operationsOf } from '../support/openapi.js';
import type { PersonWithPassword } from '../support/world.js';
import { forgedTokens, makeEnded, makeSubject, type Subject, subjectsOf, type Target } from './subjects.js';
import { validRequest } from './valid-request.js';

const app = useApp({ search: true });
const { world } = app;
const document = await describeApi();
const operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
let callers: Record<Exclude<Caller, 'anonymous' | 'forged'>, PersonWithPassword>;

beforeAll(async () => {
  const [other, owner, moderator, admin] = await Promise.all([
    world.person({ overHttp: true, role: 'user' }),
    world.person({ overHttp: true, role: 'user' }),
    world.person({ overHttp: true, role: 'moderator' }),
    world.person({ overHttp: true, role: 'admin' }),
  ]);
  await indexAll(app);
  callers = { other, owner, moderator, admin, ended: await makeEnded(app) };
});

/**
 * The callers of each route. `owner` created the subject; `other`, `moderator` and `admin` did not. `ended` has an unexpired token of
 * a deleted account. `forged` stands for every kind of invalid token.
 */
const CALLERS = ['anonymous', 'other', 'owner', 'moderator', 'admin', 'ended', 'forged'] as const;
type Caller = (typeof CALLERS)[number];
type Row = { operation: Operation; subject: Subject };

const ROWS: Row[] = [...operations.values()].flatMap((operation) =>
  subjectsOf(operation).map((subject) => ({ operation, subject })),
);

/**
 * Asks each route as each caller, and compares the statuses, with scope and marks of the document, with the snapshot: a change of
 * access is a difference to review. `npm test -- test/security/access.spec.ts -u` writes the snapshot.
 */
describe('the access to each route', () => {
  const shared = new Map<Subject, Target>();
  const measured = new Map<Row, Record<Caller, number>>();

  it.each(ROWS.map((row, index) => ({ row, index, name: row.operation.id, subject: row.subject })))(
    'is measured: $name, $subject',
    async ({ row, index }) => {
      const statuses: Partial<Record<Caller, number>> = {};
      for (const caller of CALLERS.filter((name) => name !== 'forged')) statuses[caller] = await statusFor(row, caller);
      // All routes verify tokens with the same code, so each route gets one kind of forgery, and each kind is tried on many routes.
      const forgeries = Object.values(forgedTokens(callers.owner.id));
      statuses.forged = await statusFor(row, 'forged', forgeries[index % forgeries.length]);
      measured.set(row, statuses as Record<Caller, number>);
    },
  );

  it('agrees with the security of the document', () => {
    for (const [{ operation }, statuses] of measured) {
      const isForAll = new Set(Object.values(statuses)).size === 1;
      const means =
        isForAll || statuses.forged !== 401 ? 'public' : statuses.anonymous !== 401 ? 'optional' : 'required';
      expect([operation.id, operation.access]).toEqual([operation.id, means]);
      const lacksRole = operation.role !== 'user' && statuses.other !== 403;
      expect([operation.id, lacksRole]).toEqual([operation.id, false]);
    }
  });

  it('is the one that was reviewed', () => {
    const lines = [...measured].map(([{ operation, subject }, statuses]) => {
      const { id, method, access, scopes, forRestricted = 'refused' } = operation;
      const ifSuspended = access !== 'public' && method !== 'GET' ? forRestricted : '';
      return [id, subject, CALLERS.map((caller) => statuses[caller]).join(' '), scopes.join(), ifSuspended];
    });
    const header = ['operation', 'subject', CALLERS.join(' '), 'scope', 'if suspended'];
    // Fixed widths, so that a new route changes no other line.
    const widths = [26, 22, 27, 13, 0];
    const text = [header, ...lines].map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join(' | ')
        .trimEnd(),
    );
    expect(text.join('\n')).toMatchSnapshot();
  });

  /** Sends the request with a subject that no earlier request changed. */
  async function statusFor(row: Row, caller: Caller, forged?: string): Promise<number> {
    let target = shared.get(row.subject);
    if (target === undefined) shared.set(row.subject, (target = await makeSubject(app, row.subject, callers.owner)));
    const status = await sendTo(row, target, caller, forged);
    if (row.operation.method !== 'GET' && status < 400) shared.delete(row.subject);
    return status;
  }

  async function sendTo({ operation }: Row, target: Target, caller: Caller, forged?: string): Promise<number> {
    const { id } = operation;
    const endsAccount = id === 'deleteAccount' && !['anonymous', 'ended', 'forged'].includes(caller);
    const person = caller === 'anonymous' || caller === 'forged' ? undefined : callers[caller];
    const token =
      forged ??
      (endsAccount ? (await world.person({ overHttp: true, role: person!.viewer.role })).token : person?.token);
    const signedIn =
      id === 'refreshTokens' || id === 'logout' ? await world.person({ overHttp: true, role: 'user' }) : callers.owner;
    const context = { target, username: callers.owner.username, refreshToken: signedIn.refreshToken };
    const { path, body, headers } = validRequest(document, operation, context);
    const request = () => app.client.request(operation.method, path, { token, body, headers });
    return (await askedAgain(request, isUnavailable)).status;
  }
});

describe('the access to the pages of the site', () => {
  it('is public: every caller gets the page of visitors', async () => {
    const { username, token } = callers.owner;
    const post = await world.post({ by: callers.owner });
    const list = await world.collection({ by: callers.owner });
    const pages = ['/hot', '/latest', '/top', '/tags/engines', `/u/${username}`, '/search', '/search?q=engine'];
    for (const path of [...pages, `/p/${post.slug}`, `/collections/${list.slug}`]) {
      const { status, body } = await app.client.get(path);
      expect([path, status]).toEqual([path, 200]);
      const forged = Object.values(forgedTokens(callers.owner.id))[0];
      for (const one of [token, callers.moderator.token, callers.admin.token, callers.ended.token, forged]) {
        const own = await app.client.get(path, { token: one });
        expect([path, own.status, own.body === body]).toEqual([path, 200, true]);
      }
    }
  });
});

describe('a suspended account', () => {
  const writes = [...operations.values()].filter(({ access, method }) => access !== 'public' && method !== 'GET');
  // Neither the account nor the subject exists, because the tests check only whether the guard lets the request through.
  const isRefused = async (operation: (typeof writes)[number], target: Target, ownBody?: object): Promise<boolean> => {
    const unknown = { id: new ObjectId().toHexString(), role: 'admin', suspendedUntil: Infinity } as const;
    const token = app.app.get(AccessTokenService).issue(unknown).accessToken;
    const { path, body = ownBody, ...request } = validRequest(document, operation, { ...callers.owner, target });
    const sent = { ...request, body: ownBody ?? body };
    const answer = await app.client.request(operation.method, path, { token, ...sent });
    return answer.status === 403 && answer.body.code === 'account_suspended';
  };

  it('may read, and send the writes that the document marks', async () => {
    const target = await makeSubject(app, '-', callers.owner);
    const refused: string[] = [];
    for (const operation of operations.values())
      if (operation.access !== 'public' && (await isRefused(operation, target))) refused.push(operation.id);
    const marked = writes.filter(({ forRestricted = 'emptying' }) => forRestricted !== 'emptying').map(({ id }) => id);
    expect(refused).toEqual(writes.map(({ id }) => id).filter((id) => !marked.includes(id)));
    expect(marked.length).toBeGreaterThan(50);
  });

  it('hides and empties, with bodies that do nothing else', async () => {
    const target = await makeSubject(app, '-', callers.owner);
    for (const operation of writes.filter(({ forRestricted }) => forRestricted === 'emptying')) {
      const answered = [];
      for (const body of [{ isPublic: false }, { visibility: 'private', tags: [] }, { bio: '', links: [] }])
        answered.push(await isRefused(operation, target, body));
      for (const body of [
        { isPublic: true },
        { isPublic: false, title: 'Buy' },
        { visibility: 'unlisted' },
        { tags: ['a'] },
      ])
        answered.push(await isRefused(operation, target, body));
      expect([operation.id, answered]).toEqual([operation.id, [false, false, false, true, true, true, true]]);
    }
  });

  it('may delete, except what changes more than its own content', () => {
    const refused = writes.filter(
      ({ method, role, forRestricted }) => method === 'DELETE' && role === 'user' && forRestricted === undefined,
    );
    expect(refused.map(({ id }) => id).sort()).toEqual(['revokeInvite', 'unlockPost']);
  });
});

/** The access of API tokens to each route. */
describe('the scope of each route', () => {
  const withCredentials = [...operations.values()].filter(({ access }) => access !== 'public');

  it('has a decision in the code of every such route', () => {
    const handlers = [...app.app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
      [...controllers.values()].flatMap(({ metatype }) => handlersOf(metatype as new () => object)),
    );

    const undecided = handlers.filter(
      ([handler, controller]) =>
        accessRuleOf(handler, controller).level !== 'public' && scopeRuleOf(handler, controller) === undefined,
    );

    expect(handlers.length).toBeGreaterThan(50);
    expect(undecided.map(([{ name }]) => name)).toEqual([]);
  });

  it('opens the routes that a token names, and no others', async () => {
    // An admin, because a token has at most the role of its account.
    const { admin: owner } = callers;
    const faults: string[] = [];
    const only = new Map<Scope, string>();
    const allBut = new Map<Scope, string>();
    for (const scope of SCOPES) {
      only.set(scope, (await world.apiToken({ by: owner, scopes: [scope] })).token);
      const others = SCOPES.filter((other) => other !== scope);
      allBut.set(scope, (await world.apiToken({ by: owner, scopes: others })).token);
    }
    const all = (await world.apiToken({ by: owner, scopes: [...SCOPES] })).token;
    // The subject does not exist, because the test checks only whether the guard lets the request through.
    const target = await makeSubject(app, '-', owner);
    for (const operation of withCredentials) {
      const [scope] = operation.scopes as [RouteScope];
      const codeFor = async (token: string): Promise<string> => {
        const { path, ...request } = validRequest(document, operation, { ...owner, target });
        const answer = await app.client.request(operation.method, path, { token, ...request });
        return answer.status === 403 || answer.status === 401 ? answer.body.code : 'let through';
      };
      const refusal = operation.access === 'optional' ? 'let through' : 'insufficient_scope';
      const [right, wrong] = scope === 'account' ? [undefined, all] : [only.get(scope)!, allBut.get(scope)!];
      if (right !== undefined && (await codeFor(right)) !== 'let through') faults.push(`${operation.id}: refused`);
      const answered = await codeFor(wrong);
      if (answered !== refusal) faults.push(`${operation.id} without ${scope}: ${answered}`);
    }
    expect(faults).toEqual([]);
  });
});

function handlersOf(controller: new () => object): [() => unknown, new () => object][] {
  const prototype = controller.prototype as Record<string, () => unknown>;
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .map((name) => prototype[name]!)
    .filter((handler) => typeof handler === 'function' && Reflect.hasMetadata('path', handler))
    .map((handler) => [handler, controller]);
}
