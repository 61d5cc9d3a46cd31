import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { namedValues } from '../common/named-values.js';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

/** `storing`: its file is being stored; `ready`: its drafts exist */
export const IMPORT_STATES = namedValues('ArchiveImportState', [
  ...(['storing', 'waiting', 'reading', 'ready'] as const),
  ...(['publishing', 'published', 'failed', 'deleted'] as const),
]);
export type ImportState = (typeof IMPORT_STATES)[number];

export const MAX_PROBLEMS = 100;

/** What could not be taken over from a file of the archive. */
@Schema({ _id: false })
export class ImportProblem {
  @Prop({ required: true }) entry!: string;
  @Prop({ required: true }) code!: string;
  @Prop({ required: true }) detail!: string;
}

@Schema({ _id: false })
export class ImportCounts {
  /** posts and problems of the archive that were read */
  @Prop({ required: true }) read!: number;
  @Prop({ required: true }) drafts!: number;
  /** posts that an earlier import has brought */
  @Prop({ required: true }) repeated!: number;
  @Prop({ required: true }) images!: number;
  /** images that were fetched, or could not be fetched, from other sites */
  @Prop({ required: true }) fetched!: number;
  @Prop({ required: true }) published!: number;
  @Prop({ required: true }) problems!: number;
}

export const NO_COUNTS: Readonly<ImportCounts> = {
  ...{ read: 0, drafts: 0, repeated: 0, images: 0, fetched: 0, published: 0, problems: 0 },
};

@Schema({ _id: false })
export class PublishedTo {
  @Prop({ required: true }) importedAt!: Date;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) draftId!: ObjectId;
}

/** The import of an archive, a page or a feed. Its file is a blob under its id. */
@Schema(schemaOptions('archive_imports'))
export class ArchiveImport {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** in UTC, like 2026-11-24 */
  @Prop({ required: true }) day!: string;
  /** number of earlier imports of the day */
  @Prop({ required: true }) turn!: number;
  @Prop({ type: String, enum: IMPORT_STATES, required: true }) state!: ImportState;
  /** while it has work */
  @Prop({ required: true }) isRunning!: boolean;
  /** of the page or feed; null for a file */
  @Prop({ type: String, default: null }) address!: string | null;
  /** of the archive, whose posts alone are imported; '' for posts without author; empty: all */
  @Prop({ type: [String], required: true }) authors!: string[];
  @Prop({ type: String, default: null }) format!: string | null;
  /** error code of a failed import */
  @Prop({ type: String, default: null }) failure!: string | null;
  /** started attempts since its last progress */
  @Prop({ required: true }) attempts!: number;
  @Prop({ type: ImportCounts, required: true }) counts!: ImportCounts;
  /** the first ones */
  @Prop({ type: [ImportProblem], required: true }) problems!: ImportProblem[];
  /** the last draft that could not be published, in the order of the publication */
  @Prop({ type: PublishedTo, default: null }) publishedTo!: PublishedTo | null;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) expiresAt!: Date;
}

export const ArchiveImportSchema = SchemaFactory.createForClass(ArchiveImport);

// three a day; ImportsService.list
ArchiveImportSchema.index({ userId: 1, day: -1, turn: -1 }, { unique: true });
// one at a time
ArchiveImportSchema.index({ userId: 1 }, { unique: true, partialFilterExpression: { isRunning: true } });

declareValidator(ArchiveImportSchema, exactShape(ArchiveImportSchema));

/** A post of an archive that was imported, so that another import does not bring it again. Its key is a hash of account and source. */
@Schema(schemaOptions('archive_entries'))
export class ArchiveEntryRow {
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) importId!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) draftId!: ObjectId;
  /** the id that the post has, or will have */
  @Prop({ type: SchemaTypes.ObjectId, required: true }) postId!: ObjectId;
  @Prop({ required: true }) isPublished!: boolean;
  /** normalized address on the old site; null if it has none */
  @Prop({ type: String, default: null }) address!: string | null;
}

export const ArchiveEntrySchema = SchemaFactory.createForClass(ArchiveEntryRow);

// ArchiveEntries: posts by their old addresses; all of an account
ArchiveEntrySchema.index({ userId: 1, address: 1 });
// ArchiveEntries: the post of a draft that is published
ArchiveEntrySchema.index({ draftId: 1 }, { unique: true });
// ArchiveEntries: the unpublished posts of an import
ArchiveEntrySchema.index({ importId: 1, isPublished: 1 });

declareValidator(ArchiveEntrySchema, exactShape(ArchiveEntrySchema));
