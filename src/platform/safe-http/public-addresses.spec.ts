import { isPublicAddress } from './public-addresses.js';

describe('isPublicAddress', () => {
  it.each([
    ['this network', ['0.0.0.0', '0.1.2.3']],
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1', '::']],
    ['private networks', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1']],
    ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
    ['link-local, metadata services too', ['169.254.169.254', 'fe80::1', 'fe80::1%lo', 'fec0::1']],
    ['multicast and broadcast', ['224.0.0.1', '239.1.2.3', '255.255.255.255', 'ff02::1']],
    ['documentation and benchmarks', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1']],
    ['reserved', ['192.0.0.8', '192.88.99.1', '240.0.0.1', '3fff::1', '5f00::1', '100::1']],
    [
      'mapped and compatible IPv4',
      ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::ffff:808:808', '::7f00:1'],
    ],
    ['6to4, Teredo, NAT64', ['2002:7f00:1::1', '2001::1', '2001:0:7f00:1::', '64:ff9b::7f00:1', '64:ff9b:1::1']],
    ['no address at all', ['', 'localhost', '127.1', '0x7f000001', '1.2.3.4.5']],
  ])('knows %s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it('allows hosts of the internet, on both sides of each range', () => {
    const hosts = [
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
    ];
    const more = ['172.15.255.255', '172.32.0.1', '192.167.1.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::1'];
    const v6 = ['2001:4860:4860::8888', '2003::1', '3ffe::1'];
    expect([...hosts, ...more, ...v6].filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});
