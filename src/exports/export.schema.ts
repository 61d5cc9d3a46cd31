import type { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const EXPORTS = 'exports';
export const EXPORT_MODEL = 'Export';

export const EXPORT_STATES = ['waiting', 'ready', 'failed'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** All that an account has here, as a file, which is a blob. */
export type ExportRow = {
  _id: ObjectId;
  userId: ObjectId;
  /** in UTC, like 2026-11-24: an account has one a day */
  day: string;
  state: ExportState;
  /** started so often */
  attempts: number;
  bytes: number | null;
  createdAt: Date;
  /** then row and file are removed */
  expiresAt: Date;
};

export const ExportSchema = new Schema<ExportRow>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    day: { type: String, required: true },
    state: { type: String, enum: EXPORT_STATES, required: true },
    attempts: { type: Number, required: true },
    bytes: { type: Number, default: null },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  schemaOptions(EXPORTS),
);

// one a day; ExportsService.removeOf: all of an account
ExportSchema.index({ userId: 1, day: 1 }, { unique: true });
// ExportQueue.next: the oldest that waits
ExportSchema.index({ state: 1, _id: 1 });
// ExportQueue.findExpired
ExportSchema.index({ expiresAt: 1 });

declareValidator(ExportSchema, exactShape(ExportSchema));

/** Of an attempt: one that has lost its lease and does not know it yet neither writes to the file of the next one nor removes it. */
export function blobOf({ _id, attempts }: Pick<ExportRow, '_id' | 'attempts'>): string {
  return `${_id.toHexString()}-${attempts}`;
}
