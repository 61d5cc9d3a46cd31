import cluster from 'node:cluster';
import type { register } from 'prom-client';
import type { ProfileOptions } from '../processes/take-profile.js';

export type ProcessMetrics = Awaited<ReturnType<typeof register.getMetricsAsJSON>>;

/** IPC messages to the primary, which forwards messages in order. */
export type ToPrimary =
  | { type: 'ready' }
  /** response to `beat`, which proves that the event loop runs */
  | { type: 'alive' }
  /** a StartupError: one sentence for the operator instead of a crash */
  | { type: 'refused'; message: string }
  /** the metrics of the process so far */
  | { type: 'metrics'; metrics: ProcessMetrics }
  /** end of a requested profile */
  | { type: 'profiled'; error?: string }
  /** requests the metrics of the host */
  | { type: 'metricsPage' }
  | { type: 'publish'; channel: string; message: unknown };

export type FromPrimary =
  | { type: 'deliver'; channel: string; message: unknown }
  /** requests `metrics` */
  | { type: 'reportMetrics' }
  | { type: 'metricsPage'; page: string }
  | { type: 'profile'; options: ProfileOptions }
  | { type: 'beat' }
  | { type: 'drain'; options: DrainOptions };

export type DrainOptions = {
  /** Another process replaces this one on the same address, so readiness does not fail. */
  isReplaced: boolean;
  /** Time during which readiness fails before new connections are refused. The deadline starts afterwards. */
  noticeMs: number;
  /** Maximum time to finish requests in flight. Connections that are still open are then closed. */
  deadlineMs: number;
  /** maximum idle time of a keep-alive connection, so that its client gets `Connection: close` in a response instead of a reset */
  idleGraceMs: number;
};

export function isMessage(value: unknown): value is ToPrimary | FromPrimary {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** A process from the view of the primary. */
export type HubMember = { send(message: FromPrimary): void };

/** The link to the primary; a single process has none. */
export type BusLink = {
  send(message: ToPrimary): void;
  receive(handler: (message: FromPrimary) => void): void;
};

/** Does nothing once the channel is closed, because this process then exits. */
export function sendToPrimary(message: ToPrimary, onSent: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, onSent);
  else onSent();
}

export function onPrimaryMessage(handler: (message: FromPrimary) => void): void {
  process.on('message', (message) => {
    if (isMessage(message)) handler(message as FromPrimary);
  });
}

/** The link to the primary, or undefined in a process without one. */
export function linkToPrimary(): BusLink | undefined {
  return cluster.isWorker ? { send: (message) => sendToPrimary(message), receive: onPrimaryMessage } : undefined;
}
