import { exportCounter } from '../prometheus/metric.js';

/**
 * The ways of a response: the response cache in front of the framework, other responses before the framework (rejected and shed
 * requests), and the framework.
 */
const WAYS = ['cached', 'native', 'framework'] as const;
type Way = (typeof WAYS)[number];

const STATUS_CLASSES = [1, 2, 3, 4, 5];
/** by status class; plain numbers, because a cache hit takes microseconds */
const counts: Record<Way, number[]> = { cached: zeros(), native: zeros(), framework: zeros() };

exportCounter({
  name: 'opencanvas_http_requests_total',
  help: 'All requests, by the way of their response (cached, native, framework) and status',
  labelNames: ['way', 'status'],
  read: () =>
    WAYS.flatMap((way) => STATUS_CLASSES.map((at) => [{ way, status: `${at}xx` }, counts[way][at]!] as const)),
});

export function countResponse(way: Way, status: number): void {
  counts[way][(status / 100) | 0]!++;
}

function zeros(): number[] {
  return Array<number>(STATUS_CLASSES.length + 1).fill(0);
}
