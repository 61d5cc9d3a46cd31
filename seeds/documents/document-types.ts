import type { Dataset } from '../../src/cli/database-state.js';
import type { Binary, ObjectId } from 'mongodb';
import type { Appeal } from '../../src/actions/appeal.schema.js';
import type { User } from '../../src/users/user.schema.js';
import type { Post } from '../../src/posts/post.schema.js';
import type { PostBody } from '../../src/posts/post-body.schema.js';
import type { PostCollection } from '../../src/collections/collection.schema.js';
import type { CollectionItem, PostSeries } from '../../src/collections/collection-item.schema.js';
import type { Credential } from '../../src/auth/credential.schema.js';
import type { Comment } from '../../src/comments/comment.schema.js';
import type { Draft } from '../../src/drafts/draft.schema.js';
import type { Export } from '../../src/exports/export.schema.js';
import type { ArchiveImport } from '../../src/imports/import.schema.js';
import type { Follow } from '../../src/follows/follow.schema.js';
import type { Interaction } from '../../src/interactions/interaction.schema.js';
import type { MediaRef } from '../../src/media/media-ref.schema.js';
import type { Media } from '../../src/media/media.schema.js';
import type { ModerationAction } from '../../src/moderation/moderation-action.schema.js';
import type { Notification } from '../../src/notifications/notification.schema.js';
import type { AuthorDay } from '../../src/views/author-day.schema.js';
import type { PostEventDay } from '../../src/views/post-event.schema.js';
import type { Report, ReportCase } from '../../src/reports/report.schema.js';
import type { ContentRule, RuleHits } from '../../src/rules/content-rule.schema.js';
import type { Revision } from '../../src/revisions/revision.schema.js';
import type { TagFollow } from '../../src/tags/tag-follow.schema.js';
import type { StoredFeedList } from '../../src/ranking/feed-list.schema.js';
import type { Webhook, WebhookDelivery } from '../../src/webhooks/webhook.schema.js';

/** A dataset holds the server's own rows, with every field that a present version writes. A dataset has no blocks. */
export type UserDocument = Required<Omit<User, 'lastBlockId' | 'standing'>>;
export type CredentialDocument = Required<Credential>;
/** A dataset has no texts from elsewhere. */
export type PostDocument = Required<Omit<Post, 'canonicalUrl' | 'isUnlisted' | 'removal'>>;
export type PostBodyDocument = Required<PostBody>;
export type CommentDocument = Comment;
export type CollectionDocument = PostCollection;
export type CollectionItemDocument = CollectionItem;
export type PostSeriesDocument = PostSeries;
export type FollowDocument = Follow;
export type InteractionDocument = Interaction;
/** A dataset has no months. */
export type PostEventDayDocument = Required<Omit<PostEventDay, 'month'>>;
export type AuthorDayDocument = Required<Omit<AuthorDay, 'month'>>;

export interface ScoreEpochDocument {
  _id: 'posts';
  epoch: number;
  slot: 'A' | 'B';
  scoredAt: Date;
}

/** GridFS documents, as `BlobStore` writes them. */
export type MediaFileDocument = { _id: string; length: number; chunkSize: number; uploadDate: Date; filename: string };
export type MediaChunkDocument = { _id: ObjectId; files_id: string; n: number; data: Binary };

/** The collections of a dataset, with the types of their documents. */
export interface DatasetCollections {
  users: UserDocument;
  credentials: CredentialDocument;
  posts: PostDocument;
  post_bodies: PostBodyDocument;
  comments: CommentDocument;
  follows: FollowDocument;
  tag_follows: TagFollow;
  interactions: InteractionDocument;
  post_event_days: PostEventDayDocument;
  author_days: AuthorDayDocument;
  collections: CollectionDocument;
  collection_items: CollectionItemDocument;
  post_series: PostSeriesDocument;
  score_epochs: ScoreEpochDocument;
  feed_lists: StoredFeedList;
  revisions: Revision;
  drafts: Draft;
  media: Media;
  media_refs: MediaRef;
  'media.files': MediaFileDocument;
  'media.chunks': MediaChunkDocument;
  exports: Export;
  archive_imports: ArchiveImport;
  notifications: Notification;
  webhooks: Webhook;
  webhook_deliveries: WebhookDelivery;
  reports: Report;
  report_cases: ReportCase;
  moderation_actions: ModerationAction;
  appeals: Appeal;
  content_rules: ContentRule;
  content_rule_hits: RuleHits;
}
export type CollectionName = keyof DatasetCollections;

/** Increment this number whenever the documents change their shape, so that an older stored dataset is not reused. */
export const SHAPE = 18;

/** The document of the collection `dataset` while and after a database is filled. */
export interface DatasetDocument extends Dataset {
  /** SHAPE of the code that made the dataset. */
  shape: number;
  counts: Record<CollectionName, number>;
  /** Present moment of the dataset, which is not the time of the load. */
  now: Date;
  seededAt: Date;
}

/** Documents of one collection, ready to be stored. */
export type Batch = {
  [Name in CollectionName]: { collection: Name; documents: DatasetCollections[Name][] };
}[CollectionName];
