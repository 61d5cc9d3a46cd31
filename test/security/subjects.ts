import { randomBytes } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import { ObjectId } from 'mongodb';
import { encodeId, notificationId } from '../../src/notifications/notification-id.js';
import type { Notification } from '../../src/notifications/notification.schema.js';
import { TOKEN_AUDIENCE, TOKEN_ISSUER } from '../../src/platform/access/access-token.service.js';
import { TEST_SECRET, type TestApp } from '../support/app.js';
import { formOf } from '../support/pictures.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import type { Person, PersonWithPassword } from '../support/world.js';

/** The subject of a request; `makeSubject` creates a new one of the owner each time. */
export type Subject =
  | ('-' | 'public post' | 'hidden post' | 'deleted post' | 'comment' | 'comment on hidden post' | 'deleted comment')
  | 'passkey'
  | 'notification'
  | ('public list' | 'private list' | 'deleted list' | 'public series' | 'private series')
  | ('draft' | 'trashed draft' | 'edited post' | 'picture')
  | (
      | 'sign-in'
      | 'ended sign-in'
      | 'API token'
      | 'export'
      | 'import'
      | 'account'
      | 'invite'
      | 'sign-up'
      | 'filter'
      | 'case'
    )
  | ('action' | 'appeal' | 'rule' | 'webhook');

/** Values for the path parameters of any route. */
export type Target = {
  id: string;
  idOrSlug: string;
  postId: string;
  username: string;
  commentId: string;
  collectionId: string;
  collectionSlug: string;
  draftId: string;
  draftKey: string;
  mediaId: string;
  mediaKey: string;
  notificationId: string;
  caseId: string;
  actionId: string;
  webhookId: string;
  deliveryId: string;
  /** Number of an earlier version. */
  version: string;
  provider: string;
};

/** Creates and deletes an account whose token has not expired. */
export async function makeEnded(app: TestApp): Promise<PersonWithPassword> {
  const person = await app.world.person({ overHttp: true, role: 'user' });
  const { status } = await app.client.delete('/v1/users/me', {
    token: person.token,
    body: { password: TEST_PASSWORD },
  });
  if (status !== 204) throw new Error(`the end of an account answered ${status}`);
  return person;
}

