import { ObjectId } from 'mongodb';
import fc from 'fast-check';
import { CodedError } from '../common/errors.js';
import {
  ACT_KINDS,
  ACT_TARGETS,
  type ActionRequest,
  type ActionsRequest,
  isUndo,
  kindsOfEffect,
  planAction,
  planActions,
  undoOf,
} from './action-rules.js';
import { isAppealable } from './appeal-rules.js';

const request = { targetId: new ObjectId().toHexString(), reasonCode: 'spam', publicReason: 'Spam.' } as const;

/** Returns the refused fields, or the end of the planned action. */
function planned(fields: Pick<ActionRequest, 'kind' | 'targetKind'> & Partial<ActionRequest>): string[] | Date | null {
  try {
    return planAction({ ...request, ...fields }).until;
  } catch (error) {
    return (error as CodedError).fields!.map(({ field }) => field);
  }
}

describe('a planned action', () => {
  it('has a target of its kind, and an end only if it restricts an account', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ACT_KINDS),
        fc.constantFrom(...ACT_TARGETS),
        fc.option(fc.constantFrom('2099-01-01T00:00:00Z', '2020-01-01T00:00:00Z'), { nil: undefined }),
        (kind, targetKind, until) => {
          const isOfContent = /remove|restore/.test(kind);
          const fits = isOfContent ? targetKind !== 'user' : targetKind === (/lock/.test(kind) ? 'post' : 'user');
          const mayEnd = /limit|suspend|ban/.test(kind);
          const end = until === undefined ? null : new Date(until);
          const isRefused = end !== null && (!mayEnd || end < new Date());

          expect(planned({ kind, targetKind, until })).toEqual(!fits ? ['targetKind'] : isRefused ? ['until'] : end);
        },
      ),
    );
  });
});

describe('the actions of a request', () => {
  const id = () => new ObjectId().toHexString();
  const idsOf = (fields: Partial<ActionsRequest>): string[] => {
    const plain: ActionsRequest = { kind: 'ban', targetKind: 'user', reasonCode: 'spam', publicReason: 'Spam.' };
    try {
      return planActions({ ...plain, ...fields }).map(({ targetId }) => targetId.toHexString());
    } catch (error) {
      return (error as CodedError).fields!.map(({ field }) => field);
    }
  };

  it('are one for each target', () => {
    const ids = [id(), id()];
    expect([idsOf({ targetId: ids[0] }), idsOf({ targetIds: ids })]).toEqual([[ids[0]], ids]);
    for (const fields of [{}, { targetIds: [] }, { targetId: id(), targetIds: ids }])
      expect(idsOf(fields)).toEqual(['targetIds']);
    expect(idsOf({ targetIds: ids, caseId: `user-${ids[0]}` })).toEqual(['caseId']);
  });

  it('hide and remove content only as restrictions', () => {
    const targetId = id();
    expect(idsOf({ targetId, kind: 'suspend', hideContent: false, removeEverything: true })).toEqual([targetId]);
    expect(idsOf({ targetId, kind: 'ban', hideContent: false })).toEqual(['hideContent']);
    expect(idsOf({ targetId, kind: 'warn', removeEverything: true })).toEqual(['removeEverything']);
  });
});

describe('the actions that undo others', () => {
  it('are known from both sides', () => {
    const pairs = ACT_KINDS.flatMap((kind) => (undoOf(kind) === null ? [] : [`${kind} ${undoOf(kind)}`]));

    expect(pairs).toEqual(['remove restore', 'lock unlock', 'limit lift', 'suspend lift', 'ban lift']);
    expect(ACT_KINDS.filter(isUndo)).toEqual(['restore', 'unlock', 'lift']);
    expect(kindsOfEffect('lift')).toEqual(['lift', 'limit', 'suspend', 'ban']);
  });
});

describe('an appeal', () => {
  it('is possible for 30 days against an action that was not undone', () => {
    const now = new Date('2026-11-30T00:00:00Z');
    const of = (kind: 'warn' | 'restore' | 'delete', createdAt: string, isReversed = false) =>
      isAppealable({ kind, createdAt: new Date(createdAt) }, isReversed, now);

    expect([of('warn', '2026-10-31T00:00:01Z'), of('warn', '2026-10-31T00:00:00Z')]).toEqual([true, false]);
    expect(of('warn', '2026-11-29T00:00:00Z', true)).toBe(false);
    expect([of('restore', '2026-11-29T00:00:00Z'), of('delete', '2026-11-29T00:00:00Z')]).toEqual([false, false]);
  });
});
