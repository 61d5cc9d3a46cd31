import { BlockList, isIPv6 } from 'node:net';

/** Names for ranges in settings. */
export const NAMED_RANGES: Record<string, string[]> = {
  off: [],
  all: ['0.0.0.0/0', '::/0'],
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** A list of addresses, CIDR ranges and named ranges, as in a setting. */
export class NetworkList {
  private readonly list = new BlockList();

  constructor(ranges: string[]) {
    for (const range of ranges.flatMap((name) => NAMED_RANGES[name] ?? [name])) {
      const [address, bits] = range.split('/') as [string, string | undefined];
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.list.addAddress(address, family);
      else this.list.addSubnet(address, Number(bits), family);
    }
  }

  has(address: string): boolean {
    // The address of a link-local peer ends with its interface, `fe80::1%eth0`.
    const plain = unmapIpv4(address.split('%', 1)[0]!);
    return plain !== '' && this.list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  }
}

/** Returns the network of a client. An IPv6 client owns its whole /64, so all addresses within it are one client. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const plain = unmapIpv4(address);
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('%', 1)[0]!.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? before
      : [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`;
}

/** Returns the IPv6 site (/48) of an address, which one customer may own, or undefined for IPv4. */
export function siteOf(address: string): string | undefined {
  const network = networkOf(address);
  return network.includes(':') ? `${network.split(':', 3).join(':')}::/48` : undefined;
}

/** Returns the part of an address that may be shown: the network (/24, of IPv6 /48), not the host. */
export function wideNetworkOf(address: string): string {
  return siteOf(address) ?? `${networkOf(address).split('.').slice(0, 3).join('.')}.0/24`;
}

/** Converts an IPv4 address on a dual-stack socket to its plain form. */
function unmapIpv4(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** Returns the URL under which clients reach a server that listens at this address. */
export function httpAddress(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
