import { ObjectId } from 'mongodb';
import { CommentRendererService } from '../comments/comment-renderer.service.js';
import type { GetService, Migration, Row } from '../platform/migrations/migration.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { MentionLookupService } from '../rendering/mention-lookup.service.js';
import { PostRendererService } from '../rendering/post-renderer.service.js';
import { markdownOf } from './stored-markdown.js';

/** 0.2.0 stores the accounts that a text mentions, so that an edit notifies only those that it adds. */
export const MENTIONS: Migration = {
  number: 2,
  name: 'mentions',
  summary: 'Adds the mentioned accounts to posts and comments of 0.1.0, without notifications.',
  oldestProgram: 2,
  steps: (get) => [
    {
      collection: 'posts',
      pending: { mentions: { $exists: false } },
      change: async (rows) => {
        const bodies = await bodiesOf(rows, get);
        return inOrder(rows, (row) => inPost(bodies.get(String(row._id)), get));
      },
    },
    {
      collection: 'comments',
      pending: { mentions: { $exists: false } },
      change: (rows) =>
        inOrder(rows, async ({ content, authorId }) => {
          const { mentions } = await get(CommentRendererService).read(String(content), String(authorId), false);
          return mentions;
        }),
    },
  ],
};

async function bodiesOf(rows: Row[], get: GetService): Promise<Map<string, string>> {
  const ids = rows.map(({ _id }) => _id);
  const bodies = await get(MongoService)
    .db.collection('post_bodies')
    .find({ _id: { $in: ids } })
    .toArray();
  return new Map(bodies.map((body) => [String(body._id), markdownOf(body)]));
}

/** Renders only a text with the name of an account. */
async function inPost(markdown: string | undefined, get: GetService): Promise<string[]> {
  if (markdown === undefined || (await get(MentionLookupService).find([markdown])).size === 0) return [];
  return (await get(PostRendererService).renderForWrite(markdown, null)).mentions;
}

/** One at a time: the pool refuses a long queue. */
async function inOrder(rows: Row[], read: (row: Row) => Promise<string[]>) {
  const writes = [];
  for (const row of rows) {
    const mentions = (await read(row)).map((id) => ObjectId.createFromHexString(id));
    writes.push({ updateOne: { filter: { _id: row._id }, update: { $set: { mentions } } } });
  }
  return writes;
}
