import { ModulesContainer } from '@nestjs/core';
import { ObjectId } from 'mongodb';
import { describeApi } from '../../src/api-document.js';
import { AccessTokenService } from '../../src/platform/auth/access-token.service.js';
import { accessRuleOf } from '../../src/platform/auth/access.decorator.js';
import { type RouteScope, type Scope, SCOPES, scopeRuleOf } from '../../src/platform/auth/token-scope.js';
import { indexAll, useApp } from '../support/app.js';
import { askedAgain, isUnavailable } from '../support/repeated-requests.js';
import { operationsOf } from '../support/openapi.js';
import type { PersonWithPassword } from '../support/world.js';
import { ACCESS_MATRIX, type Caller, CALLERS, type MatrixRow } from './access-matrix.js';
import { SCOPE_MATRIX } from './scope-matrix.js';
import { forgedTokens, makeEnded, makeSubject, type Subject, type Target } from './subjects.js';
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

/** Compares the access of each caller to each route with access-matrix.ts. */
describe('the access matrix', () => {
  const shared = new Map<Subject, Target>();

  it('has every route of the document, and no other', () => {
    const decided = new Set(ACCESS_MATRIX.map(({ operation }) => operation));

    expect([...decided].sort()).toEqual([...operations.keys()].sort());
  });

  it('agrees with the security of the document', () => {
    for (const { operation, expected } of ACCESS_MATRIX) {
      const { access } = operations.get(operation)!;
      const isForAll = new Set(Object.values(expected)).size === 1;
      const means =
        isForAll || expected.forged !== 401 ? 'public' : expected.anonymous !== 401 ? 'optional' : 'required';
      expect([operation, access]).toEqual([operation, means]);
    }
  });

  it.each(ACCESS_MATRIX.map((row, index) => ({ ...row, index })))('holds for $operation, $subject', async (row) => {
    const target = await sharedSubject(row.subject);
    const isRead = operations.get(row.operation)!.method === 'GET';
    const answered: Partial<Record<Caller, number>> = {};

    for (const caller of CALLERS.filter((name) => name !== 'forged')) {
      // Each accepted change gets its own subject, so that no response depends on the previous one.
      const changesNothing = isRead || row.expected[caller] >= 400;
      const own = changesNothing ? target : await makeSubject(app, row.subject, callers.owner);
      answered[caller] = await ask(row, own, caller);
    }
    // All routes verify tokens with the same code, so each route gets one kind of forgery, and each kind is tried on many routes.
    const forgeries = Object.values(forgedTokens(callers.owner.id));
    answered.forged = await ask(row, target, 'forged', forgeries[row.index % forgeries.length]);

    expect(answered).toEqual(row.expected);
  });

  /** Returns the subject of reads and refused changes, which do not modify the subject. */
  async function sharedSubject(subject: Subject): Promise<Target> {
    let target = shared.get(subject);
    if (target === undefined) shared.set(subject, (target = await makeSubject(app, subject, callers.owner)));
    return target;
  }

  async function ask({ operation: id }: MatrixRow, target: Target, caller: Caller, forged?: string): Promise<number> {
    const operation = operations.get(id)!;
    const endsAccount = id === 'deleteAccount' && !['anonymous', 'ended', 'forged'].includes(caller);
    const person = caller === 'anonymous' || caller === 'forged' ? undefined : callers[caller];
    const token =
      forged ??
      (endsAccount ? (await world.person({ overHttp: true, role: person!.viewer.role })).token : person?.token);
    const signedIn =
      id === 'refreshTokens' || id === 'logout' ? await world.person({ overHttp: true, role: 'user' }) : callers.owner;
    const context = { target, username: callers.owner.username, refreshToken: signedIn.refreshToken };
    const { path, body, headers } = validRequest(document, operation, context);
    const send = () => app.client.request(operation.method, path, { token, body, headers });
    return (await askedAgain(send, isUnavailable)).status;
  }
});

/**
 * Writes of a suspended account. `self`: its sign-in methods, export and appeals, and what only it sees. `removal`: what others see
 * becomes less. `emptying`: as `removal`, with a body that only hides or empties fields.
 */
