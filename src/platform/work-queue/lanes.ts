import type { Lane, TaskKey } from '../mongo/transaction-rows.js';

const UP_TO_AN_HOUR = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600];
const PUSH_RETRIES = [60, 300, 900, 3_600];
/** of an attempt whose process died, or that found no database */
const WEBHOOK_RETRIES = [15, 60, 600];
const MAIL_RETRIES = [60, 300, 900, 3_600, 10_800, 21_600, 43_200];

type KeyKind = TaskKey extends `${infer Kind}:${string}` ? Kind : never;

export type LaneSettings = {
  /** number of tasks that run at the same time */
  places: number;
  /** number of these places that tasks with the same key may hold, so that others find one */
  placesPerKey?: Partial<Record<KeyKind, number>>;
  /** delays after each failure; the last one repeats */
  retrySeconds: readonly number[];
  /** the lane of tasks that hold places for long, because their host does not respond in time */
  slow?: string;
  /** runs the handlers of this lane */
  handlersOf?: string;
  /** calls servers of others, which may be unavailable for hours */
  callsOthers?: true;
};

/** A task does not wait for tasks of other lanes. A topic with handlers in several lanes passes them in this order. */
export const LANES = {
  /** immediate */
  foreground: { places: 4, placesPerKey: { cause: 1 }, retrySeconds: UP_TO_AN_HOUR },
  /** tasks that write for each of very many readers */
  fanout: { places: 3, placesPerKey: { cause: 1 }, retrySeconds: UP_TO_AN_HOUR },
  /** after CLEANUP_DELAY_MS, when every transaction that began before the task has ended */
  background: { places: 1, retrySeconds: UP_TO_AN_HOUR },
  /** tasks that run for minutes */
  long: { places: 1, retrySeconds: [1] },
  push: {
    places: 24,
    placesPerKey: { account: 1, host: 16, cause: 12 },
    retrySeconds: PUSH_RETRIES,
    slow: 'pushSlow',
    callsOthers: true,
  },
  pushSlow: {
    places: 4,
    placesPerKey: { account: 1, host: 2 },
    retrySeconds: PUSH_RETRIES,
    handlersOf: 'push',
    callsOthers: true,
  },
  /** A failed delivery sets the time of its next attempt. */
  webhook: {
    places: 64,
    placesPerKey: { account: 4, host: 4 },
    retrySeconds: WEBHOOK_RETRIES,
    slow: 'webhookSlow',
    callsOthers: true,
  },
  webhookSlow: {
    places: 8,
    placesPerKey: { account: 1, host: 1 },
    retrySeconds: WEBHOOK_RETRIES,
    handlersOf: 'webhook',
    callsOthers: true,
  },
  /** mails that a person waits for */
  mail: { places: 4, placesPerKey: { account: 1 }, retrySeconds: MAIL_RETRIES, callsOthers: true },
  /** notifications and digests */
  mailBulk: {
    places: 4,
    placesPerKey: { account: 1, cause: 2 },
    retrySeconds: MAIL_RETRIES,
    handlersOf: 'mail',
    callsOthers: true,
  },
} as const satisfies Record<Lane, LaneSettings>;

export const LANE_NAMES = Object.keys(LANES) as Lane[];

export function settingsOf(lane: Lane): LaneSettings {
  return LANES[lane];
}
