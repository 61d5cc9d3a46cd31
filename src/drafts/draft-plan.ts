import { Binary } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { requireVersion } from '../platform/http/if-match.js';
import type { UpdateStatement } from '../platform/mongo/update-statements.js';
import { revisionRow } from '../revisions/revision-store.service.js';
import type { StoredText } from '../revisions/stored-text.js';
import { labelsOf } from '../posts/stored-labels.js';
import type { Draft } from './draft.schema.js';

/** What a save changes. */
export type DraftChanges = Partial<StoredText & Pick<Draft, 'visibility'>>;

/** One save, with its changed fields. */
export type DraftSave = {
  draftId: string;
  authorId: string;
  /** the raw If-Match header */
  ifMatch: string;
  changes: DraftChanges;
};

export type DraftPlan = {
  results: (Draft | Error)[];
  /** texts that these saves replace */
  revisions: ReturnType<typeof revisionRow>[];
  updates: UpdateStatement[];
};

/**
 * Folds saves, in order, into rows. Each save must name the version before it, and every replaced text becomes a revision.
 * @param current rows by hex id
 */
export function planSaves(saves: DraftSave[], current: ReadonlyMap<string, Draft>, now: Date): DraftPlan {
  const rows = new Map(current);
  const revisions: DraftPlan['revisions'] = [];
  const changed = new Set<string>();
  const results = saves.map((save) => {
    const row = rows.get(save.draftId);
    if (row === undefined || isTrashed(row) || row.authorId.toHexString() !== save.authorId) return draftNotFound();
    try {
      requireVersion(save.ifMatch, row.version, `The draft, now version ${row.version},`);
    } catch (error) {
      return error as Error;
    }
    if (!differs(row, save.changes)) return row;
    revisions.push(revisionRow(row._id, row.version, row, row.updatedAt));
    const saved = { ...row, ...save.changes, version: row.version + 1, updatedAt: now };
    rows.set(save.draftId, saved);
    changed.add(save.draftId);
    return saved;
  });
  const updates = [...changed].map((id) => {
    const row = rows.get(id)!;
    const { _id, codec, rawLength, bytes, version, updatedAt, visibility = null } = row;
    return { q: { _id }, u: { $set: { ...labelsOf(row), codec, rawLength, bytes, version, updatedAt, visibility } } };
  });
  return { results, revisions, updates };
}

export function isTrashed({ state }: Pick<Draft, 'state'>): boolean {
  return state === 'trashed';
}

export function draftNotFound(): CodedError {
  return new CodedError('draft_not_found', 'Draft not found.');
}

/** Compares compressed bytes, because equal texts compress to equal bytes. */
function differs(row: Draft, changes: DraftChanges): boolean {
  return Object.entries(changes).some(([field, value]) => {
    const before = row[field as keyof DraftChanges] ?? null;
    if (before instanceof Binary && value instanceof Binary)
      return Buffer.compare(Buffer.from(before.buffer), Buffer.from(value.buffer)) !== 0;
    return JSON.stringify(before) !== JSON.stringify(value);
  });
}
