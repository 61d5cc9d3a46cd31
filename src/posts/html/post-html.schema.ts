import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

/** Grows with every change of what is made of a text: HTML of an earlier one is made again. */
export const RENDERER = 2;

export const POST_HTML = 'post_html';
export const POST_HTML_MODEL = 'PostHtml';

/** The HTML of a post under the post's id, as the compressed JSON of its answer. Derived: a missing row is written by the next read. */
export type PostHtmlRow = {
  _id: ObjectId;
  renderer: number;
  /** of the post */
  version: number;
  codec: 'zstd';
  rawLength: number;
  bytes: Binary;
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
  },
  schemaOptions(POST_HTML),
);
