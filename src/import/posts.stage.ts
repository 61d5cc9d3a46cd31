import { Binary, ObjectId } from 'mongodb';
import { MAX_TAGS } from '../posts/labels.dto.js';
import { POST_EVENT_DAYS } from '../views/post-event.schema.js';
import { type PostBody, storedText } from '../posts/post-body.schema.js';
import { ofEachCounter, POSTS } from '../posts/post-counters.js';
import { newPost } from '../posts/post-draft.js';
import { MAX_CONTENT, MAX_TITLE } from '../posts/post-rules.js';
import { POST_TYPES } from '../posts/post-types.js';
import type { Post } from '../posts/post.schema.js';
import { rankBothSlots } from '../posts/score.js';
import { compressBody } from '../rendering/body-codec.js';
import { readTimeMinutes } from '../rendering/post-text.js';
import type { EncodedPost } from '../rendering/rendered-html.js';
import { changeOf, countOf, idOf, isDefaultImage, objectOf, timeOf } from './clean.js';
import { addressOf, normalizeLine, tagsOf } from '../platform/http/validation/foreign-values.js';
import type { TargetUser } from './target-lookup.js';
import type { SourceRow } from './source.js';
import type { Batch, Context, Stage } from './stage.js';

/** Renders the preview, word count and searchable text. */
export type Render = (
  markdown: string,
) => Promise<Pick<EncodedPost, 'preview' | 'words' | 'mentions' | 'text' | 'isPlain'>>;

const BODIES = 'post_bodies';
const HTML = 'post_html';
const UNTITLED = 'Untitled';
const NO_TEXT = { preview: '', words: 0, mentions: [] };

type Written = { row: SourceRow; post: Post; content: string; isNew: boolean };

export function postsStage(render: Render): Stage {
  return {
    name: 'posts',
    collection: 'posts',
    fields: [
      ...['title', 'content', 'authorId', 'thumbnailUrl', 'isPublic', 'isPremium', 'isEdited', 'type', 'tags', 'media'],
      ...['stats.viewsCount', 'stats.readsCount', 'stats.sharesCount', 'createdAt', 'updatedAt'],
    ],
    // A job of the source rewrites `updatedAt` every 15 minutes.
    unhashed: ['updatedAt'],
    plan: (rows, batch, context) => planPosts(rows, batch, context, render),
  };
}

async function planPosts(rows: SourceRow[], batch: Batch, context: Context, render: Render): Promise<void> {
  const existing = await context.targets.posts(rows.map(({ _id }) => _id));
  const authors = await context.targets.users(rows.flatMap(({ authorId }) => idOf(authorId) ?? []));
  const written: Written[] = [];
  for (const row of rows) {
    const author = authors.get(String(row['authorId']));
    const before = existing.get(row._id.toHexString());
    if (author === undefined || author.deletedAt !== null) batch.skip(row, 'its author is missing');
    else if (batch.mayWrite(row, before)) {
      const content = contentOf(row, batch);
      const post = postOf(row, author, batch, context);
      written.push({ row, post, content, isNew: before === undefined });
      if (before?.isListed === false && post.isListed) batch.listed.push(row._id);
      if (before?.isListed === true && !post.isListed) batch.hidden.push(row._id);
    }
  }
  // Renders one at a time: another thread of the pool would take 90 MB, and the server needs a core.
  if (!context.isDryRun) for (const one of written) await derive(one, batch, render);
  for (const one of written) {
    const { row, post, isNew } = one;
    if (isNew) batch.insert(POSTS, post);
    else rewrite(post, batch);
    batch.markImported(row, { updatedAt: post.updatedAt, audience: countAudience(one, batch, context.now) });
  }
}

/** Updates a post, except its counters, ranks and locks. */
function rewrite(post: Post, batch: Batch): void {
  const { _id, title, slug, type, tags, contentPreview, readTime, mentions, thumbnailUrl } = post;
  const { isPublic, isListed, isEdited, contentEditedAt, updatedAt } = post;
  const text = { title, slug, type, tags, contentPreview, readTime, mentions, thumbnailUrl };
  const state = { isPublic, isListed, isEdited, contentEditedAt, updatedAt };
  batch.update(POSTS, { q: { _id }, u: { $set: { ...text, ...state }, $inc: { version: 1 } } });
  batch.delete(HTML, _id);
  batch.delete(BODIES, _id);
}

async function derive({ row, post, content }: Written, batch: Batch, render: Render): Promise<void> {
  const { text, preview, words, mentions, isPlain } = await render(content);
  if (isPlain) batch.change(row, 'a text that takes too long to render: as plain text');
  post.contentPreview = preview;
  post.readTime = readTimeMinutes(words);
  post.mentions = mentions.map((id) => new ObjectId(id));
  const { codec, rawLength, bytes } = compressBody(content);
  const body: PostBody = { _id: post._id, codec, rawLength, bytes: new Binary(bytes), text: storedText(text) };
  batch.insert(BODIES, body);
}

function contentOf(row: SourceRow, batch: Batch): string {
  const content = typeof row['content'] === 'string' ? row['content'] : '';
  if (content.length > MAX_CONTENT) batch.change(row, `a text of more than ${MAX_CONTENT} characters, kept`);
  if (content.trim() !== '') return content;
  batch.change(row, 'no text: its title');
  return normalizeLine(row['title']) || UNTITLED;
}

