// All changes of stored data, in order. A change that is released is never edited: a later one corrects it. CONTRIBUTING.md shows how to
// add one; `FORMAT` in platform/mongo/format is the number of the last one.
import type { Migration } from '../platform/migrations/migration.js';
import { POST_TEXTS } from './0001-post-texts.js';
import { MENTIONS } from './0002-mentions.js';
import { COLLECTIONS_AND_COUNTERS } from './0003-collections-and-counters.js';
import { IDEMPOTENCY_KEYS } from './0004-idempotency-keys.js';
import { BACKGROUND_WORK } from './0005-background-work.js';
import { MODERATION_LOG } from './0006-moderation-log.js';
import { MAIL_ADDRESSES } from './0007-mail-addresses.js';
import { MAILBOXES } from './0008-mailboxes.js';

export const MIGRATIONS: readonly Migration[] = [
  POST_TEXTS,
  MENTIONS,
  COLLECTIONS_AND_COUNTERS,
  IDEMPOTENCY_KEYS,
  BACKGROUND_WORK,
  MODERATION_LOG,
  MAIL_ADDRESSES,
  MAILBOXES,
];
