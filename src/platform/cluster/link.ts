import cluster from 'node:cluster';
import type { BusLink } from './bus.js';
import { type FromPrimary, isMessage, type ToPrimary } from './ipc.js';

/** Does nothing once the channel is closed, because then this process exits anyway. */
export function tellPrimary(message: ToPrimary, onSent: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, onSent);
  else onSent();
}

export function hearPrimary(handler: (message: FromPrimary) => void): void {
  process.on('message', (message) => {
    if (isMessage(message)) handler(message as FromPrimary);
  });
}

/** The link to the primary, or undefined in a process without one. */
export function linkToPrimary(): BusLink | undefined {
  return cluster.isWorker ? { send: (message) => tellPrimary(message), receive: hearPrimary } : undefined;
}
