import { Binary, ObjectId } from 'mongodb';
import { EXAMPLE } from '../../src/common/examples.js';
import { pairId } from '../../src/common/pair-id.js';
import { hashOfSecret } from '../../src/common/secret-hash.js';
import { notificationId } from '../../src/notifications/notification-id.js';
import type { NotificationKind } from '../../src/notifications/notification-kinds.js';
import type { Notification } from '../../src/notifications/notification.schema.js';
import { compressBody } from '../../src/rendering/body-codec.js';
import { type Revision, revisionId } from '../../src/revisions/revision.schema.js';
import { WITHOUT_SECRET } from '../../src/webhooks/webhook-secrets.js';
import { findExampleCollection } from '../plan/collections-plan.js';
import { findExampleComment } from '../plan/comments-plan.js';
import { EXAMPLE_VERSION } from '../plan/posts-plan.js';
import type { Plan } from '../plan/plan.js';
import type { Batch, CollectionName } from './document-types.js';
import { EXAMPLE_POST, exampleText } from './example-texts.js';
import type { SeedIds } from './seed-ids.js';
import { MODERATION_COUNTS, moderationBatches } from './moderation-examples.js';
import { EXAMPLE_PATH, PICTURE_COUNTS, pictureBatches } from './seed-pictures.js';

/** Links of the demo data do not expire. */
const NEVER = new Date('2099-12-31T00:00:00Z');

const idOf = (hex: string): ObjectId => ObjectId.createFromHexString(hex);

/** Rows of every size, in addition to that size. */
export const EXAMPLE_COUNTS = {
  revisions: 2 * (EXAMPLE_VERSION - 1),
  drafts: 2,
  ...PICTURE_COUNTS,
  exports: 1,
  archive_imports: 1,
  notifications: 5,
  webhooks: 1,
  webhook_deliveries: 1,
  ...MODERATION_COUNTS,
} satisfies Partial<Record<CollectionName, number>>;

/** Returns the ids of rows that the examples of the document name. */
export function exampleIds({ posts, comments, collections }: Plan): ConstructorParameters<typeof SeedIds>[1] {
  return {
    user: new Map(EXAMPLE.userIds.map((id, row) => [row, idOf(id)])),
    post: new Map([[posts.example, idOf(EXAMPLE.postId)]]),
    comment: new Map([[findExampleComment(comments, posts.example), idOf(EXAMPLE.commentId)]]),
    collection: new Map([[findExampleCollection(collections), idOf(EXAMPLE.collectionId)]]),
  };
}

/** Yields the additional rows of the demo writer: earlier versions, a draft, a deleted post, an image, an export. */
export async function* exampleBatches({ posts, now }: Plan): AsyncGenerator<Batch> {
  const ownerId = idOf(EXAMPLE.userIds[0]);
  const createdAt = new Date(posts.createdAt[posts.example]! * 1000);
  const draftId = idOf(EXAMPLE.draftId);
  const revisions = [idOf(EXAMPLE.postId), draftId].flatMap((holder) =>
    Array.from({ length: EXAMPLE_VERSION - 1 }, (_, at): Revision => {
      return { _id: revisionId(holder, at + 1), ...storedText(exampleText(at + 1)), savedAt: createdAt };
    }),
  );
  yield { collection: 'revisions', documents: revisions };

  const content = `${exampleText(EXAMPLE_VERSION)}\n\n![A gradient](${EXAMPLE_PATH})`;
  const draft = { version: EXAMPLE_VERSION, state: 'open' as const, publishAt: null, failure: null, visibility: null };
  const share = { keyHash: hashOfSecret(EXAMPLE.draftKey), expiresAt: NEVER };
  const times = { createdAt, updatedAt: createdAt };
  const own = { authorId: ownerId, postId: null, ...times };
  const trash = { state: 'trashed' as const, visibility: 'public' as const, share: null };
  const trashed = { ...own, ...storedText(exampleText(1)), ...draft, ...trash };
  yield {
    collection: 'drafts',
    documents: [
      { _id: draftId, ...own, ...storedText(content), ...draft, share },
      { _id: idOf(EXAMPLE.trashedDraftId), ...trashed },
    ],
  };

  yield { collection: 'notifications', documents: exampleNotifications(new Date(now * 1000)) };
  yield* moderationBatches(new Date(now * 1000));

  yield* pictureBatches(ownerId, draftId, createdAt);

  yield* webhookBatches(ownerId, createdAt);

  // It has no file, and no task that would write one.
  const failed = { state: 'failed' as const, attempts: 0, bytes: null };
  const day = createdAt.toISOString().slice(0, 10);
  yield {
    collection: 'exports',
    documents: [{ _id: idOf(EXAMPLE.exportId), userId: ownerId, day, ...failed, createdAt, expiresAt: NEVER }],
  };

  const counts = { read: 2, drafts: 1, repeated: 0, images: 1, fetched: 0, published: 1, problems: 1 };
  const problem = { entry: 'posts/looms.html', code: 'tags_dropped', detail: 'Tags that were dropped: a' };
  const ready = { state: 'ready' as const, isRunning: false, format: 'ghost', failure: null, attempts: 0 };
  const source = { address: null, authors: [] };
  const at = { day, turn: 0, createdAt, expiresAt: NEVER };
  const archive = { _id: idOf(EXAMPLE.importId), userId: ownerId, ...at, ...ready, ...source, counts };
  yield { collection: 'archive_imports', documents: [{ ...archive, problems: [problem], publishedTo: null }] };
}

