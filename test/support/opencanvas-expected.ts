import { type Document, ObjectId } from 'mongodb';

export type SourceRows = Record<string, Document[]>;
const CHANGED_NOTIFICATIONS = { email: true, push: true, mention: true, follow: true, comment: true, message: true };
/** Rows by the key as text. */
export type ExpectedRows = Record<string, Map<string, Document>>;

const hex = (id: unknown): string => (id instanceof ObjectId ? id.toHexString() : 'none');
const byId = (rows: Document[]): Map<string, Document> => new Map(rows.map((row) => [hex(row._id), row]));
const until = (time: unknown, row: Document, now: Date): Date =>
  time instanceof Date && time <= now ? time : (row._id as ObjectId).getTimestamp();
const https = (url: unknown): string | null =>
  typeof url === 'string' && url.startsWith('https://') && !url.includes('/defaults/') ? url : null;
const clean = (text: string): string =>
  text.replace(/[\u0000-\u001f\u202e]/g, (sign) => (sign === '\n' ? ' ' : '')).trim();
const seq = (time: Date, row: Document): string =>
  Math.floor(time.getTime() / 1_000).toString(16) + hex(row._id).slice(8);

/** Applies the tag rule of the table in docs/from-opencanvas.md. */
function tags(given: string[], max: number): string[] {
  const found: string[] = [];
  for (const tag of given) {
    const kept = tag
      .toLowerCase()
      .split('')
      .map((sign) => (sign === ' ' || sign === '_' ? '-' : sign))
      .filter((sign) => /[a-z0-9-]/.test(sign))
      .join('')
      .slice(0, 32);
    if (kept !== '' && !found.includes(kept)) found.push(kept);
  }
  return found.slice(0, max);
}

