import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import type { ActorRange } from '../activity/actor-range.js';
import { type ListFilter, NO_FILTER } from '../blocks/list-filter.js';
import { itemRange } from '../collections/item-range.js';
import { CollectionsService } from '../collections/collections.service.js';
import { commentMentioning, commentRange, replyRange } from '../comments/comment-range.js';
import { CommentsService } from '../comments/comments.service.js';
import { uniqueIds } from '../common/unique-ids.js';
import { DraftsService } from '../drafts/drafts.service.js';
import { followRange } from '../follows/follow-range.js';
import { likeRange } from '../interactions/like-range.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import type { LoggedAction } from '../moderation/moderation-log.service.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { postMentioning } from '../posts/mention-range.js';
import { PostsService } from '../posts/posts.service.js';
import { CasesService, type ListedCase } from '../reports/cases.service.js';
import { UsersService } from '../users/users.service.js';
import type { NotificationDto, NotifiedActionDto, NotifiedCaseDto } from './dto/notification.dto.js';
import { encodeId, type NotificationKind, rangeOf, targetOf } from './notification-id.js';
import type { Notification } from './notification.schema.js';

export const MAX_COUNTED = 100;
const MAX_ACTORS = 3;
/** maximum number of ranges in one aggregation */
const MAX_RANGES = 50;
/** about the account itself */
const WITHOUT_ACTORS: ReadonlySet<NotificationKind> = new Set([
  ...(['draft_published', 'draft_failed', 'moderation', 'case'] as const),
]);

type Row = { actor?: ObjectId; row: ObjectId };
type Group = {
  notification: Notification;
  targetId: ObjectId;
  rows: Row[];
  /** hex ids of the accounts of the rows, latest first */
  actorIds: string[];
  isCapped: boolean;
};
/** A count reads only the first rows of groups, because it needs no accounts. */
const FIRST_ROWS = 10;
/** a notification without the fields that depend on the read mark */
export type NotificationContent = Omit<NotificationDto, 'isRead'>;

const hex = (id: ObjectId): string => id.toHexString();