const FOR_SUSPENDED = {
  self: `
    changePassword deleteAccount endSignIns endSession createApiToken revokeApiToken createExport
    startTotp enableTotp disableTotp renewRecoveryCodes createPasskeyOptions addPasskey renamePasskey removePasskey
    beginLink finishLink removeLink changeEmail askEmailVerification createAppeal
    blockUser unblockUser muteUser unmuteUser createFilter updateFilter deleteFilter hidePost unhidePost
    markNotificationsRead updateNotificationSettings markNotificationRead markNotificationUnread deleteNotification
    createStreamTicket createPushSubscription deletePushSubscription watchPost unwatchPost addBell removeBell`,
  removal: `
    deleteMedia deletePost removeFeaturedPost deletePostRevision unfollowUser removeFollower removeComment
    deleteCollection removeCollectionPost deleteDraft unscheduleDraft unshareDraft
    unvotePost unvoteComment unsavePost unvoteCollection unfollowCollection`,
  emptying: 'updatePost updateCollection updateProfile',
};
/** Deletions that are no removal of own content: those of moderators, and the end of a lock. */
const OTHER_DELETIONS = ['deleteRule', 'revokeInvite', 'rejectSignUp', 'releaseCase', 'unlockPost'];

describe('a suspended account', () => {
  const writes = [...operations.values()].filter(({ access, method }) => access !== 'public' && method !== 'GET');
  const idsOf = (effect: keyof typeof FOR_SUSPENDED) => FOR_SUSPENDED[effect].trim().split(/\s+/);
  // Neither the account nor the subject exists, because the tests check only whether the guard lets the request through.
  const isRefused = async (operation: (typeof writes)[number], target: Target, ownBody?: object): Promise<boolean> => {
    const unknown = { id: new ObjectId().toHexString(), role: 'admin', suspendedUntil: Infinity } as const;
    const token = app.app.get(AccessTokenService).issue(unknown).accessToken;
    const { path, body = ownBody, ...request } = validRequest(document, operation, { ...callers.owner, target });
    const sent = { ...request, body: ownBody ?? body };
    const answer = await app.client.request(operation.method, path, { token, ...sent });
    return answer.status === 403 && answer.body.code === 'account_suspended';
  };

  it('may read, remove its own things, and write what only concerns itself', async () => {
    const target = await makeSubject(app, '-', callers.owner);
    const refused: string[] = [];
    for (const operation of operations.values())
      if (operation.access !== 'public' && (await isRefused(operation, target))) refused.push(operation.id);
    const allowed = writes.map(({ id }) => id).filter((id) => !refused.includes(id));
    expect(allowed.sort()).toEqual([...idsOf('self'), ...idsOf('removal')].sort());
    expect(refused).toHaveLength(writes.length - allowed.length);
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

  it('finds the reason of each write in the document, and every deletion is decided', () => {
    for (const effect of ['self', 'removal', 'emptying'] as const) {
      const marked = writes.filter(({ forRestricted }) => forRestricted === effect).map(({ id }) => id);
      expect([effect, marked.sort()]).toEqual([effect, idsOf(effect).sort()]);
    }
    const deletions = writes.filter(({ method, forRestricted }) => method === 'DELETE' && forRestricted === undefined);
    expect(deletions.map(({ id }) => id).sort()).toEqual([...OTHER_DELETIONS].sort());
  });
});

const needed = new Map(
  Object.entries(SCOPE_MATRIX).flatMap(([scope, ids]) =>
    ids
      .trim()
      .split(/\s+/)
      .map((id) => [id, scope as RouteScope] as const),
  ),
);

/** Compares the access of API tokens to each route with scope-matrix.ts. */
describe('the scope matrix', () => {
  const withCredentials = [...operations.values()].filter(({ access }) => access !== 'public');

  it('has every route that reads credentials, and no other', () => {
    expect([...needed.keys()].sort()).toEqual(withCredentials.map(({ id }) => id).sort());
  });

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

  it('agrees with the scopes of the document', () => {
    for (const { id, scopes } of withCredentials) expect([id, scopes]).toEqual([id, [needed.get(id)]]);
  });

  it('opens the routes that a token names, and no others', async () => {
    const { owner } = callers;
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
      const scope = needed.get(operation.id)!;
      const ask = async (token: string): Promise<string> => {
        const { path, ...request } = validRequest(document, operation, { ...owner, target });
        const answer = await app.client.request(operation.method, path, { token, ...request });
        return answer.status === 403 || answer.status === 401 ? answer.body.code : 'let through';
      };
      const refusal = operation.access === 'optional' ? 'let through' : 'insufficient_scope';
      const [right, wrong] = scope === 'account' ? [undefined, all] : [only.get(scope)!, allBut.get(scope)!];
      if (right !== undefined && (await ask(right)) !== 'let through') faults.push(`${operation.id}: refused`);
      const answered = await ask(wrong);
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
