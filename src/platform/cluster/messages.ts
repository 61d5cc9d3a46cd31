import type { FieldError } from '../../common/errors.js';

/**
 * Everything that travels over IPC. A process of the cluster is addressed by nobody but the primary, and sends to nobody but the
 * primary; what one process tells the others passes through it. IPC keeps the order of messages, and so does the relay.
 */
export type ToPrimary =
  | { type: 'ready' }
  /** the answer to `beat`: the event loop turns */
  | { type: 'alive' }
  /** a StartupError: one sentence for the operator instead of a crash */
  | { type: 'refused'; message: string }
  | { type: 'publish'; from: string; sequence: number; channel: string; message: unknown }
  | { type: 'gather'; id: number; topic: string; payload: unknown; timeoutMs: number }
  | { type: 'answer'; id: number; value: unknown; error?: string }
  /** asks for the turn of that name, hands it back, or hands it back and waits for the next */
  | { type: 'turn'; name: string; action: 'ask' | 'give' | 'give and ask' }
  /** asks who leads the batches of that name, or leads them no longer */
  | { type: 'lead'; name: string; action: 'ask' | 'resign' }
  /** items for the lead, which are wanted until then (host clock, ms) */
  | { type: 'delegate'; name: string; id: number; until: number; items: unknown[] }
  /** the lead's answer to `delegate` */
  | { type: 'delegated'; id: number; results: (PackedResult | null)[] | null };

export type FromPrimary =
  | { type: 'deliver'; from: string; sequence: number; channel: string; message: unknown }
  | { type: 'ask'; id: number; topic: string; payload: unknown }
  | { type: 'gathered'; id: number; answers: unknown[]; missing: number }
  /**
   * The turn is yours, and whether somebody waits for it already (a primary that started as an earlier version does not say, and
   * knows no "give and ask"); or: it is yours, and now somebody waits for it.
   */
  | { type: 'turn'; name: string; state: 'granted'; isWanted?: boolean }
  | { type: 'turn'; name: string; state: 'wanted' }
  /** you lead the batches of that name; another does; that other is no more */
  | { type: 'lead'; name: string; state: 'yours' | 'another' | 'gone' }
  /** items of another process, for this one to commit */
  | { type: 'delegate'; name: string; id: number; until: number; items: unknown[] }
  /** one result for each item, null where the asker has to do it; null for all of them when the lead is gone */
  | { type: 'delegated'; id: number; results: (PackedResult | null)[] | null }
  | { type: 'beat' }
  | { type: 'drain'; options: DrainOptions };

/** A result as plain data, or the parts of the CodedError that refuses its item. */
export type PackedResult =
  { value: unknown } | { code: string; detail: string; fields?: FieldError[]; retryAfterSeconds?: number };

export type DrainOptions = {
  /** others of the host serve the same address meanwhile: readiness, which balancers ask about the address, stays yes */
  isReplaced: boolean;
  /** how long readiness says no before new connections are refused; the deadline counts from its end */
  noticeMs: number;
  /** the whole time to finish what is in flight; what is still open then is cut */
  deadlineMs: number;
  /** how long a silent keep-alive connection may stay, so that its client can learn about the end in an answer instead of a reset */
  idleGraceMs: number;
};

export function isMessage(value: unknown): value is ToPrimary | FromPrimary {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** A process as the primary sees it. */
export type HubMember = { send(message: FromPrimary): void };
