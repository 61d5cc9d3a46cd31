import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const TAGS = 'tags';
export const MAX_DESCRIPTION = 300;
export const BY_TREND = { trend: -1, _id: -1 } as const;

const counter = { type: Number, required: true, min: 0, default: 0 };

/** A tag that a post has, that an account follows, or that moderators changed. All other tags have no row. */
@Schema(schemaOptions(TAGS))
export class Tag {
  /** the tag */
  @Prop({ type: String, required: true }) _id!: string;
  /** public posts with the tag, as of the last count (TagCountsJob) */
  @Prop(counter) postsCount!: number;
  /** how much more it is used than before; 0: it does not rise */
  @Prop({ type: Number, required: true, min: 0, default: 0 }) trend!: number;
  /** exact */
  @Prop(counter) followersCount!: number;
  @Prop({ type: String, default: '' }) description!: string;
  /** the tag that takes its place; never an alias */
  @Prop({ type: String, default: null }) aliasOf!: string | null;
  /** lists of tags omit it */
  @Prop({ required: true }) isHidden!: boolean;
}

export const TagSchema = SchemaFactory.createForClass(Tag);
// GET /tags?sort=popular; counts of tags without posts
TagSchema.index({ postsCount: -1, _id: -1 });
// GET /tags?sort=trending
TagSchema.index(BY_TREND, { partialFilterExpression: { trend: { $gt: 0 } } });
// aliases of a tag
TagSchema.index({ aliasOf: 1 }, { partialFilterExpression: { aliasOf: { $type: 'string' } } });

const count = { bsonType: ['int', 'long'], minimum: 0 };
declareValidator(
  TagSchema,
  exactShape(TagSchema, {
    postsCount: count,
    followersCount: count,
    trend: { bsonType: 'number', minimum: 0 },
    aliasOf: { bsonType: ['string', 'null'] },
  }),
);
