import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { NOTIFICATION_KINDS, type NotificationKind } from './notification-kinds.js';
import type { NotificationSettings } from './notification-settings.js';

export const NOTIFICATIONS = 'notifications';
export const STATES = 'notification_states';

/** `none`: the read mark of the account (`readSeq`) applies. */
export const OWN_MARKS = ['none', 'read', 'unread'] as const;

/** indexes of the lists: all, by kind, unread */
export const LATEST = { userId: 1, seq: -1 } as const;
export const LATEST_OF_KIND = { userId: 1, kind: 1, seq: -1 } as const;
export const UNREAD = { userId: 1, ownMark: 1, seq: -1 } as const;

const id = { type: SchemaTypes.ObjectId, required: true };

/** A group of notifications by user, kind, target and day. Stores no accounts or counts; pages read these from the source rows. */
@Schema(schemaOptions(NOTIFICATIONS))
export class Notification {
  /** notificationId(…) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(id) userId!: ObjectId;
  @Prop({ type: String, enum: NOTIFICATION_KINDS, required: true }) kind!: NotificationKind;
  /** the post of a comment; null for other targets */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) postId!: ObjectId | null;
  /** replaced with every addition; the sort key of lists */
  @Prop(id) seq!: ObjectId;
  /** the id of the first counted row, or `idAt` of its time */
  @Prop(id) since!: ObjectId;
  @Prop({ type: String, enum: OWN_MARKS, required: true }) ownMark!: (typeof OWN_MARKS)[number];
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) updatedAt!: Date;
  @Prop({ required: true }) expiresAt!: Date;
}

export const NotificationSchema = SchemaFactory.createForClass(Notification);
// GET /notifications
NotificationSchema.index(LATEST);
// GET /notifications?kind=
NotificationSchema.index(LATEST_OF_KIND);
// GET /notifications?unread=true, GET /notifications/unread-count
NotificationSchema.index(UNREAD);
// TTL: MongoDB deletes expired rows
NotificationSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

declareValidator(NotificationSchema, exactShape(NotificationSchema, { postId: { bsonType: ['objectId', 'null'] } }));

/** The read mark and the notification settings of an account. */
@Schema(schemaOptions(STATES))
export class NotificationState {
  /** id of the account */
  @Prop(id) _id!: ObjectId;
  /** all groups up to this `seq` are read */
  @Prop({ type: SchemaTypes.ObjectId }) readSeq?: ObjectId;
  /** only settings that differ from the defaults */
  @Prop({ type: SchemaTypes.Mixed }) settings?: Partial<NotificationSettings>;
  /** absent when digests are off */
  @Prop({ type: Date }) nextDigestAt?: Date;
  /** `day`: days since 1970 (UTC) of the last mention that notified. `count`: such mentions on that day. */
  @Prop({ type: { _id: false, day: Number, count: Number } }) mentions?: { day: number; count: number };
}

export const NotificationStateSchema = SchemaFactory.createForClass(NotificationState);
// DigestJob: due digests
NotificationStateSchema.index({ nextDigestAt: 1 }, { partialFilterExpression: { nextDigestAt: { $type: 'date' } } });
