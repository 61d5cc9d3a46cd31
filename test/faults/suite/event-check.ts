import { type Db, ObjectId } from 'mongodb';
import { eventId, type EventKind, eventViewer, windowEnd, windowEndOf } from '../../../src/views/event-keys.js';
import { POST_EVENTS, type RecentPostEvent } from '../../../src/views/post-event.schema.js';
import { TOKEN_SECRET } from './cast.js';
import type { Ledger, SeenEvent } from './ledger.js';
import type { Verdict } from './ledger-check.js';

/** A whole run fits into one window, except within an hour of its end: faults move clocks by an hour. */
export const EVENT_WINDOW_HOURS = 168;

const COUNTERS: Record<EventKind, string> = { view: 'viewsCount', read: 'readsCount', share: 'sharesCount' };

/**
 * Every acknowledged event has its row, no other rows exist, and the post counts each viewer once per window: at least the
 * acknowledged events, at most the sent ones.
 */
export async function checkEvents(db: Db, ledger: Ledger, verdict: Verdict): Promise<void> {
  const rows = new Set<string>();
  const present = windowEnd(Date.now(), EVENT_WINDOW_HOURS).getTime();
  for await (const { _id } of db.collection<RecentPostEvent>(POST_EVENTS).find())
    if (windowEndOf(_id).getTime() === present) rows.add(_id.toString('hex'));
  const counts = new Map<string, { postId: string; kind: EventKind; acknowledged: number; sent: number }>();
  for (const event of ledger.events()) {
    verdict.checked++;
    const { postId, kind } = event;
    const count = counts.get(`${postId} ${kind}`) ?? { postId, kind, acknowledged: 0, sent: 0 };
    counts.set(`${postId} ${kind}`, count);
    count.sent++;
    if (event.isAcknowledged) count.acknowledged++;
    // Rows of an ended window are deleted.
    if (event.window.getTime() !== present) continue;
    const isThere = rows.delete(rowId(event));
    if (event.isAcknowledged && !isThere) verdict.lost.push(`${kind} of ${postId} by ${event.userId}: no row`);
  }
  if (rows.size > 0) verdict.duplicated.push(`${rows.size} events that nobody sent`);
  await checkCounters(db, [...counts.values()], verdict);
}

async function checkCounters(
  db: Db,
  counts: { postId: string; kind: EventKind; acknowledged: number; sent: number }[],
  verdict: Verdict,
): Promise<void> {
  const stats = new Map<string, Record<string, number>>();
  for await (const post of db.collection('posts').find({}, { projection: { stats: 1 } }))
    stats.set(String(post._id), post['stats'] as Record<string, number>);
  for (const { postId, kind, acknowledged, sent } of counts) {
    const counted = stats.get(postId)?.[COUNTERS[kind]] ?? 0;
    const line = `${postId} has ${counted} ${kind}s; ${acknowledged} were acknowledged, ${sent} sent`;
    if (counted < acknowledged) verdict.lost.push(line);
    if (counted > sent) verdict.duplicated.push(line);
  }
}

function rowId({ userId, postId, kind, window }: SeenEvent): string {
  const viewer = eventViewer({ id: userId, isEmailVerified: true }, '');
  // Derives the key like the server.
  const id = eventId(`events:${TOKEN_SECRET}`, viewer, new ObjectId(postId), kind, window);
  return id.toString('hex');
}
