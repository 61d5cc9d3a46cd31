import { httpAddress, NetworkList, networkOf } from './networks.js';

describe('networkOf', () => {
  it('treats an IPv6 /64 as one client', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:0DB8:1:2::9'));
    expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
    expect(networkOf('fe80::1%eth0')).toBe(networkOf('fe80::2'));
    expect(networkOf('::1')).toBe('0:0:0:0::/64');
  });

  it('treats an IPv4 address as one client on any kind of socket', () => {
    expect(networkOf('::ffff:10.1.2.3')).toBe('10.1.2.3');
    expect(networkOf('10.1.2.3')).toBe('10.1.2.3');
  });
});

describe('NetworkList', () => {
  it('matches addresses, ranges and their names, in both families', () => {
    const list = new NetworkList(['loopback', '10.1.0.0/16', '2001:db8::/32', '192.0.2.7']);
    const inside = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.1.200.3', '2001:db8:ff::1', '192.0.2.7'];
    const outside = ['10.2.0.1', '2001:db9::1', '192.0.2.8', '::ffff:192.0.2.8', '', 'unknown'];
    expect(inside.filter((address) => !list.has(address))).toEqual([]);
    expect(outside.filter((address) => list.has(address))).toEqual([]);
  });

  it('matches a link-local peer, whose address names the interface', () => {
    const list = new NetworkList(['linklocal']);
    expect([list.has('fe80::1%eth0'), list.has('fd00::1%eth0')]).toEqual([true, false]);
  });

  it('can match every address, or none', () => {
    for (const address of ['127.0.0.1', '198.51.100.1', '2001:db8::1']) {
      expect([new NetworkList(['all']).has(address), new NetworkList(['off']).has(address)]).toEqual([true, false]);
    }
    expect(new NetworkList([]).has('127.0.0.1')).toBe(false);
  });
});

describe('the address of a server', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['localhost', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['fd00::2', 'http://[fd00::2]:3000'],
  ])('can be asked: %s', (host, address) => {
    expect(httpAddress(host, 3000)).toBe(address);
    expect(new URL(address).port).toBe('3000');
  });
});
