import { lookup, Resolver } from 'node:dns/promises';

/** The addresses of a name. */
export type Resolve = (hostname: string) => Promise<string[]>;

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/** Queries DNS only: a slow name server must not occupy the few threads that the files and hashes of a process share. */
export const resolveByDns: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

/** As every program of this machine does, with its hosts file and its search domains. */
export const resolveBySystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
