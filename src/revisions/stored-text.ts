import { Prop, Schema } from '@nestjs/mongoose';
import type { Binary } from 'mongodb';
import type { PostType } from '../posts/post-types.js';

/** The fields of an author's text in a row, with compressed Markdown. Only a draft may lack a type. */
@Schema()
export class StoredText {
  @Prop() title!: string;
  @Prop({ type: String, default: null }) type!: PostType | null;
  @Prop({ type: [String], required: true }) tags!: string[];
  @Prop({ type: String, default: null }) thumbnailUrl!: string | null;
  /** absent means null */
  @Prop({ type: String }) canonicalUrl?: string | null;
  @Prop({ type: String, required: true }) codec!: 'zstd';
  /** UTF-8 bytes of the Markdown */
  @Prop({ required: true }) rawLength!: number;
  @Prop({ type: Buffer, required: true }) bytes!: Binary;
}
