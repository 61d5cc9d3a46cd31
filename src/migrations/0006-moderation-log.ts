import type { Migration } from '../platform/migrations/migration.js';

const NONE = { reasonCode: null, publicReason: '', privateNote: '', until: null, caseId: null, reverses: null };

/** 0.3.0 stores a reason, an end and a case with each action. It also enforces standings and removals, which 0.2.0 does not know. */
export const MODERATION_LOG: Migration = {
  number: 6,
  name: 'moderation log',
  summary: 'Adds the fields of reasons to actions of moderators in 0.2.0.',
  oldestProgram: 6,
  steps: () => [
    {
      collection: 'moderation_actions',
      pending: { reasonCode: { $exists: false } },
      // A field that a row has is kept.
      change: (rows) =>
        rows.map((row) => ({ updateOne: { filter: { _id: row._id }, update: { $set: { ...NONE, ...row } } } })),
    },
  ],
};
