import { type Db, type Document, ObjectId } from 'mongodb';
import { pairId } from '../../../src/common/pair-id.js';
import { interactionId } from '../../../src/interactions/interaction-id.js';
import { checkEvents } from './event-check.js';
import type { Ledger, Made, Pair, PairState } from './ledger.js';

export type Verdict = { checked: number; lost: string[]; duplicated: string[] };

/** Compares the ledger with the database. There must be no concurrent writes. The ledger has no rows of `probeId`. */
export async function checkLedger(db: Db, ledger: Ledger, probeId: string): Promise<Verdict> {
  const verdict: Verdict = { checked: 0, lost: [], duplicated: [] };
  const rows = new Map<string, Document>();
  for (const name of ['interactions', 'follows', 'collection_items']) {
    const others = { userId: { $ne: ObjectId.createFromHexString(probeId) } };
    for await (const row of db.collection(name).find(others))
      rows.set(`${name} ${String(row['_id'].toString('hex'))}`, row);
  }
  let known = 0;
  for (const { pair, states } of ledger.entries()) {
    verdict.checked++;
    const row = rows.get(rowName(pair));
    if (row !== undefined) known++;
    const found = stateOf(pair, row);
    if (!states.includes(found)) {
      const what = `${pair.kind} of ${pair.userId} on ${pair.targetId}`;
      verdict.lost.push(`${what}: acknowledged ${states.map(String).join(' or ')}, found ${String(found)}`);
    }
  }
  if (rows.size > known)
    verdict.duplicated.push(`${rows.size - known} votes, saves, follows or items of lists that nobody asked for`);

  await checkMade(
    db,
    'posts',
    'title',
    ledger.made.filter(({ kind }) => kind === 'post'),
    verdict,
  );
  await checkMade(
    db,
    'comments',
    'content',
    ledger.made.filter(({ kind }) => kind === 'comment'),
    verdict,
  );
  await checkEvents(db, ledger, verdict);
  return verdict;
}

async function checkMade(db: Db, name: string, field: string, made: Made[], verdict: Verdict): Promise<void> {
  const byMark = new Map<string, Document[]>();
  for await (const row of db.collection(name).find({}, { projection: { [field]: 1, deletedAt: 1 } })) {
    const mark = String(row[field]);
    byMark.set(mark, [...(byMark.get(mark) ?? []), row]);
  }
  const bodies = new Set<string>();
  if (name === 'posts') {
    for await (const { _id } of db.collection('post_bodies').find({}, { projection: { _id: 1 } }))
      bodies.add(String(_id));
  }
  for (const { kind, mark, id, deleted } of made) {
    verdict.checked++;
    const found = byMark.get(mark) ?? [];
    if (found.length > 1) verdict.duplicated.push(`${kind} ${mark}: ${found.length} times`);
    if (id === undefined) continue;
    const row = found.find(({ _id }) => String(_id) === id);
    const isLive = row !== undefined && row['deletedAt'] === null;
    if (deleted === 'no' && !isLive) verdict.lost.push(`${kind} ${mark} (${id}): acknowledged, not found`);
    if (deleted === 'no' && kind === 'post' && !bodies.has(id))
      verdict.lost.push(`post ${mark} (${id}): without its body`);
    if (deleted === 'yes' && isLive)
      verdict.lost.push(`deletion of ${kind} ${mark} (${id}): acknowledged, still there`);
  }
}

function rowName({ kind, userId, targetId }: Pair): string {
  const [user, target] = [ObjectId.createFromHexString(userId), ObjectId.createFromHexString(targetId)];
  const collection = kind === 'follow' ? 'follows' : kind === 'item' ? 'collection_items' : 'interactions';
  const id = kind === 'follow' || kind === 'item' ? pairId(user, target) : interactionId(user, kind, target);
  return `${collection} ${id.toString('hex')}`;
}

function stateOf({ kind }: Pair, row: Document | undefined): PairState {
  if (row === undefined) return null;
  return kind === 'vote' ? (row['value'] as PairState) : 'yes';
}
