import { createHash } from 'node:crypto';
import { BSON, type ObjectId } from 'mongodb';
import { rankBothSlots } from '../src/posts/score.js';
import { decompressBody } from '../src/rendering/body-codec.js';
import { readTimeMinutes } from '../src/rendering/post-text.js';
import { renderPost } from '../src/rendering/render-markdown.js';
import { isReservedUsername, impersonatesOperator } from '../src/users/reserved-names.js';
import { NEW_USERNAME_PATTERN } from '../src/users/username.js';
import { createDataset } from './dataset.js';
import { DEMO_POSTS } from './demo-posts/demo-posts.js';
import { EXAMPLE } from '../src/common/examples.js';
import { DEMO_ACCOUNTS } from '../src/common/demo-accounts.js';
import type { CollectionName, DatasetCollections } from './documents/document-types.js';
import { PROFILES, sizesOf, type SeedRequest } from './profiles.js';

const NOW = new Date('2025-06-01T12:00:00Z');
const TINY: SeedRequest = { profile: 'tiny', seed: 1, now: NOW };

type Rows = { [Name in CollectionName]: DatasetCollections[Name][] };

async function rowsOf(request: SeedRequest): Promise<Rows> {
  const rows: Record<string, unknown[]> = {};
  for await (const { collection, documents } of createDataset(request).batches()) {
    (rows[collection] ??= []).push(...documents);
  }
  return rows as unknown as Rows;
}

async function hashOf(request: SeedRequest): Promise<string> {
  const hash = createHash('sha256');
  for await (const { documents } of createDataset(request).batches()) {
    for (const document of documents) hash.update(BSON.serialize(document));
  }
  return hash.digest('hex');
}

const count = <Row>(rows: Row[], test: (row: Row) => boolean) => rows.filter(test).length;
const sum = <Row>(rows: Row[], value: (row: Row) => number) => rows.reduce((total, row) => total + value(row), 0);

const EXAMPLES = new Set([...EXAMPLE.userIds, EXAMPLE.postId, EXAMPLE.commentId, EXAMPLE.collectionId] as string[]);
const isExample = ({ _id }: { _id: ObjectId }): boolean => EXAMPLES.has(_id.toHexString());

