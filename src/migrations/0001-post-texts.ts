import { Binary } from 'mongodb';
import type { Migration } from '../platform/migrations/migration.js';
import { PostRendererService } from '../rendering/post-renderer.service.js';
import { markdownOf } from './stored-markdown.js';

/** 0.2.0 added the searchable text to a body, when the post was saved. */
export const POST_TEXTS: Migration = {
  number: 1,
  name: 'post texts',
  summary: 'Adds the searchable text to posts of 0.1.0.',
  oldestProgram: 1,
  steps: (get) => [
    {
      collection: 'post_bodies',
      pending: { text: { $exists: false } },
      change: async (rows) => {
        const writes = [];
        // One at a time: another thread of the pool would take 90 MB.
        for (const row of rows) {
          const { text } = await get(PostRendererService).renderForWrite(markdownOf(row), null);
          const stored = { rawLength: text.rawLength, bytes: new Binary(text.bytes) };
          writes.push({ updateOne: { filter: { _id: row._id }, update: { $set: { text: stored } } } });
        }
        return writes;
      },
    },
  ],
};