/** Reads the accounts and counts of groups from the current rows, so that undone, deleted and hidden actions do not appear. */
@Injectable()
export class NotificationContentsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly collections: CollectionsService,
    private readonly drafts: DraftsService,
    private readonly history: ModerationHistoryService,
    private readonly cases: CasesService,
    private readonly users: UsersService,
  ) {}

  /**
   * Returns the contents in the order of the groups, without hidden accounts. An item is null while no rows are left, the viewer may not
   * read the target, or the filter hides it.
   */
  async read(
    notifications: Notification[],
    viewer: Viewer,
    filter: ListFilter,
  ): Promise<(NotificationContent | null)[]> {
    return this.readRows(notifications, viewer, filter, () => MAX_COUNTED + 1);
  }

  /** Whether `read` returns a content, in the order of the groups. */
  async areShown(notifications: Notification[], viewer: Viewer, filter: ListFilter): Promise<boolean[]> {
    // A filter, or the visibility of collections, may hide any number of the first rows.
    const rowsOf = (kind: NotificationKind): number =>
      filter === NO_FILTER && kind !== 'collected' ? FIRST_ROWS : MAX_COUNTED + 1;
    const shown = (await this.readRows(notifications, viewer, filter, rowsOf)).map((content) => content !== null);
    if (filter !== NO_FILTER) return shown;
    // Limited accounts may have all of the first rows.
    const others = notifications.filter((_, at) => !shown[at]);
    const contents = await this.read(others, viewer, filter);
    const found = new Set(others.filter((_, at) => contents[at] !== null));
    return notifications.map((notification, at) => shown[at] || found.has(notification));
  }

  private async readRows(
    notifications: Notification[],
    viewer: Viewer,
    filter: ListFilter,
    rowsOf: (kind: NotificationKind) => number,
  ): Promise<(NotificationContent | null)[]> {
    if (notifications.length === 0) return [];
    const groups = notifications.map((notification): Group => {
      const none = { rows: [], actorIds: [], isCapped: false };
      return { notification, targetId: targetOf(notification._id), ...none };
    });
    const ofKinds = (...kinds: NotificationKind[]): Group[] =>
      groups.filter(({ notification }) => kinds.includes(notification.kind));
    const targets = (of: Group[]): ObjectId[] => uniqueIds(of.map(({ targetId }) => targetId));
    const onComments = groups.filter(isOnComment);
    const onPosts = ofKinds(
      'comment',
      'watched',
      'thread',
      'like_post',
      'collected',
      'new_post',
      'draft_published',
      'mention',
    ).filter((group) => !isOnComment(group));
    const failed = targets(ofKinds('draft_failed'));
    const above = onComments.map(({ notification }) => notification.postId!);
    const [posts, drafts, actions, openCases] = await Promise.all([
      this.posts.findSummaries(uniqueIds([...targets(onPosts), ...above]), viewer),
      this.drafts.findFailed(failed, viewer._id),
      this.history.findByIds(targets(ofKinds('moderation'))),
      hasRole(viewer, 'moderator') ? this.cases.findOpen(targets(ofKinds('case'))) : [],
      this.readRanges(groups, rowsOf),
    ]);
    const cases = new Map(openCases.map((row) => [hex(row.targetId), row]));
    const held = ofKinds('collected').flatMap(({ rows }) => rows.map(({ row }) => row));
    const collections = await this.collections.findVisible(uniqueIds(held), viewer);
    const ownerOf = ({ row }: Row): string | undefined => {
      const collection = collections.get(hex(row));
      return collection?.isPublic ? collection.owner.id : undefined;
    };
    const actorOf = (row: Row): string | undefined => (row.actor === undefined ? ownerOf(row) : hex(row.actor));
    const acted = groups.flatMap(({ rows }) => rows.flatMap((row) => actorOf(row) ?? []));
    const authors = ofKinds('new_post').flatMap(({ targetId }) => posts.get(hex(targetId))?.author.id ?? []);
    const ids = [...new Set([...acted, ...authors])].map((id) => ObjectId.createFromHexString(id));
    // Without deleted, limited and banned accounts
    const actors = await this.users.findListedAuthors(ids);
    for (const group of groups) {
      group.rows = group.rows.filter((row) => {
        const actor = actorOf(row);
        return actor !== undefined && actor !== viewer.id && actors.has(actor) && !filter.hidesAccount(actor);
      });
      group.actorIds = [...new Set(group.rows.map((row) => actorOf(row)!))];
    }

    const threads = ofKinds('comment', 'watched', 'reply', 'thread');
    const latestOf = threads.flatMap(({ rows }) => rows.slice(0, 1).map(({ row }) => row));
    const texts = await this.comments.findOn(posts, uniqueIds([...latestOf, ...targets(onComments)]));
    const comments = new Map(texts.map((comment) => [comment.id, comment]));
    const visible = await this.comments.visibleTexts(filter, () => texts.map(({ content }) => content ?? ''));

    return groups.map((group) => {
      const { notification, targetId, rows, actorIds, isCapped } = group;
      const { _id, kind, postId, createdAt, updatedAt } = notification;
      const own = isOnComment(group) ? comments.get(hex(targetId)) : undefined;
      if (isOnComment(group) && (own === undefined || own.isDeleted)) return null;
      const post = onPosts.includes(group) || postId !== null ? posts.get(hex(postId ?? targetId)) : null;
      if (post === undefined || (post !== null && filter.filterCard(post) === null)) return null;
      const draft = kind === 'draft_failed' ? drafts.get(hex(targetId)) : null;
      const action = kind === 'moderation' ? actions.get(hex(targetId)) : null;
      const report = kind === 'case' ? cases.get(hex(targetId)) : null;
      if (draft === undefined || action === undefined || report === undefined) return null;
      const latest = rows[0];
      const comment = threads.includes(group) ? latest && comments.get(hex(latest.row)) : own;
      const collection = kind === 'collected' && latest ? collections.get(hex(latest.row)) : undefined;
      const isByAuthor = kind === 'new_post';
      // A post that was public when the author announced it may be unlisted now.
      if (isByAuthor && !post!.isPublic) return null;
      const shown = isByAuthor ? [post!.author.id] : actorIds.slice(0, MAX_ACTORS);
      const found = shown.flatMap((id) => actors.get(id) ?? []);
      if (found.length === 0 && !WITHOUT_ACTORS.has(kind)) return null;
      if (threads.includes(group) && comment === undefined) return null;
      const content = comment?.content ?? '';
      const seen = visible.get(content) ?? content;
      if (comment?.author && filter.filterComment(comment.author.id, seen) === 'hidden') return null;
      return {
        id: encodeId(_id),
        kind,
        post: post && { id: post.id, slug: post.slug, title: post.title },
        comment: comment === undefined ? null : { id: comment.id, content },
        collection: collection ? { id: collection.id, slug: collection.slug, title: collection.title } : null,
        draft: draft && { id: hex(draft._id), title: draft.title, failure: draft.failure ?? '' },
        action: action && toNotifiedAction(action),
        case: report && toNotifiedCase(report),
        actors: found,
        actorsCount: Math.min(isByAuthor ? 1 : actorIds.length, MAX_COUNTED),
        isCapped,
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      };
    });
  }

  /** Reads the latest rows of each group, with one query per MAX_RANGES groups. */
  private async readRanges(groups: Group[], rowsOf: (kind: NotificationKind) => number): Promise<void> {
    const ranges = groups.flatMap((group) => {
      const range = rangeFor(group);
      return range === null ? [] : [{ group, range, limit: rowsOf(group.notification.kind) }];
    });
    const reads: Promise<void>[] = [];
    for (let from = 0; from < ranges.length; from += MAX_RANGES)
      reads.push(this.readTogether(ranges.slice(from, from + MAX_RANGES)));
    await Promise.all(reads);
  }

  private async readTogether(ranges: { group: Group; range: ActorRange; limit: number }[]): Promise<void> {
    const [first, ...others] = ranges.map(({ range, limit }, at) => {
      const { collection: coll, filter, sort, actor, row } = range;
      const fields = actor === null ? { row } : { actor, row };
      const rows = { $push: fields };
      return {
        coll,
        pipeline: [{ $match: filter }, { $sort: sort }, { $limit: limit }, { $group: { _id: at, rows } }],
      };
    });
    const pipeline = [...first!.pipeline, ...others.map(($unionWith) => ({ $unionWith }))];
    const found = this.mongo.db.collection(first!.coll).aggregate<{ _id: number; rows: Row[] }>(pipeline);
    for await (const { _id, rows } of found) {
      const { group } = ranges[_id]!;
      group.isCapped = rows.length > MAX_COUNTED;
      group.rows = rows;
    }
  }
}

