import { httpAddress } from './http-address.js';

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
