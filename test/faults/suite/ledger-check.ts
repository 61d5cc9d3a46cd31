import type { Db, Document } from 'mongodb';
import { ObjectId } from 'mongodb';
import type { Account, Tokens } from './cast.js';
import { checkEvents } from './event-check.js';
import { HttpClient } from './http-client.js';
import type { Ledger, Made, Pair } from './ledger.js';
import { LISTS, type Relation, type RelationState, RELATIONS, rowName, rowStateOf, shownStateOf } from './relations.js';
import { isLiveRow, type Thing, type ThingKind, THINGS } from './things.js';

export type Verdict = { checked: number; lost: string[]; duplicated: string[] };
type Server = { url: string; tokens: Tokens };
type Entry = { pair: Pair; states: RelationState[] };

/** of `GET /v1/viewer` */
const MAX_IDS = 100;
/** accounts that read at the same time */
const READERS = 16;
/** Where nothing but the ledger's accounts writes rows. */
const COUNTED = [
  'interactions',
  'follows',
  'collection_items',
  'post_watches',
  'bells',
  'blocks',
  'mutes',
  'tag_follows',
];
/** A published draft keeps its mark. */
const MARK = new RegExp(`^(?:${Object.keys(THINGS).join('|')}) [0-9a-f-]{36}`);

/**
 * Compares the ledger with the database and with the responses of the server. There must be no concurrent writes. The ledger has no rows of
 * `probeId`.
 */
export async function checkLedger(db: Db, server: Server, ledger: Ledger, probeId: string): Promise<Verdict> {
  const verdict: Verdict = { checked: 0, lost: [], duplicated: [] };
  const entries = [...ledger.entries()];
  await checkRows(db, entries, probeId, verdict);
  const byMark = await rowsByMark(db);
  await checkBodies(db, ledger.made, verdict);
  for (const made of ledger.made) checkMade(made, byMark[made.kind].get(made.mark) ?? [], verdict);
  await checkEvents(db, ledger, verdict);
  await checkResponses(server, entries, ledger.made, verdict);
  return verdict;
}

async function checkRows(db: Db, entries: Entry[], probeId: string, verdict: Verdict): Promise<void> {
  const rows = new Map<string, Document>();
  const names = new Set(Object.values(RELATIONS).map(({ collection }) => collection));
  for (const name of names) {
    const others = { userId: { $ne: ObjectId.createFromHexString(probeId) } };
    for await (const row of db.collection(name).find(others)) rows.set(`${name} ${row['_id'].toString('hex')}`, row);
  }
  const known = new Set<string>();
  for (const { pair, states } of entries) {
    verdict.checked++;
    const name = rowName(pair.kind, pair.userId, pair.targetId);
    known.add(name);
    const found = rowStateOf(pair.kind, rows.get(name), pair.targetId);
    if (!states.includes(found))
      verdict.lost.push(`${lineOf(pair)}: acknowledged ${states.map(String).join(' or ')}, found ${String(found)}`);
  }
  for (const name of rows.keys())
    if (COUNTED.some((collection) => name.startsWith(`${collection} `)) && !known.has(name))
      verdict.duplicated.push(`${name}: a row that no client asked for`);
}

/** Returns the rows with each mark: one, except where a creation was applied twice. */
async function rowsByMark(db: Db): Promise<Record<ThingKind, Map<string, Document[]>>> {
  const found = {} as Record<ThingKind, Map<string, Document[]>>;
  for (const [kind, { collection, field }] of Object.entries(THINGS)) {
    const byMark = (found[kind as ThingKind] = new Map<string, Document[]>());
    const projection = { [field]: 1, deletedAt: 1, state: 1 };
    for await (const row of db.collection(collection).find({}, { projection })) {
      const mark = MARK.exec(String(row[field]))?.[0];
      if (mark !== undefined) byMark.set(mark, [...(byMark.get(mark) ?? []), row]);
    }
  }
  return found;
}

async function checkBodies(db: Db, made: Made[], verdict: Verdict): Promise<void> {
  const bodies = new Set<string>();
  for await (const { _id } of db.collection('post_bodies').find({}, { projection: { _id: 1 } }))
    bodies.add(String(_id));
  for (const { kind, id, deleted, mark } of made)
    if (kind === 'post' && deleted === 'no' && id !== undefined && !bodies.has(id))
      verdict.lost.push(`post ${mark} (${id}): without its body`);
}

