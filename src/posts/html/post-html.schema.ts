import { Binary, type ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { filesUrl } from '../../common/own-files.js';
import { schemaOptions } from '../../platform/mongo/schema-options.js';
import type { EncodedPost } from '../../rendering/rendered-html.js';

/** Increment with every change of the renderer, so that reads render stored HTML of an earlier version again. */
export const RENDERER = 5;

/** The HTML of a post under its id: the compressed JSON response, and the form for feeds. The next read rewrites a missing row. */
@Schema(schemaOptions('post_html'))
export class PostHtml {
  @Prop({ type: SchemaTypes.ObjectId, required: true }) _id!: ObjectId;
  @Prop({ required: true }) renderer!: number;
  /** of the post */
  @Prop({ required: true }) version!: number;
  @Prop({ type: String, required: true, enum: ['zstd'] }) codec!: 'zstd';
  @Prop({ required: true, min: 1 }) rawLength!: number;
  @Prop({ type: Buffer, required: true }) bytes!: Binary;
  /** null: too long for a feed */
  @Prop({ type: { _id: false, rawLength: { type: Number, required: true }, bytes: { type: Buffer, required: true } } })
  feed!: { rawLength: number; bytes: Binary } | null;
  /** URL prefix of the author's images in the HTML, null without images; a different prefix requires a new rendering */
  @Prop({ type: String }) filesUrl?: string | null;
}

export const PostHtmlSchema = SchemaFactory.createForClass(PostHtml);

export function htmlRow(_id: ObjectId, version: number, { html, feed, hasOwnImages }: EncodedPost): PostHtml {
  const { codec, rawLength, bytes } = html.stored;
  return {
    ...{ _id, renderer: RENDERER, version, codec, rawLength, bytes: new Binary(bytes) },
    filesUrl: hasOwnImages ? filesUrl() : null,
    feed: feed && { rawLength: feed.rawLength, bytes: new Binary(feed.bytes) },
  };
}
