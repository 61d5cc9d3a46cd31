import { randomBytes } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import { TEST_PASSWORD } from '../support/accounts.js';
import { exampleOf as exampleOfParameter, type Operation, resolve, type Schema } from '../support/openapi.js';
import { formOf, TINY_PNG } from '../support/pictures.js';
import type { Target } from './subjects.js';

export type ValidRequest = {
  path: string;
  /** required headers */
  headers: Record<string, string>;
  /** bytes for a form */
  body: Record<string, unknown> | Buffer | undefined;
};

type Context = { target: Target; username: string; refreshToken: string };

/** Returns a valid request made of the examples of the document. Values of the database come from the context. */
export function validRequest(document: OpenAPIObject, operation: Operation, context: Context): ValidRequest {
  const { target } = context;
  const values: Record<string, string> = { ...target };
  if (operation.path.startsWith('/v1/comments/')) values['id'] = target.commentId;
  if (operation.path.startsWith('/v1/collections/'))
    Object.assign(values, { id: target.collectionId, idOrSlug: target.collectionSlug });
  if (operation.path.startsWith('/v1/drafts/')) values['id'] = target.draftId;
  if (operation.path.startsWith('/v1/webhooks/')) values['id'] = target.webhookId;
  if (operation.path.startsWith('/v1/notifications/')) values['id'] = target.notificationId;
  if (operation.path.startsWith('/v1/moderation/cases/')) values['id'] = target.caseId;
  values['key'] = target.draftKey;
  if (/^\/v1\/(moderation\/)?media\//.test(operation.path))
    Object.assign(values, { id: target.mediaId, key: target.mediaKey });
  const query = operation.parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(schema.example))}`);
  for (const parameter of operation.parameters) values[parameter.name] ??= exampleOfParameter(parameter);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!);
  if (operation.id === 'uploadMedia' || operation.id === 'createImport')
    return { path, ...formOf({ bytes: TINY_PNG }) };
  return {
    headers: needsVersion(operation) ? { 'if-match': '*' } : {},
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    body: operation.body === undefined ? undefined : bodyOf(document, operation, context),
  };
}

function needsVersion({ parameters }: Operation): boolean {
  return parameters.some(({ name, required }) => name === 'If-Match' && required);
}

function bodyOf(document: OpenAPIObject, { id, body }: Operation, context: Context): Record<string, unknown> {
  const example = exampleOf(document, body!);
  switch (id) {
    case 'register': {
      const username = `r${randomBytes(5).toString('hex')}`;
      return { ...example, username, email: `${username}@example.org` };
    }
    case 'login':
      return { login: context.username, password: TEST_PASSWORD };
    case 'startTotp':
    case 'createPasskeyOptions':
    case 'deleteAccount':
      return { password: TEST_PASSWORD };
    case 'changeEmail':
      return { email: `n${randomBytes(5).toString('hex')}@example.org`, password: TEST_PASSWORD };
    case 'createApiToken':
    case 'beginLink':
    case 'disableTotp':
    case 'renewRecoveryCodes':
    case 'changeRole':
      return { ...example, password: TEST_PASSWORD };
    case 'changePassword':
      return { currentPassword: TEST_PASSWORD, newPassword: TEST_PASSWORD };
    case 'refreshTokens':
    case 'logout':
      return { refreshToken: context.refreshToken };
    case 'scheduleDraft':
      return { publishAt: new Date(Date.now() + 3_600_000).toISOString() };
    case 'importMedia':
      // No process listens on this port.
      return { url: 'http://127.0.0.1:9/engine.jpg' };
    case 'importAddress':
      return { address: 'http://127.0.0.1:9/feed.xml' };
    case 'markNotificationsRead':
      return { upTo: context.target.notificationId };
    case 'giveFeedback':
      return { ...example, postId: context.target.postId };
    case 'createReport':
      return { ...example, ...onPost(context.target) };
    case 'createModerationAction':
      return { kind: 'remove', ...onPost(context.target), reasonCode: 'spam', publicReason: example['publicReason'] };
    case 'createAppeal':
      return { ...example, actionId: context.target.actionId };
    case 'createComment':
      return { content: example['content'] };
    case 'putCollectionPost':
      return { note: example['note'] };
    case 'createFilter':
    case 'updateFilter':
      return { ...example, phrase: randomBytes(8).toString('hex') };
    case 'createRule':
    case 'updateRule':
      return { ...example, value: `${randomBytes(8).toString('hex')}.example` };
    case 'updateProfile':
      return { bio: `about ${randomBytes(3).toString('hex')}` };
    default:
      return example;
  }
}

const onPost = ({ postId }: Target) => ({ targetKind: 'post', targetId: postId });

/** Returns an object from the examples of a schema's properties. */
function exampleOf(document: OpenAPIObject, schema: Schema): Record<string, unknown> {
  const { properties = {} } = resolve(document, schema)! as { properties?: Record<string, Schema> };
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const resolved = resolve(document, property)!;
      return [name, property.example ?? (resolved.properties ? exampleOf(document, resolved) : resolved.example)];
    }),
  );
}
