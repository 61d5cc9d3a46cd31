import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** A part of a request's time: in the queue of reads, until the batch of a write was committed, in `JSON.stringify`. */
type Layer = 'queue' | 'commit' | 'json';

/** in ms; of responses that have any */
const layers = new WeakMap<ServerResponse, Map<Layer, number>>();

/** Adds to the time of a layer. */
export function recordLayer(response: ServerResponse, layer: Layer, ms: number): void {
  const own = layers.get(response);
  if (own === undefined) layers.set(response, new Map([[layer, ms]]));
  else own.set(layer, (own.get(layer) ?? 0) + ms);
}

/** Returns the time in the queue of reads, in ms. */
export function waitOf(response: ServerResponse): number {
  return layers.get(response)?.get('queue') ?? 0;
}

/** Returns the header: the layers in the order in which they were recorded, and `total` since the request arrived, in ms. */
export function serverTiming({ raw, elapsedTime }: FastifyReply): string {
  const total = `total;dur=${(waitOf(raw) + elapsedTime).toFixed(1)}`;
  const own = layers.get(raw);
  if (own === undefined) return total;
  return [...Array.from(own, ([layer, ms]) => `${layer};dur=${ms.toFixed(1)}`), total].join(', ');
}