/** Invalid tokens in the owner's name. */
export function forgedTokens(userId: string): Record<string, string> {
  const claims = { sub: userId, role: 'admin' };
  const right = {
    key: TEST_SECRET,
    algorithm: 'HS256' as const,
    iss: TOKEN_ISSUER,
    aud: TOKEN_AUDIENCE,
    expiresIn: 600_000,
  };
  const now = Math.floor(Date.now() / 1000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claimed = { ...claims, iss: TOKEN_ISSUER, aud: TOKEN_AUDIENCE, iat: now, exp: now + 600 };
  return {
    expired: createSigner({ ...right, expiresIn: 1_000, clockTimestamp: Date.now() - 3_600_000 })(claims),
    'wrong algorithm': createSigner({ ...right, algorithm: 'HS512' })(claims),
    'wrong issuer': createSigner({ ...right, iss: 'somebody-else' })(claims),
    'wrong audience': createSigner({ ...right, aud: 'somebody-else' })(claims),
    'wrong key': createSigner({ ...right, key: `${TEST_SECRET}!` })(claims),
    unsigned: `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claimed)}.`,
    'unsigned with a signature': `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claimed)}.c2lnbmF0dXJl`,
    'role of nobody': createSigner(right)({ ...claims, role: 'root' }),
    'no subject': createSigner(right)({ role: 'admin' }),
  };
}

/** Creates a subject of the owner. */
export async function makeSubject(app: TestApp, subject: Subject, owner: Person): Promise<Target> {
  const none = new ObjectId().toHexString();
  const { username } = owner;
  const base: Target = {
    ...{ id: none, idOrSlug: none, postId: none, username, commentId: none, collectionId: none, collectionSlug: none },
    ...{ draftId: none, draftKey: 'x'.repeat(43), version: '1' },
    ...{ mediaId: none, mediaKey: `${none}-${'0'.repeat(16)}.jpg` },
    notificationId: encodeId(notificationId(owner._id, 'like_post', owner._id, owner._id)),
    ...{ caseId: `post-${none}`, actionId: none, webhookId: none, deliveryId: none, provider: 'unknown' },
  };
  if (subject === '-') return base;
  if (subject === 'invite') return { ...base, id: await app.world.invite({ by: owner }) };
  if (subject === 'filter')
    return { ...base, id: await app.world.contentFilter({ by: owner, phrase: randomBytes(8).toString('hex') }) };
  if (subject === 'rule') return { ...base, id: await app.world.rule({ value: randomBytes(8).toString('hex') }) };
  if (subject === 'webhook') return { ...base, ...(await makeWebhook(app, owner)) };
  if (subject === 'sign-up') return { ...base, id: await app.world.signUpThatWaits() };
  if (subject === 'account') return { ...base, id: (await app.world.person()).id };
  if (subject === 'notification') return { ...base, notificationId: await makeNotification(app, owner) };
  if (subject === 'draft') return { ...base, ...(await makeDraft(app, owner)) };
  if (subject === 'trashed draft') return { ...base, draftId: await app.world.trashedDraft(owner) };
  if (subject === 'picture') return { ...base, ...(await app.world.picture(owner)) };
  if (subject === 'passkey') return { ...base, id: await app.world.passkey(owner) };
  if (subject.endsWith('sign-in')) return { ...base, id: await makeSession(app, subject, owner) };
  if (subject === 'API token') return { ...base, id: (await app.world.apiToken({ by: owner, scopes: ['read'] })).id };
  if (subject === 'import') return { ...base, id: await makeImport(app, owner) };
  if (subject === 'export') return { ...base, id: await makeExport(app, owner) };
  const isHidden = subject === 'hidden post' || subject === 'comment on hidden post';
  const post = await app.world.post({ by: owner, isPublic: !isHidden });
  const target: Target = { ...base, id: post.id, idOrSlug: post.slug, postId: post.id };
  if (subject === 'case')
    return { ...target, caseId: await app.world.report({ by: await app.world.person(), on: post.id }) };
  if (subject === 'action' || subject === 'appeal') {
    const actionId = await app.world.moderate({ kind: 'lock', targetKind: 'post', targetId: post.id });
    if (subject === 'appeal') await app.world.appeal({ by: owner, actionId });
    return { ...target, actionId };
  }
  if (subject === 'edited post')
    await app.client.patch(`/v1/posts/${post.id}`, { token: owner.token, body: { content: 'Another text.' } });
  if (subject === 'deleted post') await app.world.deletePost(post.id, { by: owner });
  if (/list|series/.test(subject)) return { ...target, ...(await makeCollection(app, subject, owner, post.id)) };
  if (!subject.includes('comment')) return target;
  const comment = await app.world.comment({ by: owner, on: post.id });
  if (subject === 'deleted comment') await app.client.delete(`/v1/comments/${comment.id}`, { token: owner.token });
  return { ...target, commentId: comment.id };
}

/** Creates a draft with an earlier version, a link, and all fields of a post. */
async function makeDraft(app: TestApp, { token }: Person): Promise<Pick<Target, 'draftId' | 'draftKey'>> {
  const body = { title: 'A draft', content: 'Some text.', type: 'article' };
  const draft = (await app.client.post('/v1/drafts', { token, body })).body;
  const path = `/v1/drafts/${draft.id}`;
  await app.client.patch(path, { token, body: { content: 'Other text.' }, headers: { 'if-match': '*' } });
  const link = (await app.client.put(`${path}/share`, { token })).body.path as string;
  return { draftId: draft.id, draftKey: link.slice(-43) };
}

/** Creates a webhook with two deliveries. Deletes earlier ones, because an account has at most ten. */
export async function makeWebhook(app: TestApp, owner: Person): Promise<Pick<Target, 'webhookId' | 'deliveryId'>> {
  await app.db.collection('webhooks').deleteMany({ userId: owner._id });
  const { id } = await app.world.webhook({ by: owner });
  await app.client.post(`/v1/webhooks/${id}/ping`, { token: owner.token });
  const { body } = await app.client.post(`/v1/webhooks/${id}/ping`, { token: owner.token });
  return { webhookId: id, deliveryId: body.id };
}

/** Inserts a notification without an existing target. */
async function makeNotification(app: TestApp, { _id: userId }: Person): Promise<string> {
  const _id = notificationId(userId, 'draft_published', new ObjectId(), new ObjectId());
  const at = new Date();
  const [seq, since] = [new ObjectId(), new ObjectId()];
  const row = {
    userId,
    kind: 'draft_published',
    postId: null,
    seq,
    since,
    ownMark: 'none',
    createdAt: at,
    updatedAt: at,
  };
  await app.db
    .collection<Notification>('notifications')
    .insertOne({ _id, ...row, expiresAt: new Date(at.getTime() + 86_400_000) } as Notification);
  return encodeId(_id);
}

/** Moves existing exports to other days, because an account has one export a day. */
async function makeExport(app: TestApp, owner: Person): Promise<string> {
  const exports = app.db.collection('exports');
  const day = { $concat: ['before ', { $toString: '$_id' }] };
  await exports.updateMany({ userId: owner._id }, [{ $set: { day } }]);
  const { body } = await app.client.post('/v1/users/me/exports', { token: owner.token });
  await exports.updateMany({ userId: owner._id }, [{ $set: { day } }]);
  return body.id;
}

/** Ends the earlier imports, because an account has one at a time, and three a day. */
async function makeImport(app: TestApp, owner: Person): Promise<string> {
  const imports = app.db.collection('archive_imports');
  const day = { $concat: ['before ', { $toString: '$_id' }] };
  await imports.updateMany({ userId: owner._id }, [{ $set: { day, isRunning: false } }]);
  const form = formOf({ bytes: Buffer.from('---\ntitle: Looms\n---\nIt weaves.') });
  const { body } = await app.client.post('/v1/users/me/imports', { token: owner.token, ...form });
  await imports.updateMany({ userId: owner._id }, [{ $set: { day, isRunning: false, state: 'ready' } }]);
  return body.id;
}

async function makeSession(app: TestApp, subject: Subject, owner: Person): Promise<string> {
  const body = { login: owner.username, password: TEST_PASSWORD };
  const { accessToken } = (await app.client.post('/v1/auth/login', { body })).body;
  const { data } = (await app.client.get('/v1/auth/sessions', { token: accessToken })).body;
  const { id } = data.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
  if (subject === 'ended sign-in') await app.client.delete(`/v1/auth/sessions/${id}`, { token: owner.token });
  return id;
}

/** Creates a collection that contains the post. */
async function makeCollection(
  app: TestApp,
  subject: Subject,
  owner: Person,
  postId: string,
): Promise<Pick<Target, 'collectionId' | 'collectionSlug'>> {
  // The limit of collections does not matter here.
  const isNearlyFull = { _id: owner._id, collectionsCount: { $gt: 90 } };
  await app.db.collection('users').updateOne(isNearlyFull, { $set: { collectionsCount: 10 } });
  const kind = subject.includes('series') ? 'series' : 'list';
  const { id, slug } = await app.world.collection({
    by: owner,
    kind,
    isPublic: !subject.startsWith('private'),
    posts: [postId],
  });
  if (subject === 'deleted list') await app.client.delete(`/v1/collections/${id}`, { token: owner.token });
  return { collectionId: id, collectionSlug: slug };
}

/** Returns the subject with which a request to a route succeeds. */
export function subjectOf(path: string): Subject {
  if (path.startsWith('/v1/admin/users/')) return 'account';
  if (path.startsWith('/v1/admin/invites/')) return 'invite';
  if (path.startsWith('/v1/admin/sign-ups/')) return 'sign-up';
  if (path.startsWith('/v1/moderation/cases/')) return 'case';
  if (path.startsWith('/v1/moderation/appeals/')) return 'appeal';
  if (path.startsWith('/v1/moderation/rules/')) return 'rule';
  if (path === '/v1/appeals') return 'action';
  if (path.startsWith('/v1/comments/')) return 'comment';
  if (path.startsWith('/v1/notifications/{')) return 'notification';
  if (path.startsWith('/v1/auth/sessions/')) return 'sign-in';
  if (path.startsWith('/v1/users/me/exports/')) return 'export';
  if (path.startsWith('/v1/users/me/imports/')) return 'import';
  if (path.startsWith('/v1/users/me/filters/')) return 'filter';
  if (path.startsWith('/v1/auth/tokens/')) return 'API token';
  if (path.startsWith('/v1/webhooks/')) return 'webhook';
  if (path.startsWith('/v1/collections/')) return 'public list';
  if (path === '/v1/drafts/{id}/restore') return 'trashed draft';
  if (/^\/v1\/(shared-)?drafts\//.test(path)) return 'draft';
  if (/^\/v1\/(moderation\/)?media\//.test(path)) return 'picture';
  if (path.includes('/revisions')) return 'edited post';
  if (path.startsWith('/v1/auth/passkeys/')) return 'passkey';
  if (path.startsWith('/v1/mail/')) return '-';
  return path.endsWith('/series') ? 'public series' : 'public post';
}

const STATES: Partial<Record<Subject, Subject[]>> = {
  'public post': ['public post', 'hidden post', 'deleted post'],
  comment: ['comment', 'comment on hidden post', 'deleted comment'],
  'public list': ['public list', 'private list', 'deleted list'],
};

/** Subjects of operations whose path names another one, or none. */
const OTHER_SUBJECTS: Record<string, Subject[]> = {
  getPostSeries: ['public post', 'public series', 'private series'],
  publishDraft: ['draft', 'trashed draft'],
  restoreDraft: ['trashed draft', 'draft'],
  endSession: ['sign-in', 'ended sign-in'],
  // their bodies name the subject
  giveFeedback: STATES['public post']!,
  createReport: STATES['public post']!,
  createModerationAction: STATES['public post']!,
  createAppeal: ['action', 'appeal', '-'],
  markNotificationsRead: ['notification'],
};

/** Returns the subjects with which the access to a route is compared; `-` is of no row, or the path names none. */
export function subjectsOf({ id, path }: { id: string; path: string }): Subject[] {
  if (id in OTHER_SUBJECTS) return OTHER_SUBJECTS[id]!;
  if (!/\{(?:\w+Id|id|idOrSlug|key)\}/.test(path)) return ['-'];
  const subject = subjectOf(path);
  if (/^\/v1\/(?:admin|moderation)\//.test(path)) return [subject, '-'];
  return STATES[subject] ?? [subject];
}
