import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { WATCH_LEVELS, type WatchLevel } from '../follows/subscriptions-port.js';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const POST_WATCHES = 'post_watches';
export const BELLS = 'bells';

const id = { type: SchemaTypes.ObjectId, required: true };

/** Whether an account is notified of all comments of a post, or of none. */
@Schema(schemaOptions(POST_WATCHES))
export class PostWatch {
  /** pairId(user, post) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(id) postId!: ObjectId;
  @Prop({ type: String, enum: WATCH_LEVELS, required: true }) level!: WatchLevel;
}

export const PostWatchSchema = SchemaFactory.createForClass(PostWatch);
// NotificationRecipientsService: watchers of a post; cleanup: all rows of a post
PostWatchSchema.index({ postId: 1, level: 1 });

declareValidator(PostWatchSchema, exactShape(PostWatchSchema));

/** An account that is notified of new posts of another account. */
@Schema(schemaOptions(BELLS))
export class Bell {
  /** pairId(reader, author) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(id) authorId!: ObjectId;
}

export const BellSchema = SchemaFactory.createForClass(Bell);
// NotificationsSubscriber: readers of an author, ordered by id
BellSchema.index({ authorId: 1, _id: 1 });

declareValidator(BellSchema, exactShape(BellSchema));
