import type { Binary, ObjectId } from 'mongodb';
import { pairId } from '../common/pair-id.js';
import { type Follow, FOLLOWS } from '../follows/follow.schema.js';
import { interactionId } from '../interactions/interaction-id.js';
import { type Interaction, INTERACTIONS, type TargetModel } from '../interactions/interaction.schema.js';
import { VOTE_VALUES } from '../interactions/vote-value.js';
import { changeOf, idOf, seqOf, timeOf } from './clean.js';
import { keyOf } from './target-lookup.js';
import type { SourceRow } from './source.js';
import type { Batch, Context, Stage } from './stage.js';

export const INTERACTIONS_STAGE: Stage = {
  name: 'interactions',
  collection: 'interactions',
  fields: ['userId', 'targetId', 'targetModel', 'type', 'createdAt', 'updatedAt'],
  plan: planInteractions,
};

export const FOLLOWS_STAGE: Stage = {
  name: 'follows',
  collection: 'follows',
  fields: ['followerId', 'followingId', 'since'],
  plan: planFollows,
};

type ExistingRow = { _id: Binary; seq: ObjectId };

async function planInteractions(rows: SourceRow[], batch: Batch, { targets, now }: Context): Promise<void> {
  const isHere = await targetsOf(rows, targets);
  const planned: [SourceRow, Interaction][] = [];
  for (const row of rows) {
    const kind = kindOf(row);
    const userId = idOf(row['userId']);
    if (kind === null) batch.skip(row, 'of a kind or a target that is not known here');
    else if (userId === null || !isHere('User', userId)) batch.skip(row, 'its account is missing');
    else if (!isHere(kind.targetModel, row['targetId'])) batch.skip(row, 'its target is missing');
    else planned.push([row, interactionOf(row, userId, kind, now)]);
  }
  batch.secondStep = () => planRows(planned, INTERACTIONS, batch, targets);
}

type Kind = Pick<Interaction, 'targetModel' | 'kind' | 'value'>;

/** Returns null for unknown kinds, and for saved comments and collections: only posts can be saved here. */
function kindOf({ type, targetModel }: SourceRow): Kind | null {
  const model = (['Post', 'Comment', 'Collection'] as const).find((one) => one === targetModel);
  if (model === undefined) return null;
  const value = VOTE_VALUES.find((one) => one === type);
  if (value !== undefined) return { targetModel: model, kind: 'vote', value };
  return type === 'save' && model === 'Post' ? { targetModel: model, kind: 'save', value: null } : null;
}

function interactionOf(row: SourceRow, userId: ObjectId, kind: Kind, now: Date): Interaction {
  const targetId = row['targetId'] as ObjectId;
  const createdAt = timeOf(row['createdAt'], row._id, now);
  return {
    _id: interactionId(userId, kind.kind, targetId),
    userId,
    targetId,
    ...kind,
    seq: seqOf(createdAt, row._id),
    createdAt,
    updatedAt: changeOf(row['updatedAt'], createdAt, now),
  };
}

async function targetsOf(
  rows: SourceRow[],
  targets: Context['targets'],
): Promise<(model: TargetModel | 'User', id: unknown) => boolean> {
  const idsOf = (model: TargetModel): ObjectId[] =>
    rows.flatMap(({ targetModel, targetId }) => (targetModel === model ? (idOf(targetId) ?? []) : []));
  const [User, Post, Comment, Collection] = await Promise.all([
    targets.users(rows.flatMap(({ userId }) => idOf(userId) ?? [])),
    targets.posts(idsOf('Post')),
    targets.comments(idsOf('Comment')),
    targets.collections(idsOf('Collection')),
  ]);
  const found = { User, Post, Comment, Collection };
  return (model, id) => found[model].get(String(id))?.deletedAt === null;
}

async function planFollows(rows: SourceRow[], batch: Batch, { targets, now }: Context): Promise<void> {
  const sides = rows.flatMap(({ followerId, followingId }) => [idOf(followerId) ?? [], idOf(followingId) ?? []].flat());
  const accounts = await targets.users(sides);
  const isHere = (id: ObjectId | null): id is ObjectId =>
    id !== null && accounts.get(id.toHexString())?.deletedAt === null;
  const planned: [SourceRow, Follow][] = [];
  for (const row of rows) {
    const followerId = idOf(row['followerId']);
    const followingId = idOf(row['followingId']);
    if (!isHere(followerId) || !isHere(followingId)) batch.skip(row, 'an account is missing');
    else if (followerId.equals(followingId)) batch.skip(row, 'of itself');
    else {
      const since = timeOf(row['since'], row._id, now);
      const _id = pairId(followerId, followingId);
      planned.push([row, { _id, followerId, followingId, seq: seqOf(since, row._id), since }]);
    }
  }
  batch.secondStep = () => planRows(planned, FOLLOWS, batch, targets);
}

/** If several rows have the same key, the latest one wins. A row that was imported and then deleted here stays deleted. */
async function planRows(
  planned: [SourceRow, Interaction | Follow][],
  collection: string,
  batch: Batch,
  targets: Context['targets'],
): Promise<void> {
  const ids = planned.map(([, { _id }]) => _id);
  const existingRows = await targets.find<ExistingRow>(collection, ids, { seq: 1 });
  const latest = new Map<string, [SourceRow, Interaction | Follow]>();
  for (const [source, row] of planned) {
    const key = keyOf(row._id);
    const existing = existingRows.get(key)?.seq;
    const isFromThisRow = existing !== undefined && isFrom(existing, source);
    const isRemovedHere = existing === undefined && batch.before.has(source._id.toHexString());
    const other = latest.get(key);
    if (isRemovedHere) batch.skip(source, 'changed there, deleted here');
    else if (existing !== undefined && !isFromThisRow && isLater(existing, row.seq))
      batch.skip(source, 'an earlier one of two');
    else if (other !== undefined && isLater(other[1].seq, row.seq)) batch.skip(source, 'an earlier one of two');
    else {
      if (other !== undefined) batch.skip(other[0], 'an earlier one of two');
      if (existing !== undefined && !isFromThisRow) batch.change(source, 'in the place of an earlier one');
      latest.set(key, [source, row]);
    }
  }
  for (const [source, row] of latest.values()) {
    if (existingRows.has(keyOf(row._id))) batch.delete(collection, row._id);
    batch.insert(collection, row);
    batch.markImported(source);
  }
}

function isFrom(seq: ObjectId, { _id }: SourceRow): boolean {
  return Buffer.compare(seq.id.subarray(4), _id.id.subarray(4)) === 0;
}

function isLater(seq: ObjectId, other: ObjectId): boolean {
  return seq.toHexString() > other.toHexString();
}
