import { isIPv6 } from 'node:net';

/** Where clients find what listens there. */
export function httpAddress(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