/** Yields a webhook that calls no server, because it has no secret, and a delivery. */
function* webhookBatches(userId: ObjectId, createdAt: Date): Generator<Batch> {
  const [webhookId, eventId, postId] = [EXAMPLE.webhookId, EXAMPLE.webhookDeliveryId, EXAMPLE.postId].map(idOf) as [
    ObjectId,
    ObjectId,
    ObjectId,
  ];
  const text = { url: 'https://hooks.example.org/opencanvas', description: 'rebuilds my site' };
  const state = { isEnabled: true, disabledReason: null, failingSince: null, isSlow: false, version: 1 };
  const about = { userId, events: ['post.published' as const, 'post.updated' as const], isSiteWide: false };
  const sealed = new Binary(WITHOUT_SECRET);
  const times = { createdAt, updatedAt: createdAt };
  yield { collection: 'webhooks', documents: [{ _id: webhookId, ...text, ...about, ...state, sealed, ...times }] };

  const data = { id: postId.toHexString(), version: 1 };
  const attempt = { at: createdAt, status: 204, error: null, durationMs: 84, response: '' };
  const delivered = { state: 'delivered' as const, failures: 0, attempts: [attempt], nextAt: null };
  const row = { _id: pairId(webhookId, eventId), webhookId, type: 'post.published' as const, data, ...delivered };
  yield { collection: 'webhook_deliveries', documents: [{ ...row, createdAt, expiresAt: NEVER }] };
}

/** Returns notifications of the demo writer, and a mention of the demo reader. A page reads the accounts from the rows of the dataset. */
function exampleNotifications(now: Date): Notification[] {
  const [writer, reader, postId] = [...EXAMPLE.userIds, EXAMPLE.postId].map(idOf) as [ObjectId, ObjectId, ObjectId];
  const since = new ObjectId(new Uint8Array(12));
  const today = ObjectId.createFromTime(now.getTime() / 1_000);
  const groups: [user: ObjectId, kind: NotificationKind, target: ObjectId, at: ObjectId][] = [
    [writer, 'draft_published', postId, postId],
    [writer, 'like_post', postId, today],
    [writer, 'comment', postId, today],
    [writer, 'follow', writer, today],
    [reader, 'mention', postId, postId],
  ];
  return groups.map(([userId, kind, targetId, at], index) => {
    const _id = notificationId(userId, kind, targetId, at);
    const seq = new ObjectId(Buffer.concat([today.id.subarray(0, 11), Uint8Array.of(index)]));
    const times = { createdAt: now, updatedAt: now, expiresAt: NEVER };
    return { _id, userId, kind, postId: null, seq, since, ownMark: 'none', ...times };
  });
}

function storedText(markdown: string): Omit<Revision, '_id' | 'savedAt'> {
  const { codec, rawLength, bytes } = compressBody(markdown);
  const { markdown: _, ...labels } = EXAMPLE_POST;
  const about = { ...labels, type: 'article' as const, thumbnailUrl: null };
  return { ...about, codec: codec, rawLength, bytes: new Binary(bytes) };
}
