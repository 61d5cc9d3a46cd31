import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';

/**
 * The feed's read model over the posts collection: the fields a card is made of, and nothing that is written from here. The posts
 * room owns the collection, its validation and its indexes.
 */
@Schema({ collection: 'posts', strict: 'throw', autoIndex: false, autoCreate: false, versionKey: false })
export class FeedCard {
  _id!: ObjectId;
  @Prop({ type: String }) title!: string;
  @Prop({ type: String }) slug!: string;
  @Prop({ type: String }) type!: string;
  @Prop({ type: [String] }) tags!: string[];
  @Prop({ type: String }) contentPreview!: string;
  @Prop({ type: Number }) readTime!: number;
  @Prop({ type: String }) thumbnailUrl!: string | null;
  @Prop({ type: Boolean }) isPublic!: boolean;
  @Prop({ type: Boolean }) isPremium!: boolean;
  @Prop({ type: Boolean }) isEdited!: boolean;
  @Prop({ type: Object }) authorId!: ObjectId;
  @Prop({ type: Object }) authorSnapshot!: { username: string; fullName: string; profilePicture: string | null };
  @Prop({ type: Object }) stats!: Record<string, number>;
  @Prop({ type: Date }) createdAt!: Date;
  @Prop({ type: Date }) updatedAt!: Date;
}

export const FeedCardSchema = SchemaFactory.createForClass(FeedCard);

const CARD_PROJECTION = Object.fromEntries(Object.keys(FeedCardSchema.paths).map((path) => [path, 1 as const]));
const projections = new Map<string | null, Record<string, 1>>();

/** The named projection of every feed read; `rankPath` adds the number the page is ordered by. */
export function feedProjection(rankPath: string | null): Record<string, 1> {
  let projection = projections.get(rankPath);
  if (projection === undefined) {
    projection = rankPath === null ? CARD_PROJECTION : { ...CARD_PROJECTION, [rankPath]: 1 as const };
    projections.set(rankPath, projection);
  }
  return projection;
}
