import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CollectionsService } from '../collections/collections.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { uniqueIds } from '../common/unique-ids.js';
import { MediaModeration } from '../media/media-moderation.service.js';
import { plainTexts, RemovedTexts, type StoredTexts } from '../moderation/removed-texts.service.js';
import type { Viewer } from '../platform/auth/viewer.js';
import { PostsService } from '../posts/posts.service.js';
import { canSee } from '../posts/visibility.js';
import type { AuthorJson } from '../users/author-snapshot.js';
import { UsersService } from '../users/users.service.js';
import type { ReportTargetKind } from './report-rules.js';

/** characters of a text */
export const MAX_EXCERPT = 500;

/** What lists of moderators show of a target now. */
export type TargetSummary = {
  title: string;
  /** the beginning of the text */
  excerpt: string;
  /** the post, or the post of the comment */
  post: { id: string; slug: string; title: string } | null;
};

type Target = { targetKind: string; targetId: ObjectId };

/** Targets of two kinds may have one id. */
export function summaryKey({ targetKind, targetId }: Target): string {
  return `${targetKind} ${targetId.toHexString()}`;
}

/** Reads the names and texts for the lists of moderators: one read of each kind per page. */
@Injectable()
export class TargetSummaries {
  constructor(
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly collections: CollectionsService,
    private readonly media: MediaModeration,
    private readonly texts: RemovedTexts,
    private readonly users: UsersService,
  ) {}

  /** Returns the existing targets by `summaryKey`. Removed content has its text. */
  async find(targets: readonly Target[], viewer: Viewer): Promise<Map<string, TargetSummary>> {
    const idsOf = (kind: ReportTargetKind): ObjectId[] =>
      uniqueIds(targets.flatMap(({ targetKind, targetId }) => (targetKind === kind ? [targetId] : [])));
    const notes = idsOf('note');
    const [comments, collections, users, media, removed] = await Promise.all([
      this.comments.findByIds(idsOf('comment'), viewer),
      this.collections.findVisible(uniqueIds([...idsOf('collection'), ...notes]), viewer),
      this.users.findUsers(uniqueIds([...idsOf('user'), ...idsOf('profile')])),
      this.media.findRows(idsOf('media')),
      this.texts.findOf([...notes, ...idsOf('profile')]),
    ]);
    const postIds = [...idsOf('post'), ...comments.map(({ postId }) => ObjectId.createFromHexString(postId))];
    const cards = await this.posts.findCards(uniqueIds(postIds), viewer, canSee);
    const found = new Map<string, TargetSummary>();
    const posts = new Map(cards.map(({ id, slug, title }) => [id, { id, slug, title }]));
    for (const { id, title, contentPreview } of cards)
      found.set(`post ${id}`, { title, excerpt: beginningOf(contentPreview), post: posts.get(id)! });
    for (const { id, content, postId } of comments) {
      if (content === null) continue;
      const post = posts.get(postId) ?? null;
      found.set(`comment ${id}`, { title: post?.title ?? '', excerpt: beginningOf(content), post });
    }
    const textOf = (row: StoredTexts): string =>
      plainTexts(row)
        .map(({ text }) => text)
        .join('\n');
    // The latest removal of a target comes first in the list, so it must be the last in the map.
    const removedTexts = new Map(removed.toReversed().map((row) => [summaryKey(row), textOf(row)]));
    for (const [id, { title, description }] of collections) {
      found.set(`collection ${id}`, { title, excerpt: description, post: null });
      found.set(`note ${id}`, { title, excerpt: beginningOf(removedTexts.get(`note ${id}`) ?? ''), post: null });
    }
    for (const { _id, fullName, bio } of users) {
      const id = _id.toHexString();
      found.set(`user ${id}`, { title: fullName, excerpt: beginningOf(bio), post: null });
      found.set(`profile ${id}`, {
        title: fullName,
        excerpt: beginningOf(removedTexts.get(`profile ${id}`) ?? bio),
        post: null,
      });
    }
    for (const { _id, alt } of media) found.set(`media ${_id.toHexString()}`, { title: '', excerpt: alt, post: null });
    return found;
  }

  /** Returns the existing accounts by hex id. */
  names(ids: readonly (ObjectId | null)[]): Promise<Map<string, AuthorJson>> {
    return this.users.findAuthors(uniqueIds(ids.filter((id) => id !== null)));
  }
}

function beginningOf(text: string): string {
  return [...text.slice(0, 2 * MAX_EXCERPT)].slice(0, MAX_EXCERPT).join('');
}
