import { isIPv4 } from 'node:net';
import { NetworkList } from '../../common/networks.js';

/** IANA's special-purpose registry, and networks of relays and multicast. */
const SPECIAL_IPV4 = new NetworkList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  // carrier-grade NAT
  '100.64.0.0/10',
  '127.0.0.0/8',
  // link-local, with the metadata services of clouds
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  // 6to4 relays
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** Global unicast. Excludes loopback, link-local, private, multicast, mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96) addresses. */
const GLOBAL_IPV6 = new NetworkList(['2000::/3']);

/** Excluded from the global range: protocol assignments with Teredo, documentation, and 6to4, which contains an IPv4 address. */
const SPECIAL_IPV6 = new NetworkList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Whether an address belongs to a host of the internet, not to this machine, its networks or its cloud. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !SPECIAL_IPV4.has(address);
  // A zone, as in fe80::1%eth0, has a meaning on this machine only.
  if (address.includes('%')) return false;
  return GLOBAL_IPV6.has(address) && !SPECIAL_IPV6.has(address);
}