function checkMade({ kind, mark, id, deleted, texts }: Made, rows: Document[], verdict: Verdict): void {
  verdict.checked++;
  const live = rows.filter(isLiveRow);
  if (live.length > 1) verdict.duplicated.push(`${mark}: ${live.length} times`);
  if (id === undefined) return;
  const row = live.find(({ _id }) => String(_id) === id);
  if (deleted === 'yes' && row !== undefined)
    verdict.lost.push(`deletion of ${mark} (${id}): acknowledged, still there`);
  if (deleted !== 'no') return;
  const text = row?.[THINGS[kind].field] as string | undefined;
  if (text === undefined || !texts.includes(text))
    verdict.lost.push(`${mark} (${id}): acknowledged ${texts.join(' or ')}, found ${String(text)}`);
}

/** Reads everything again as its account. */
async function checkResponses(server: Server, entries: Entry[], made: Made[], verdict: Verdict): Promise<void> {
  const accounts = new Map<Account, { entries: Entry[]; made: Made[] }>();
  const of = (account: Account) => {
    const held = accounts.get(account) ?? { entries: [], made: [] };
    accounts.set(account, held);
    return held;
  };
  for (const entry of entries) of(entry.pair.account).entries.push(entry);
  for (const one of made) if (one.id !== undefined) of(one.account).made.push(one);
  const waiting = [...accounts];
  const client = new HttpClient(server.url);
  const readAll = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [account, { entries: ofAccount, made: ofAccountMade }] = next;
      const token = server.tokens.of(account);
      const read = async (path: string): Promise<{ status: number; text: string }> =>
        client.send({ method: 'GET', path, token });
      await checkShown(read, ofAccount, verdict);
      for (const one of ofAccountMade) await checkText(read, one, verdict);
    }
  };
  await Promise.all(Array.from({ length: READERS }, readAll));
  client.close();
}

type Read = (path: string) => Promise<{ status: number; text: string }>;

async function checkShown(read: Read, entries: Entry[], verdict: Verdict): Promise<void> {
  const expect = ({ pair, states }: Entry, value: unknown): void => {
    const found = shownStateOf(value, pair.targetId);
    if (!states.includes(found))
      verdict.lost.push(`${lineOf(pair)}: acknowledged ${states.map(String).join(' or ')}, read ${String(found)}`);
  };
  const shownBy = ({ pair }: Entry): Relation['shown'] => RELATIONS[pair.kind].shown;
  const ids = new Map(LISTS.map((list) => [list, new Set<string>()]));
  for (const entry of entries) {
    const shown = shownBy(entry);
    if (shown !== null && 'list' in shown) ids.get(shown.list)!.add(entry.pair.targetId);
    if (shown !== null && 'path' in shown)
      expect(entry, JSON.parse((await read(shown.path(entry.pair.account.username))).text)[shown.field]);
  }
  for (const [list, targets] of ids) {
    const states = new Map<string, Record<string, unknown>>();
    for (const some of chunks([...targets], MAX_IDS)) {
      const rows = JSON.parse((await read(`/v1/viewer?${list}=${some.join(',')}`)).text)[list] as Record<
        string,
        unknown
      >[];
      rows.forEach((row, at) => states.set(some[at]!, row));
    }
    for (const entry of entries) {
      const shown = shownBy(entry);
      if (shown !== null && 'list' in shown && shown.list === list)
        expect(entry, states.get(entry.pair.targetId)?.[shown.field]);
    }
  }
}

async function checkText(read: Read, { kind, id, mark, texts, deleted }: Made, verdict: Verdict): Promise<void> {
  const { path, list }: Thing = THINGS[kind];
  const { status, text } = await read(list ?? path(id!));
  const has = (part: string): boolean => status === 200 && text.includes(`"${part}"`);
  if (deleted === 'yes' && status === 200 && text.includes(mark))
    verdict.lost.push(`deletion of ${mark}: acknowledged, still read`);
  if (deleted === 'no' && !texts.some(has))
    verdict.lost.push(`${mark} (${id}): acknowledged ${texts.join(' or ')}, read ${status} ${text.slice(0, 200)}`);
}

function chunks<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function lineOf({ kind, userId, targetId }: Pair): string {
  return `${kind} of ${userId} on ${targetId}`;
}
