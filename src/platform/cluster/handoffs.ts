import type { Worker } from 'node:cluster';

type Handle = { close(): void };
type ClusterMessage = { cmd?: string; act?: string; seq?: number; ack?: number; accepted?: boolean };
type Send = (message: ClusterMessage, handle?: Handle, ...rest: unknown[]) => boolean;

/**
 * node:cluster hands a new connection to a worker and closes its own copy when the worker says that it has it. A worker that is
 * killed in between says nothing: the connection would stay open in the primary for ever, and its client wait for an answer that
 * nobody writes. Closing it makes the client try again. The messages are node's own (lib/internal/cluster/round_robin_handle.js);
 * a version that names them otherwise costs nothing but this.
 */
export function closeLostHandoffs(worker: Worker): void {
  const underWay = new Map<number, Handle>();
  const child = worker.process;
  const send = child.send.bind(child) as unknown as Send;
  child.send = ((message: ClusterMessage, handle?: Handle, ...rest: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined && handle !== undefined)
      underWay.set(message.seq, handle);
    return send(message, handle, ...rest);
  }) as unknown as typeof child.send;
  child.on('internalMessage', (message: ClusterMessage) => {
    if (message.ack !== undefined) underWay.delete(message.ack);
  });
  worker.once('exit', () => {
    for (const handle of underWay.values()) handle.close();
    underWay.clear();
  });
}
