import type { Binary, ObjectId } from 'mongodb';
import type { CredentialRow } from '../../src/auth/credential.schema.js';
import type { CollectionItemRow, CollectionRow, PostSeriesRow } from '../../src/collections/collection-row.js';
import type { CommentRow } from '../../src/comments/comment.schema.js';
import type { DraftRow } from '../../src/drafts/draft.schema.js';
import type { ExportRow } from '../../src/exports/export.schema.js';
import type { FollowRow } from '../../src/follows/follow.schema.js';
import type { InteractionRow } from '../../src/interactions/interaction.schema.js';
import type { MediaRefRow } from '../../src/media/media-ref.schema.js';
import type { MediaRow } from '../../src/media/media.schema.js';
import type { PostEventDayRow } from '../../src/views/post-event.schema.js';
import type { PostBodyRow, PostRow } from '../../src/posts/post-row.js';
import type { RevisionRow } from '../../src/revisions/revision.schema.js';
import type { UserRow } from '../../src/users/user-row.js';

/** A dataset holds the server's own rows, with every field that a present version writes. */
export type UserDocument = Required<UserRow>;
export type CredentialDocument = Required<CredentialRow>;
/** A dataset has no texts from elsewhere. */
export type PostDocument = Required<Omit<PostRow, 'canonicalUrl'>>;
export type PostBodyDocument = Required<PostBodyRow>;
export type CommentDocument = CommentRow;
export type CollectionDocument = CollectionRow;
export type CollectionItemDocument = CollectionItemRow;
export type PostSeriesDocument = PostSeriesRow;
export type FollowDocument = FollowRow;
export type InteractionDocument = InteractionRow;
export type PostEventDayDocument = Required<PostEventDayRow>;

export interface ScoreEpochDocument {
  _id: 'posts';
  epoch: number;
  slot: 'A' | 'B';
  scoredAt: Date;
}

/** Of GridFS, as `BlobStore` writes it. */
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
  interactions: InteractionDocument;
  post_event_days: PostEventDayDocument;
  collections: CollectionDocument;
  collection_items: CollectionItemDocument;
  post_series: PostSeriesDocument;
  score_epochs: ScoreEpochDocument;
  revisions: RevisionRow;
  drafts: DraftRow;
  media: MediaRow;
  media_refs: MediaRefRow;
  'media.files': MediaFileDocument;
  'media.chunks': MediaChunkDocument;
  exports: ExportRow;
}
export type CollectionName = keyof DatasetCollections;

/** Increment whenever the documents of a dataset change their shape, so that an older stored dataset is not reused. */
export const SHAPE = 11;

/** Stands in the collection `dataset` while and after a database is filled. */
export interface DatasetDocument {
  _id: 'seed';
  state: 'loading' | 'complete';
  profile: string;
  /** SHAPE of the code that made it */
  shape: number;
  seed: number;
  counts: Record<CollectionName, number>;
  /** The moment the dataset is seen from, which is not when it was loaded. */
  now: Date;
  seededAt: Date;
}

/** Some documents of one collection, ready to be stored. */
export type Batch = {
  [Name in CollectionName]: { collection: Name; documents: DatasetCollections[Name][] };
}[CollectionName];
