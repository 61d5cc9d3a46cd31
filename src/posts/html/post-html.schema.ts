import { Binary, type ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';
import type { EncodedPost } from './rendered-html.js';

/** Grows with every change of what is made of a text: HTML of an earlier one is made again. */
export const RENDERER = 3;

export const POST_HTML = 'post_html';
export const POST_HTML_MODEL = 'PostHtml';

/** The HTML of a post under the post's id: the compressed JSON of its response, and what feeds show. Derived: a missing row is written by the next read. */
export type PostHtmlRow = {
  _id: ObjectId;
  renderer: number;
  /** of the post */
  version: number;
  codec: 'zstd';
  rawLength: number;
  bytes: Binary;
  /** absent in rows of an earlier renderer; null: too long for a feed */
  feed?: { rawLength: number; bytes: Binary } | null;
};

/** Read by the id only, so it needs no other index. */
export const PostHtmlSchema = new Schema<PostHtmlRow>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    renderer: { type: Number, required: true },
    version: { type: Number, required: true },
    codec: { type: String, required: true, enum: ['zstd'] },
    rawLength: { type: Number, required: true, min: 1 },
    bytes: { type: Buffer, required: true },
    feed: {
      type: {
        _id: false,
        rawLength: { type: Number, required: true },
        bytes: { type: Buffer, required: true },
      },
    },
  },
  schemaOptions(POST_HTML),
);

/** @param version of the post */
export function htmlRow(_id: ObjectId, version: number, { html, feed }: EncodedPost): PostHtmlRow {
  const { codec, rawLength, bytes } = html.stored;
  return {
    ...{ _id, renderer: RENDERER, version, codec, rawLength, bytes: new Binary(bytes) },
    feed: feed && { rawLength: feed.rawLength, bytes: new Binary(feed.bytes) },
  };
}