describe('a dataset', () => {
  let tiny: Rows;
  let small: Rows;
  beforeAll(async () => {
    tiny = await rowsOf(TINY);
    small = await rowsOf({ ...TINY, profile: 'small' });
  });

  it('is the same for the same seed, another for another', async () => {
    const hash = await hashOf(TINY);
    expect(await hashOf(TINY)).toBe(hash);
    expect(await hashOf({ ...TINY, seed: 2 })).not.toBe(hash);
  });

  it.each(['tiny', 'small'] as const)('has exactly the sizes of %s, and the counts it announces', (profile) => {
    const request = { ...TINY, profile };
    const rows = profile === 'tiny' ? tiny : small;
    const sizes = Object.fromEntries(Object.entries(rows).map(([name, documents]) => [name, documents.length]));
    expect(sizes).toMatchObject({ ...PROFILES[profile], post_bodies: PROFILES[profile].posts });
    expect(sizes).toEqual(createDataset(request).counts);
  });

  it('has the sizes of the published case in the full profile', () => {
    const { collections, ...published } = PROFILES.full;
    expect(published).toEqual({ users: 4e5, posts: 1e5, comments: 3.2e5, interactions: 5e5, follows: 1e5 });
    expect(collections).toBe(20_000);
    expect(sizesOf({ ...TINY, profile: 'full', sizes: { posts: 1e6 } }).posts).toBe(1e6);
    expect(() => sizesOf({ ...TINY, sizes: { posts: 3 } })).toThrow('3 posts');
    expect(() => sizesOf({ ...TINY, sizes: { posts: 20 } })).toThrow('more users or posts');
  });

  it('never uses a key twice', () => {
    for (const rows of Object.values(tiny) as { _id: unknown }[][]) {
      expect(new Set(rows.map(({ _id }) => BSON.EJSON.stringify(_id))).size).toBe(rows.length);
    }
    const usernames = tiny.users.flatMap((user) => [user.username, ...user.previousUsernames]);
    expect(new Set(usernames).size).toBe(usernames.length);
    for (const username of usernames) expect(username).toMatch(NEW_USERNAME_PATTERN);
  });

  it('names 40,000 users and their earlier names differently', async () => {
    const names: string[] = [];
    const fullNames = new Set<string>();
    for await (const batch of createDataset({ ...TINY, profile: 'medium' }).batches()) {
      if (batch.collection !== 'users') break;
      for (const { username, previousUsernames, fullName } of batch.documents) {
        names.push(username, ...previousUsernames);
        fullNames.add(fullName);
      }
    }
    expect(names.length).toBeGreaterThan(40_050);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !NEW_USERNAME_PATTERN.test(name))).toEqual([]);
    // The moderator and the administrator of the demo data have reserved names.
    expect(names.filter(isReservedUsername).sort()).toEqual(['demo_admin', 'demo_moderator']);
    expect([...fullNames].filter(impersonatesOperator)).toEqual([]);
  });

  it('has ids with the time of creation, and no time in the future', () => {
    for (const row of [...tiny.users, ...tiny.posts, ...tiny.comments]) {
      if (!isExample(row)) expect(row._id.getTimestamp()).toEqual(row.createdAt);
      expect(row.updatedAt.getTime()).toBeLessThanOrEqual(NOW.getTime());
      expect(row.updatedAt.getTime()).toBeGreaterThanOrEqual(row.createdAt.getTime());
    }
    for (const row of tiny.post_event_days) expect(row.day <= NOW.toISOString().slice(0, 10)).toBe(true);
    expect(count(tiny.posts, (post) => NOW.getTime() - post.createdAt.getTime() < 86_400_000)).toBeGreaterThan(0);
    expect(count(tiny.posts, (post) => NOW.getTime() - post.createdAt.getTime() > 365 * 86_400_000)).toBeGreaterThan(0);
  });

  it('counts every post exactly as its rows do', () => {
    for (const post of tiny.posts) {
      const votes = tiny.interactions.filter((row) => row.kind === 'vote' && row.targetId.equals(post._id));
      const days = tiny.post_event_days.filter((row) => row.postId.equals(post._id));
      expect(post.stats).toEqual({
        viewsCount: sum(days, (day) => day.views),
        readsCount: sum(days, (day) => day.reads),
        sharesCount: sum(days, (day) => day.shares),
        likesCount: count(votes, (vote) => vote.value === 'like'),
        dislikesCount: count(votes, (vote) => vote.value === 'dislike'),
        commentsCount: count(tiny.comments, (row) => row.postId.equals(post._id) && row.deletedAt === null),
      });
      expect(post.isListed).toBe(post.isPublic && post.deletedAt === null);
      expect(post.rank).toEqual(rankBothSlots(post.stats, post.createdAt, post.contentEditedAt, NOW, post._id));
    }
  });

  it('counts every comment and every user exactly as their rows do', () => {
    for (const comment of tiny.comments) {
      const votes = tiny.interactions.filter(
        (row) => row.targetModel === 'Comment' && row.targetId.equals(comment._id),
      );
      const children = tiny.comments.filter((row) => row.parentId?.equals(comment._id));
      expect(comment.stats).toEqual({
        likesCount: count(votes, (vote) => vote.value === 'like'),
        dislikesCount: count(votes, (vote) => vote.value === 'dislike'),
        repliesCount: count(children, (child) => child.isVisible),
      });
      expect(comment.isVisible).toBe(comment.deletedAt === null || comment.stats.repliesCount > 0);
    }
    for (const user of tiny.users) {
      const listed = tiny.posts.filter((post) => post.isListed && post.authorId.equals(user._id));
      const likesReceivedCount = sum(listed, (post) => post.stats.likesCount);
      expect(user.stats).toEqual({
        followersCount: count(tiny.follows, (row) => row.followingId.equals(user._id)),
        followingCount: count(tiny.follows, (row) => row.followerId.equals(user._id)),
        postsCount: listed.length,
        likesReceivedCount,
      });
      expect(user.likesPerPost).toBe(listed.length === 0 ? 0 : likesReceivedCount / listed.length);
    }
  });

  it('is consistent: every reference leads to an existing row that is not deleted', () => {
    const key = (id: ObjectId) => id.toHexString();
    const users = new Map(tiny.users.map((user) => [key(user._id), user]));
    const posts = new Map(tiny.posts.map((post) => [key(post._id), post]));
    const comments = new Map(tiny.comments.map((comment) => [key(comment._id), comment]));
    for (const row of [...tiny.posts, ...tiny.comments]) {
      const { username, fullName, profilePicture, deletedAt } = users.get(key(row.authorId))!;
      expect(row.authorSnapshot).toEqual({ username, fullName, profilePicture });
      expect(deletedAt).toBeNull();
    }
    for (const comment of tiny.comments) {
      expect(posts.get(key(comment.postId))!.deletedAt).toBeNull();
      const parent = comment.parentId && comments.get(key(comment.parentId))!;
      expect(comment.ancestors).toEqual(parent ? [...parent.ancestors, parent._id] : []);
      expect(!parent || parent.postId.equals(comment.postId)).toBe(true);
    }
    for (const row of tiny.interactions) {
      expect(users.get(key(row.userId))!.deletedAt).toBeNull();
      const target = (row.targetModel === 'Post' ? posts : comments).get(key(row.targetId))!;
      expect(target.deletedAt).toBeNull();
      expect(row.createdAt.getTime()).toBeGreaterThanOrEqual(target.createdAt.getTime());
    }
    expect(tiny.credentials.map((row) => users.get(key(row._id))!.username)).toEqual(
      DEMO_ACCOUNTS.map((account) => account.username),
    );
  });

  it('has collections of 5 to 50 ordered posts, and each post in at most one series', () => {
    const posts = new Map(tiny.posts.map((post) => [post._id.toHexString(), post]));
    for (const collection of tiny.collections) {
      const items = tiny.collection_items.filter((item) => item.collectionId.equals(collection._id));
      expect(collection.stats).toEqual({
        ...{
          postsCount: items.filter(({ isListed }) => isListed).length,
          likesCount: 0,
          dislikesCount: 0,
          followersCount: 0,
        },
      });
      expect(items.length).toBeGreaterThanOrEqual(5);
      expect(items.length).toBeLessThanOrEqual(50);
      expect(items.map(({ position }) => position)).toEqual(items.map(({ position }) => position).sort());
      const owned = items.filter(({ postId }) => posts.get(postId.toHexString())!.authorId.equals(collection.ownerId));
      if (collection.kind === 'series') expect(owned).toHaveLength(items.length);
      const { username } = tiny.users.find((user) => user._id.equals(collection.ownerId))!;
      expect(collection.ownerSnapshot.username).toBe(username);
      if (!isExample(collection)) expect(collection._id.getTimestamp()).toEqual(collection.createdAt);
    }
    for (const item of tiny.collection_items) {
      const post = posts.get(item.postId.toHexString())!;
      expect(post.deletedAt).toBeNull();
      expect(item.isListed).toBe(post.isListed);
      expect(item.addedAt.getTime()).toBeGreaterThanOrEqual(post.createdAt.getTime());
      expect(item.addedAt.getTime()).toBeLessThanOrEqual(NOW.getTime());
    }
    const kinds = new Map(tiny.collections.map(({ _id, kind }) => [_id.toHexString(), kind]));
    const parts = tiny.collection_items.filter((item) => kinds.get(item.collectionId.toHexString()) === 'series');
    expect(tiny.post_series.map(({ _id }) => _id.toHexString())).toEqual(
      parts.map(({ postId }) => postId.toHexString()),
    );
    expect(parts.length).toBeGreaterThan(0);
    for (const user of tiny.users)
      expect(user.collectionsCount).toBe(count(tiny.collections, (row) => row.ownerId.equals(user._id)));
  });

  it('has the posts by hand under the demo accounts, and their series in order', () => {
    const users = new Map(small.users.map(({ _id, username }) => [_id.toHexString(), username]));
    const written = small.posts.map(({ title, authorId }) => `${users.get(authorId.toHexString())}: ${title}`);
    for (const { title, author } of DEMO_POSTS)
      expect(written).toContain(`${DEMO_ACCOUNTS[author]!.username}: ${title}`);
    const titles = new Map(small.posts.map(({ _id, title }) => [_id.toHexString(), title]));
    const partsOf = (name: string) => {
      const { _id, kind, ownerId } = small.collections.find(({ title }) => title === name)!;
      expect([kind, users.get(ownerId.toHexString())]).toEqual(['series', 'demo_writer']);
      const parts = small.collection_items.filter(({ collectionId }) => collectionId.equals(_id));
      return parts.map(({ postId }) => titles.get(postId.toHexString()));
    };
    const letters = DEMO_POSTS.filter(({ series }) => series === 'letters').map(({ title }) => title);
    expect(partsOf('Letters from a river')).toEqual(letters);
    expect(partsOf('Explained with a pencil')).toContain(EXAMPLE.postTitle);
  });

  it('writes texts the server would have written', () => {
    const bodies = new Map(tiny.post_bodies.map((body) => [body._id.toHexString(), body]));
    for (const post of tiny.posts) {
      const { codec, rawLength, bytes, text } = bodies.get(post._id.toHexString())!;
      const markdown = decompressBody({ codec, rawLength, bytes: bytes.value() });
      const { preview, html, read } = renderPost(markdown);
      expect(post.contentPreview).toBe(preview);
      expect(JSON.parse(decompressBody({ codec, ...text, bytes: text.bytes.value() }))).toEqual(read);
      expect(post.contentPreview.length).toBeGreaterThan(60);
      expect(post.readTime).toBe(readTimeMinutes(html.words));
      expect(post.tags.length).toBeLessThanOrEqual(5);
      expect(new Set(post.tags).size).toBe(post.tags.length);
    }
    for (const comment of tiny.comments) expect(comment.content.length).toBeLessThanOrEqual(1000);
  });

  it('has long bodies, few popular posts and rare tags, like a community', () => {
    const { posts, post_bodies: bodies } = small;
    const long = bodies.filter((body) => body.rawLength >= 8_000);
    expect(long.length / bodies.length).toBeGreaterThan(0.3);
    expect(long.length / bodies.length).toBeLessThan(0.37);
    for (const body of long) expect(body.rawLength).toBeLessThanOrEqual(15_360);
    const text = decompressBody({ ...long[0]!, bytes: long[0]!.bytes.value() });
    expect(text).toMatch(/^## /m);
    const likes = posts.map((post) => post.stats.likesCount).sort((a, b) => b - a);
    const total = sum(likes, (n) => n);
    expect(sum(likes.slice(0, 10), (n) => n) / total).toBeGreaterThan(0.12);
    const uses = new Map<string, number>();
    for (const tag of posts.flatMap((post) => post.tags)) uses.set(tag, (uses.get(tag) ?? 0) + 1);
    expect(Math.max(...uses.values())).toBeGreaterThan(50);
    expect(count([...uses.values()], (n) => n <= 2)).toBeGreaterThan(200);
  });
});
