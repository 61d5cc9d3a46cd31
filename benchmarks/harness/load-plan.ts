import type { LatencySummary } from './statistics.js';

/** The expected response to one request. The status is checked on every response, the rest on sampled ones. */
export type Expectation = {
  status: number;
  /** ids of `data[]`, in order */
  ids?: string[];
  /** top-level members and their exact values */
  members?: Record<string, unknown>;
  /** length and SHA-256 of the whole body */
  body?: { bytes: number; sha256: string };
};

export type PreparedRequest = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  expect: Expectation;
};

/** One load for the generator process; sent to it as one message. */
export type LoadPlan = ClosedLoopPlan | OpenLoopPlan;

type PlanBase = {
  url: string;
  /** root of the server's process tree; null for a server elsewhere */
  serverPid: number | null;
  mongodPid: number | null;
  timeoutSeconds: number;
};

export type ClosedLoopPlan = PlanBase & {
  mode: 'closed';
  connections: number;
  pipelining: number;
  warmupSeconds: number;
  longWarmup?: LongWarmup | null;
  seconds: number;
  /** connection i cycles through lane i % lanes.length */
  lanes: PreparedRequest[][];
};

/** The warm-up continues beyond its seconds until this number of responses has arrived, but for at most `maxSeconds`. */
export type LongWarmup = { requests: number; maxSeconds: number };

export type OpenLoopPlan = PlanBase & {
  mode: 'open';
  /** sent in order, round and round */
  requests: PreparedRequest[];
  phases: LoadPhase[];
  maxSockets: number;
};

/** The rate moves in a straight line from `fromPerSecond` to `toPerSecond`; an untimed phase warms up. */
export type LoadPhase = { name: string; seconds: number; fromPerSecond: number; toPerSecond: number; isTimed: boolean };

/** The result of one timed phase of load. */
export type Measurement = {
  phase: string;
  /** null for an open loop */
  connections: number | null;
  pipelining: number | null;
  seconds: number;
  /** responses before the window opened; closed loop only */
  warmupRequests: number;
  requests: number;
  /** responses with the expected status */
  succeeded: number;
  latencyMs: LatencySummary;
  /** of the responses 429 and 503; null when there were none */
  refusalMs: LatencySummary | null;
  errors: number;
  timeouts: number;
  non2xx: number;
  /** responses with an unexpected status or (sampled) body */
  unexpected: number;
  unexpectedExample: string | null;
  checkedBodies: number;
  bytes: number;
  serverCpuMicros: number | null;
  mongodCpuMicros: number | null;
  rssBytes: number | null;
  /** the generator's own CPU as a share of one core: near 1, it is the generator that is being measured */
  generatorCpuShare: number;
  /** open loop: how late the generator itself sent, at worst (ms) */
  maxSendLagMs: number;
  statuses: Record<string, number>;
};
