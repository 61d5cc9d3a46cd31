import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator } from '../platform/mongo/collection-validator.js';
import { IMPORTS, OPENCANVAS_IMPORT } from '../platform/mongo/indexes/index-check.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import type { Report } from './report.js';

/** The progress and the report of the import. Servers refuse to start on the database while `state` is `running`. */
@Schema({ ...schemaOptions(IMPORTS), minimize: false })
export class ImportState {
  @Prop({ type: String, required: true }) _id!: typeof OPENCANVAS_IMPORT;
  @Prop({ type: String, required: true, enum: ['running', 'done'] }) state!: 'running' | 'done';
  /** start of this run, also after it was interrupted and resumed */
  @Prop({ required: true }) startedAt!: Date;
  @Prop({ type: Date, default: null }) endedAt!: Date | null;
  /** the current stage, or the next one if it has completed */
  @Prop({ required: true }) stage!: string;
  /** the id of the last source row stored in this stage */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) lastId!: ObjectId | null;
  @Prop({ type: SchemaTypes.Mixed, required: true }) report!: Report;
}

export const ImportStateSchema = SchemaFactory.createForClass(ImportState);

/** An imported source row. Deleted by `import finish`. */
@Schema(schemaOptions('import_rows'))
export class ImportRow {
  /** `<stage>:<hex id>`, so that the rows of a stage are one range, in the order of the source */
  @Prop({ type: String, required: true }) _id!: string;
  /** the hash of the source fields that the stage reads */
  @Prop({ required: true }) hash!: string;
  /** `updatedAt` of the target row at the import; another value means that the row has been edited since */
  @Prop({ type: Date }) updatedAt?: Date;
  /** views, reads and shares of a post that were imported */
  @Prop({ type: [Number], default: undefined }) audience?: number[];
}

// No index: reads use the primary key.
export const ImportRowSchema = SchemaFactory.createForClass(ImportRow);

declareValidator(ImportRowSchema, {
  $jsonSchema: {
    bsonType: 'object',
    additionalProperties: false,
    required: ['_id', 'hash'],
    properties: {
      _id: { bsonType: 'string' },
      hash: { bsonType: 'string' },
      updatedAt: { bsonType: 'date' },
      audience: { bsonType: 'array', minItems: 3, maxItems: 3, items: { bsonType: 'number', minimum: 0 } },
    },
  },
});