function postOf(row: SourceRow, author: TargetUser, batch: Batch, { now, trustsUpdatedAt }: Context): Post {
  const { _id } = row;
  const createdAt = timeOf(row['createdAt'], _id, now);
  const isEdited = row['isEdited'] === true;
  const changedAt = isEdited && trustsUpdatedAt ? changeOf(row['updatedAt'], createdAt, now) : createdAt;
  const title = normalizeLine(row['title']) || UNTITLED;
  if (title.length > MAX_TITLE) batch.change(row, `a title of more than ${MAX_TITLE} characters, kept`);
  const type = POST_TYPES.find((one) => one === row['type']) ?? 'written';
  if (type !== row['type']) batch.change(row, 'an unknown type: written');
  const { tags, isChanged } = tagsOf(row['tags'], MAX_TAGS);
  if (isChanged) batch.change(row, 'tags by the tag rule');
  const draft = {
    title,
    content: '',
    type,
    tags,
    thumbnailUrl: thumbnailOf(row, batch),
    isPublic: row['isPublic'] !== false,
  };
  if (row['isPremium'] === true) batch.change(row, 'premium, left out');
  const media: unknown = row['media'];
  if (Array.isArray(media) && media.length > 0) batch.change(row, 'deletion keys of images elsewhere, left out');
  const { username, fullName, profilePicture } = author;
  const snapshot = { username, fullName, profilePicture };
  return {
    ...newPost(_id, author._id, snapshot, draft, NO_TEXT, undefined, { now: createdAt }),
    rank: rankBothSlots(ofEachCounter(0), createdAt, changedAt, now, _id),
    isEdited,
    // The source does not record whether a post was ever public.
    isDraft: false,
    contentEditedAt: changedAt,
    updatedAt: changedAt,
  };
}

export function thumbnailOf(row: SourceRow, batch: Batch): string | null {
  const address: unknown = row['thumbnailUrl'];
  const url = isDefaultImage(address) ? null : addressOf(address, 'https:');
  if (url === null && typeof address === 'string' && address !== '' && !isDefaultImage(address))
    batch.change(row, 'an image that is not at an https address, left out');
  return url;
}

/** Adds the growth since the last import to the statistics of today. Ignores counters that have decreased. Returns the imported totals. */
function countAudience({ row, isNew }: Written, batch: Batch, now: Date): number[] {
  const { viewsCount, readsCount, sharesCount } = objectOf(row['stats']);
  const before = batch.before.get(row._id.toHexString())?.audience ?? [0, 0, 0];
  const audience = [viewsCount, readsCount, sharesCount].map((count, at) => Math.max(countOf(count), before[at]!));
  const [views, reads, shares] = audience.map((count, at) => count - before[at]!) as [number, number, number];
  if (views + reads + shares > 0) {
    const day = now.toISOString().slice(0, 10);
    const _id = `${row._id.toHexString()}:${day}`;
    const counts = { views, reads, shares, visitorReads: reads, visitorShares: shares };
    if (isNew) batch.insert(POST_EVENT_DAYS, { _id, postId: row._id, day, ...counts });
    else {
      const u = { $setOnInsert: { postId: row._id, day }, $inc: counts };
      batch.update(POST_EVENT_DAYS, { q: { _id }, u, upsert: true });
    }
  }
  return audience;
}

/** Imports the featured posts of accounts. */
export const FEATURED_STAGE: Stage = {
  name: 'featured',
  collection: 'users',
  filter: { 'featuredItems.0': { $exists: true } },
  fields: ['featuredItems'],
  plan: planFeatured,
};

const MAX_FEATURED = 8;

async function planFeatured(rows: SourceRow[], batch: Batch, { targets }: Context): Promise<void> {
  const itemsOf = (row: SourceRow) => {
    const items: unknown = row['featuredItems'];
    return Array.isArray(items) ? items.map(objectOf) : [];
  };
  const users = await targets.users(rows.map(({ _id }) => _id));
  const posts = await targets.posts(rows.flatMap((row) => itemsOf(row).flatMap(({ itemId }) => idOf(itemId) ?? [])));
  for (const row of rows) {
    const user = users.get(row._id.toHexString());
    const isHere = user !== undefined && user.deletedAt === null;
    if (!isHere) {
      batch.skip(row, 'its account is missing');
      continue;
    }
    const found = new Map<string, ObjectId>();
    for (const { itemId, itemType } of itemsOf(row)) {
      const post = posts.get(String(itemId));
      if (itemType === 'Collection') batch.change(row, 'a featured collection, left out');
      else if (post === undefined || post.deletedAt !== null || !post.isListed || !post.authorId.equals(row._id))
        batch.change(row, 'a featured post that is missing, hidden or of another account, left out');
      else found.set(String(itemId), post._id);
    }
    const featuredPostIds = [...found.values()].slice(0, MAX_FEATURED);
    batch.update('users', { q: { _id: row._id }, u: { $set: { featuredPostIds } } });
    batch.markImported(row);
  }
}
