import { Prop, Schema } from '@nestjs/mongoose';
import type { Binary } from 'mongodb';
import { StoredLabels } from '../posts/stored-labels.js';

/** An author's text in a row: labels and compressed Markdown. */
@Schema()
export class StoredText extends StoredLabels {
  @Prop({ type: String, required: true }) codec!: 'zstd';
  /** UTF-8 bytes of the Markdown */
  @Prop({ required: true }) rawLength!: number;
  @Prop({ type: Buffer, required: true }) bytes!: Binary;
}
