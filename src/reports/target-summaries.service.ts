import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CollectionsService } from '../collections/collections.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { uniqueIds } from '../common/unique-ids.js';
import { imageIdsIn } from '../media/file-key.js';
import { MediaModerationService, moderationPath } from '../media/media-moderation.service.js';
import { plainTexts, RemovedTextsService, type StoredTexts } from '../moderation/removed-texts.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { PostSummary } from '../posts/card/post-card.js';
import { PostsService } from '../posts/posts.service.js';
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
  /** path of an image for moderators */
  imagePath: string | null;
};

type Target = { targetKind: string; targetId: ObjectId };

/** Targets of two kinds may have one id. */
export function summaryKey({ targetKind, targetId }: Target): string {
  return `${targetKind} ${targetId.toHexString()}`;
}

/** Reads the names and texts for the lists of moderators: one read of each kind per page. */
@Injectable()
export class TargetSummariesService {
  constructor(
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly collections: CollectionsService,
    private readonly media: MediaModerationService,
    private readonly texts: RemovedTextsService,
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
    const posts = await this.posts.findSummaries(uniqueIds(postIds), viewer);
    const found = new Map<string, TargetSummary>();
    const add = (key: string, title: string, text: string, more: Partial<TargetSummary> = {}): void =>
      void found.set(key, { title, excerpt: beginningOf(text), post: null, imagePath: null, ...more });
    const targetOf = ({ id, slug, title }: PostSummary): TargetSummary['post'] => ({ id, slug, title });
    for (const post of posts.values()) {
      const { id, title, subtitle, contentPreview } = post;
      const text = subtitle === null ? contentPreview : `${subtitle}\n${contentPreview}`;
      add(`post ${id}`, title, text, { post: targetOf(post) });
    }
    for (const { id, content, postId } of comments) {
      const post = posts.get(postId);
      if (content !== null) add(`comment ${id}`, post?.title ?? '', content, { post: post ? targetOf(post) : null });
    }
    // The latest removal of a target comes first in the list, so it must be the last in the map.
    const removals = new Map(removed.toReversed().map((row) => [summaryKey(row), row]));
    for (const [id, { title, description }] of collections) {
      add(`collection ${id}`, title, description);
      add(`note ${id}`, title, textOf(removals.get(`note ${id}`)) ?? '');
    }
    for (const { _id, fullName, bio } of users) {
      const id = _id.toHexString();
      add(`user ${id}`, fullName, bio);
      const removal = removals.get(`profile ${id}`);
      add(`profile ${id}`, fullName, textOf(removal) ?? bio, { imagePath: imagePathOf(removal) });
    }
    for (const { _id, alt } of media)
      add(`media ${_id.toHexString()}`, '', alt, { imagePath: moderationPath(_id.toHexString()) });
    return found;
  }

  /** Returns the existing accounts by hex id. */
  names(ids: readonly (ObjectId | null)[]): Promise<Map<string, AuthorJson>> {
    return this.users.findAuthors(uniqueIds(ids.filter((id) => id !== null)));
  }
}

function textOf(removal: StoredTexts | undefined): string | undefined {
  return (
    removal &&
    plainTexts(removal)
      .map(({ text }) => text)
      .join('\n')
  );
}

/** Returns null if the profile had no uploaded image. */
function imagePathOf(removal: StoredTexts | undefined): string | null {
  const [id] = imageIdsIn([removal?.before['profilePicture'] as string | null | undefined]);
  return id === undefined ? null : moderationPath(id);
}

function beginningOf(text: string): string {
  return [...text.slice(0, 2 * MAX_EXCERPT)].slice(0, MAX_EXCERPT).join('');
}
