import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator } from '../platform/mongo/collection-validator.js';
import { IMPORTS, OPENCANVAS_IMPORT } from '../platform/mongo/indexes/index-check.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import type { Report } from './report.js';

/** The import: how far it is, and what it has counted. Servers refuse the database while it is `running`. */
@Schema({ ...schemaOptions(IMPORTS), minimize: false })
export class ImportState {
  @Prop({ type: String, required: true }) _id!: typeof OPENCANVAS_IMPORT;
  @Prop({ type: String, required: true, enum: ['running', 'done'] }) state!: 'running' | 'done';
  /** of this run; a run that continues after a kill keeps it */
  @Prop({ required: true }) startedAt!: Date;
  @Prop({ type: Date, default: null }) endedAt!: Date | null;
  /** the stage under way; the name of the next one after its end */
  @Prop({ required: true }) stage!: string;
  /** the last source row of the stage that is stored */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) lastId!: ObjectId | null;
  @Prop({ type: SchemaTypes.Mixed, required: true }) report!: Report;
}

export const ImportStateSchema = SchemaFactory.createForClass(ImportState);

/** A source row that was taken, until `import finish`. */
@Schema(schemaOptions('import_rows'))
export class ImportRow {
  /** `<stage>:<hex id>`, so that those of a stage are one range in the order of the source */
  @Prop({ type: String, required: true }) _id!: string;
  /** of the source fields that are read */
  @Prop({ required: true }) hash!: string;
  /** of the row here when it was written: another value means that it was changed here */
  @Prop({ type: Date }) updatedAt?: Date;
  /** views, reads and shares of a post that are counted here */
  @Prop({ type: [Number], default: undefined }) audience?: number[];
}

// read by the primary key only
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