/** Applies the table to dirty source data, one row after the other. Other specs compare counters, ranks and previews. */
export function expectedRows(source: SourceRows, now: Date): ExpectedRows {
  const users = new Map<string, Document>();
  const credentials = new Map<string, Document>();
  const names = new Set<string>();
  for (const row of source.users!) {
    const createdAt = until(row.createdAt, row, now);
    const own = row.username.toLowerCase();
    let username = own;
    for (let number = 1; names.has(username); number++)
      username = `${own.slice(0, 13)}_${String(number).padStart(2, '0')}`;
    if (own.length < 4) username = `user_${hex(row._id).slice(-11)}`;
    names.add(username);
    users.set(hex(row._id), {
      username,
      fullName: row.fullName === undefined ? username : [...clean(row.fullName)].slice(0, 64).join(''),
      bio: row.aboutMe.slice(0, 500),
      headline: row.designation === 'Learner' ? '' : clean(row.designation),
      interests: row.interestedIn[0] === 'any' ? [] : tags(row.interestedIn, 8),
      links: row.contactInformation
        .filter(({ url }: Document) => url.startsWith('http'))
        .map(({ title, url }: Document) => ({ title: title || new URL(url).host, url })),
      profilePicture: https(row.profilePicture),
      role: row.role === 'super-admin' ? 'user' : row.role,
      settings: {
        language: 'en',
        ...(row.notifications.commentNotification && { notifications: CHANGED_NOTIFICATIONS }),
      },
      createdAt,
      updatedAt: row.updatedAt > createdAt && row.updatedAt <= now ? row.updatedAt : createdAt,
    });
    if (row.email.includes('@'))
      credentials.set(hex(row._id), { email: row.email.toLowerCase(), emailVerifiedAt: createdAt, importedAt: now });
  }

  const posts = new Map<string, Document>();
  const days = new Map<string, Document>();
  for (const row of source.posts!) {
    if (!users.has(hex(row.authorId))) continue;
    const createdAt = row.createdAt as Date;
    const title = row.title?.trim() || 'Untitled';
    posts.set(hex(row._id), {
      title,
      content: row.content.trim() === '' ? title : row.content,
      authorId: hex(row.authorId),
      author: users.get(hex(row.authorId))!.username,
      thumbnailUrl: https(row.thumbnailUrl),
      tags: tags(row.tags, 5),
      type: row.type === 'image' ? 'written' : row.type,
      isPublic: row.isPublic,
      isListed: row.isPublic,
      isEdited: row.isEdited,
      isDraft: false,
      version: 1,
      createdAt,
      contentEditedAt: createdAt,
      updatedAt: createdAt,
    });
    const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0);
    const [views, reads, shares] = ['views', 'reads', 'shares'].map((name) => count(row.stats[`${name}Count`]));
    const day = now.toISOString().slice(0, 10);
    if (views! + reads! + shares! > 0)
      days.set(`${hex(row._id)}:${day}`, { views, reads, shares, visitorReads: reads, visitorShares: shares, day });
  }
  for (const row of source.users!) {
    const featured = row.featuredItems
      .filter(({ itemType, itemId }: Document) => itemType === 'Post' && posts.get(hex(itemId))?.isListed)
      .filter(({ itemId }: Document) => posts.get(hex(itemId))!.authorId === hex(row._id))
      .map(({ itemId }: Document) => hex(itemId));
    users.get(hex(row._id))!.featured = [...new Set(featured)].slice(0, 8);
  }

  const all = byId(source.comments!);
  const isTaken = (row: Document | undefined): row is Document =>
    row !== undefined && posts.has(hex(row.postId)) && users.has(hex(row.authorId)) && row.content !== '';
  const parentOf = (row: Document): Document | undefined => {
    const parent = all.get(hex(row.parentId));
    return isTaken(parent) && hex(parent.postId) === hex(row.postId) ? parent : undefined;
  };
  const comments = new Map<string, Document>();
  for (const row of source.comments!.filter(isTaken)) {
    const path: string[] = [];
    const isTop = (at: Document): boolean => {
      // The least id of a circle is at its top.
      const ring = new Set<Document>();
      let walk: Document | undefined = at;
      while (walk !== undefined && !ring.has(walk)) {
        ring.add(walk);
        walk = parentOf(walk);
      }
      return walk === undefined
        ? parentOf(at) === undefined
        : walk === at && hex(at._id) === [...ring].map(({ _id }) => hex(_id)).sort()[0];
    };
    for (let at = row; !isTop(at);) {
      at = parentOf(at)!;
      path.unshift(hex(at._id));
    }
    const ancestors = path.slice(0, 30);
    comments.set(hex(row._id), {
      postId: hex(row.postId),
      ancestors,
      parentId: ancestors.at(-1) ?? 'none',
      content: row.content.trim().slice(0, 10_000).trim(),
      isEdited: row.updatedAt - row.createdAt > 1_000,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    });
  }

  const collections = new Map<string, Document>();
  for (const row of source.collections!) {
    if (!users.has(hex(row.authorId))) continue;
    const items = [...new Set<string>(row.posts.map(hex))].filter((post) => posts.has(post));
    const { createdAt, isPrivate } = row;
    const title = row.title.slice(0, 100);
    const description = row.description.slice(0, 500);
    collections.set(hex(row._id), {
      title,
      description,
      isPublic: !isPrivate,
      tags: tags(row.tags, 5),
      createdAt,
      items,
    });
  }

  const targets: ExpectedRows = { Post: posts, Comment: comments, Collection: collections };
  const interactions = new Map<string, Document>();
  for (const row of source.interactions!) {
    const isSave = row.type === 'save';
    if (!users.has(hex(row.userId)) || !targets[row.targetModel]?.has(hex(row.targetId))) continue;
    if (isSave && row.targetModel !== 'Post') continue;
    const key = hex(row.userId) + (isSave ? '02' : '01') + hex(row.targetId);
    const { targetModel, createdAt } = row;
    const held = interactions.get(key);
    if (held !== undefined && held.createdAt > createdAt) continue;
    interactions.set(key, { targetModel, value: isSave ? null : row.type, createdAt, seq: seq(createdAt, row) });
  }
  const follows = new Map<string, Document>();
  for (const row of source.follows!) {
    const [follower, followed] = [hex(row.followerId), hex(row.followingId)];
    if (follower === followed || !users.has(follower) || !users.has(followed)) continue;
    follows.set(follower + followed, { since: row.since, seq: seq(row.since, row) });
  }
  return { users, credentials, posts, post_event_days: days, comments, collections, interactions, follows };
}
