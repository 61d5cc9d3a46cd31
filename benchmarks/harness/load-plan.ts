import type { LatencySummary } from './statistics.js';

/** The expected response to one request. The status is checked on every response, the rest on sampled responses. */
export type Expectation = {
  status: number;
  /** Ids of `data[]`, in order. */
  ids?: string[];
  /** Top-level members and their exact values. */
  members?: Record<string, unknown>;
  /** Length and SHA-256 of the whole body. */
  body?: { bytes: number; sha256: string };
};

export type PreparedRequest = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  expect: Expectation;
};

/** One load for the generator process, which gets it as one message. */
export type LoadPlan = ClosedLoopPlan | OpenLoopPlan;

type PlanBase = {
  url: string;
  /** Root of the server's process tree; null for a server elsewhere. */
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
  /** Connection i cycles through lane i % lanes.length. */
  lanes: PreparedRequest[][];
};

/** The warm-up continues beyond its seconds until this number of responses has arrived, but for at most `maxSeconds`. */
export type LongWarmup = { requests: number; maxSeconds: number };

export type OpenLoopPlan = PlanBase & {
  mode: 'open';
  /** Sent in order, repeatedly. */
  requests: PreparedRequest[];
  phases: LoadPhase[];
  maxSockets: number;
};

/** The rate changes linearly from `fromPerSecond` to `toPerSecond`. An untimed phase warms up. */
export type LoadPhase = { name: string; seconds: number; fromPerSecond: number; toPerSecond: number; isTimed: boolean };

/** The result of one timed phase of load. */
export type Measurement = {
  phase: string;
  /** null for an open loop */
  connections: number | null;
  pipelining: number | null;
  seconds: number;
  /** Responses before the window opened; closed loop only. */
  warmupRequests: number;
  requests: number;
  /** Responses with the expected status. */
  succeeded: number;
  latencyMs: LatencySummary;
  /** Latency of the responses 429 and 503; null when there were none. */
  refusalMs: LatencySummary | null;
  errors: number;
  timeouts: number;
  non2xx: number;
  /** Responses with an unexpected status or (sampled) body. */
  unexpected: number;
  unexpectedExample: string | null;
  checkedBodies: number;
  bytes: number;
  serverCpuMicros: number | null;
  mongodCpuMicros: number | null;
  rssBytes: number | null;
  /** The generator's own CPU as a share of one core. Near 1, the result measures the generator. */
  generatorCpuShare: number;
  /** Open loop: the largest delay of the generator's own sends (ms). */
  maxSendLagMs: number;
  statuses: Record<string, number>;
};