/** Whether the target of the group is a comment. */
function isOnComment({ notification }: Group): boolean {
  return notification.postId !== null;
}

/** Returns null for kinds that do not list actors, such as a new post. */
function rangeFor({ notification, targetId }: Group): ActorRange | null {
  const { _id, kind, userId, postId, since } = notification;
  const range = rangeOf(_id, since);
  switch (kind) {
    case 'comment':
    case 'watched':
      return commentRange(targetId, null, range, userId);
    case 'reply':
      return commentRange(postId!, targetId, range, userId);
    case 'thread':
      return replyRange(targetId, range, userId);
    case 'mention':
      return postId === null ? postMentioning(userId, targetId) : commentMentioning(userId, targetId);
    case 'like_post':
    case 'like_comment':
      return likeRange(targetId, range, userId);
    case 'follow':
      return followRange(targetId, range);
    case 'collected':
      return itemRange(targetId, range);
    case 'new_post':
    case 'draft_published':
    case 'draft_failed':
    case 'moderation':
    case 'case':
      return null;
  }
}

function toNotifiedCase({ _id: id, targetKind, targetId, title, reportsCount }: ListedCase): NotifiedCaseDto {
  return { id, targetKind, targetId: hex(targetId), title, reportsCount };
}

function toNotifiedAction({ _id, kind, targetKind, targetId, publicReason, until }: LoggedAction): NotifiedActionDto {
  return { id: hex(_id), kind, targetKind, targetId: hex(targetId), publicReason, until: until?.toISOString() ?? null };
}
