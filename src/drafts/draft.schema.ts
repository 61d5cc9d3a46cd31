import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { namedValues } from '../common/named-values.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { VISIBILITIES, type Visibility } from '../posts/post-types.js';
import { StoredText } from '../revisions/stored-text.js';

/** `trashed`: the text of a post that its author deleted */
export const DRAFT_STATES = namedValues('DraftState', ['open', 'scheduled', 'failed', 'trashed']);
export type DraftState = (typeof DRAFT_STATES)[number];

/** Anyone with the link may read the draft until `expiresAt`. */
@Schema({ _id: false })
export class DraftShare {
  @Prop({ type: SchemaTypes.Buffer }) keyHash!: Binary;
  @Prop() expiresAt!: Date;
}

/** An unpublished text: a new post, an edit of a post, or a deleted post. */
@Schema(schemaOptions('drafts'))
export class Draft extends StoredText {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) authorId!: ObjectId;
  /** the post whose text the draft replaces; null for a new post */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) postId!: ObjectId | null;
  /** increments with every save; the first part of the ETag */
  @Prop({ required: true, min: 1 }) version!: number;
  @Prop({ type: String, required: true, enum: DRAFT_STATES }) state!: DraftState;
  /** scheduled time, by the clock of the database */
  @Prop({ type: Date, default: null }) publishAt!: Date | null;
  /** error code of a failed scheduled publication */
  @Prop({ type: String, default: null }) failure!: string | null;
  @Prop({ type: DraftShare, default: null }) share!: DraftShare | null;
  @Prop({ required: true }) createdAt!: Date;
  /** time of the last save, or of the deletion of the post */
  @Prop({ required: true }) updatedAt!: Date;
  /** of the post when it is published again, or for the first time; null or absent: the default */
  @Prop({ type: String, enum: [...VISIBILITIES, null], default: null }) visibility?: Visibility | null;
  /** of a deleted post: the post still has its rows, under the id of the draft; absent if only the draft has its text */
  @Prop({ type: Boolean }) hasPost?: boolean;
  /** the import of an archive that made the draft; absent in other drafts */
  @Prop({ type: SchemaTypes.ObjectId }) importId?: ObjectId;
  /** of an imported draft: the id that its post will have, which links of other imported posts may name already */
  @Prop({ type: SchemaTypes.ObjectId }) reservedId?: ObjectId;
  /** of an imported draft: when its text was published elsewhere; absent if it was not */
  @Prop({ type: Date }) importedAt?: Date;
}

export const DraftSchema = SchemaFactory.createForClass(Draft);

/**
 * DraftsService.list: drafts or deleted posts of an author, last saved first; at most 1,000 keys, of which the state selects.
 * DraftsSubscriber: all drafts of an author
 */
export const OF_AUTHOR = { authorId: 1, updatedAt: -1, _id: -1, state: 1 } as const;
DraftSchema.index(OF_AUTHOR);
// A post has at most one draft. DraftsSubscriber: the draft of a deleted post.
DraftSchema.index({ postId: 1 }, { unique: true, partialFilterExpression: { postId: { $type: 'objectId' } } });
// DraftSharingService: the draft of a share key
DraftSchema.index(
  { 'share.keyHash': 1 },
  { unique: true, partialFilterExpression: { 'share.keyHash': { $exists: true } } },
);
// ImportedDraftsService: the imported drafts of an author, and those of one import, first published first
export const OF_IMPORT = { authorId: 1, importId: 1, importedAt: 1, _id: 1 } as const;
DraftSchema.index(OF_IMPORT, { partialFilterExpression: { importId: { $exists: true } } });
