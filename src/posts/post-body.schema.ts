import { Binary, type ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import type { CompressedBody } from '../rendering/body-codec.js';

export const BODY_FIELDS = { codec: 1, rawLength: 1, bytes: 1 } as const;

/** The Markdown of a post, compressed once per write. Reads use the post's id only, so the collection needs no other index. */
@Schema(schemaOptions('post_bodies'))
export class PostBody {
  @Prop({ type: SchemaTypes.ObjectId, required: true }) _id!: ObjectId;
  @Prop({ type: String, required: true, enum: ['zstd'] }) codec!: 'zstd';
  @Prop({ required: true, min: 1 }) rawLength!: number;
  @Prop({ type: Buffer, required: true }) bytes!: Binary;
  /** the visible text, as compressed JSON */
  @Prop({
    required: true,
    type: { _id: false, rawLength: { type: Number, required: true, min: 1 }, bytes: { type: Buffer, required: true } },
  })
  text!: { rawLength: number; bytes: Binary };
}

/** The Markdown of a post. */
export type PostMarkdown = Pick<PostBody, '_id' | keyof typeof BODY_FIELDS>;

export const PostBodySchema = SchemaFactory.createForClass(PostBody);

export function storedText({ rawLength, bytes }: CompressedBody): PostBody['text'] {
  return { rawLength, bytes: new Binary(bytes) };
}
