import { isIPv6 } from 'node:net';

/** The URL under which clients reach a server that listens there. */
export function httpAddress(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
