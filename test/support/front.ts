import { Nginx, UNLIMITED } from './nginx.js';
import { findComponent } from './optional.js';

/** What stands before the apps and servers under test in this run; `npm run test:e2e -- --front nginx --redis` sets it. */
export const FRONT = {
  isNginx: process.env.TEST_FRONT === 'nginx',
  redisUrl: process.env.TEST_REDIS_URL,
};

/** As behind a load balancer that says whom it speaks for: specs have clients of many addresses. */
const BEHIND_ANOTHER = { set_real_ip_from: '127.0.0.1', real_ip_header: 'X-Forwarded-For' };

/** Settings of a server that this run wants; those of the spec go before them. */
export function frontEnvironment(): Record<string, string> {
  return {
    ...(FRONT.isNginx && { HTTP_TRUSTED_PROXIES: '127.0.0.1' }),
    ...(FRONT.redisUrl !== undefined && { REDIS_URL: FRONT.redisUrl, CACHE_L2: 'true' }),
  };
}

/** Where clients ask: nginx in front of the server, or the server itself. */
export async function startFront(serverUrl: string): Promise<{ url: string; close: () => Promise<void> }> {
  if (!FRONT.isNginx) return { url: serverUrl, close: () => Promise.resolve() };
  const binary = findComponent('nginx');
  if (binary === undefined) throw new Error('--front nginx needs nginx: apt-get install nginx');
  const nginx = new Nginx(binary, serverUrl);
  // the machine of the tests may be busy with something else
  await nginx.start({ ...UNLIMITED, ...BEHIND_ANOTHER, proxy_connect_timeout: '30s' });
  return { url: nginx.url, close: () => nginx.remove() };
}
