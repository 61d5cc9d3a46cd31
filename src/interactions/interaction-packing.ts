import { ObjectId } from 'mongodb';
import type { Packing } from '../platform/cluster/host-batches.js';
import type { InteractionItem, InteractionResult } from './interaction-plan.js';

type WithoutIds<Each> = Each extends unknown ? Omit<Each, 'userId' | 'targetId'> : never;
type PackedItem = WithoutIds<InteractionItem> & { userId: string; targetId: string };
type PackedInteraction =
  Omit<Extract<InteractionResult, { kind: 'vote' }>, 'targetId'> | { kind: 'save'; savedAt: number | null };

/** Votes and saves on their way between processes. What holds a state can be committed twice. */
export const INTERACTION_PACKING: Packing<InteractionItem, InteractionResult> = {
  item: (item): PackedItem => ({ ...item, userId: item.userId.toHexString(), targetId: item.targetId.toHexString() }),
  unpackItem: (packed: PackedItem): InteractionItem => ({
    ...packed,
    userId: ObjectId.createFromHexString(packed.userId),
    targetId: ObjectId.createFromHexString(packed.targetId),
  }),
  result: (result): PackedInteraction =>
    result.kind === 'vote'
      ? { kind: 'vote', value: result.value, stats: result.stats }
      : { kind: 'save', savedAt: result.savedAt?.getTime() ?? null },
  unpackResult: (packed: PackedInteraction, { targetId }): InteractionResult =>
    packed.kind === 'vote'
      ? { ...packed, targetId }
      : { kind: 'save', targetId, savedAt: packed.savedAt === null ? null : new Date(packed.savedAt) },
};
