import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import type { StoredText } from '../revisions/stored-text.js';

export const DRAFTS = 'drafts';
export const DRAFT_MODEL = 'Draft';

export const DRAFT_STATES = ['open', 'scheduled', 'failed'] as const;
export type DraftState = (typeof DRAFT_STATES)[number];

/** An unpublished text: a new post, or an edit of one. */
export type DraftRow = StoredText & {
  _id: ObjectId;
  authorId: ObjectId;
  /** the post whose text it replaces; null: it becomes a new post */
  postId: ObjectId | null;
  /** increments with every save; the first part of the ETag */
  version: number;
  state: DraftState;
  /** the scheduled time, by the clock of the database */
  publishAt: Date | null;
  /** error code of a failed scheduled publication */
  failure: string | null;
  /** anyone with the link may read it until then */
  share: { keyHash: Binary; expiresAt: Date } | null;
  createdAt: Date;
  /** the last save */
  updatedAt: Date;
};

export const DraftSchema = new Schema<DraftRow>(
  {
    authorId: { type: Schema.Types.ObjectId, required: true },
    postId: { type: Schema.Types.ObjectId, default: null },
    title: { type: String },
    type: { type: String, default: null },
    tags: { type: [String], required: true },
    thumbnailUrl: { type: String, default: null },
    canonicalUrl: { type: String },
    codec: { type: String, required: true },
    rawLength: { type: Number, required: true },
    bytes: { type: Buffer, required: true },
    version: { type: Number, required: true, min: 1 },
    state: { type: String, required: true, enum: DRAFT_STATES },
    publishAt: { type: Date, default: null },
    failure: { type: String, default: null },
    share: {
      type: new Schema({ keyHash: { type: Schema.Types.Buffer }, expiresAt: { type: Date } }, { _id: false }),
      default: null,
    },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  schemaOptions(DRAFTS),
);

/** DraftsService.list: an author's, the last saved first; DraftsSubscriber: all of an author */
export const OF_AUTHOR = { authorId: 1, updatedAt: -1, _id: -1 } as const;
DraftSchema.index(OF_AUTHOR);
// a post has one draft at most; DraftsSubscriber: the draft of a deleted post
DraftSchema.index({ postId: 1 }, { unique: true, partialFilterExpression: { postId: { $type: 'objectId' } } });
// DraftPublisher: due drafts
DraftSchema.index({ publishAt: 1 }, { partialFilterExpression: { state: 'scheduled' } });
// DraftSharing: by the key of the request
DraftSchema.index(
  { 'share.keyHash': 1 },
  { unique: true, partialFilterExpression: { 'share.keyHash': { $exists: true } } },
);
