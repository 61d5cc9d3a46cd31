import type { INestApplicationContext } from '@nestjs/common';
import type { Topic } from '../../src/common/topic.js';
import { EventStream } from '../../src/platform/events/event-stream.js';
import { EventPublisher } from '../../src/platform/events/event-publisher.js';
import { Nginx, UNLIMITED } from './nginx.js';
import { findComponent } from './optional.js';
import { until } from './until.js';

/** Proxies in front of the servers under test in this run. `npm run test:e2e -- --front nginx --redis --hosts 2` sets them. */
export const FRONT = {
  isNginx: process.env.TEST_FRONT === 'nginx',
  hosts: Number(process.env.TEST_HOSTS ?? '1'),
  redisUrl: process.env.TEST_REDIS_URL,
};

/** A load balancer forwards client addresses, because specs have clients of many addresses. */
const BEHIND_ANOTHER = { set_real_ip_from: '127.0.0.1', real_ip_header: 'X-Forwarded-For' };

/** Settings of a server in this run. Settings of the spec take precedence. */
export function frontEnvironment(hosts = FRONT.hosts): Record<string, string> {
  return {
    ...(FRONT.isNginx && { HTTP_TRUSTED_PROXIES: '127.0.0.1' }),
    // Without a jobs process this host follows the other host.
    ...(hosts > 1 && { JOBS_ENABLED: 'false' }),
    ...(FRONT.redisUrl !== undefined && { REDIS_URL: FRONT.redisUrl, CACHE_L2: 'true' }),
  };
}

/** Starts nginx if this run has it. Returns the URL of nginx, or of the first server. */
export async function startFront(...serverUrls: string[]): Promise<{ url: string; close: () => Promise<void> }> {
  if (!FRONT.isNginx) return { url: serverUrls[0]!, close: () => Promise.resolve() };
  const binary = findComponent('nginx');
  if (binary === undefined) throw new Error('--front nginx needs nginx: apt-get install nginx');
  const nginx = new Nginx(binary, ...serverUrls);
  // The test machine may be busy.
  await nginx.start({ ...UNLIMITED, ...BEHIND_ANOTHER, proxy_connect_timeout: '30s' });
  return { url: nginx.url, close: () => nginx.remove() };
}

const ASKED: Topic<number> = { name: 'test.asked' };

/**
 * Resolves when each host has received everything committed before, because the next request of a spec may reach any host. Concurrent
 * calls share one round.
 */
export async function deliveryOf(hosts: INestApplicationContext[]): Promise<() => Promise<void>> {
  const latest = hosts.map(() => 0);
  let asked = 0;
  for (const [at, host] of hosts.entries())
    host.get(EventStream).subscribe(ASKED, { onEvent: (number) => (latest[at] = number), onGap: () => {} });
  await until(() => hosts.every((host) => host.get(EventStream).isOpen) || null);
  const round = async (): Promise<void> => {
    const number = ++asked;
    await hosts[0]!.get(EventPublisher).publishNow(ASKED, number);
    await until(() => latest.every((last) => last >= number) || null);
  };
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return (running = round());
      }));
}
