import { AppConfig } from '../config/app-config.js';
import { ENV_SCHEMA } from '../config/env.schema.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { SignInDelays } from './sign-in-delays.js';

const REFUSED = { code: 'rate_limited', retryAfterSeconds: expect.any(Number) as number };

function delaysOn(bus: ClusterBus, overrides: Record<string, string> = {}): SignInDelays {
  return new SignInDelays(new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), ...overrides })), bus);
}

/** two processes of a host, as far as the bus tells */
function twoBuses(): [ClusterBus, ClusterBus] {
  const handlers: ((message: never) => void)[] = [];
  const bus = (index: number) =>
    new ClusterBus({
      send: (message) => {
        if (message.type !== 'publish') return;
        const { from, sequence, channel, message: content } = message;
        handlers[1 - index]!({ type: 'deliver', from, sequence, channel, message: content } as never);
      },
      receive: (handler) => {
        handlers[index] = handler;
      },
    });
  return [bus(0), bus(1)];
}

const signIn = (account: string, address: string, isKnown = false) => ({
  account,
  address,
  isKnownNetwork: () => Promise.resolve(isKnown),
});
const wrong = () => Promise.resolve(false);
const right = () => Promise.resolve(true);

describe('sign-in delays', () => {
  it('are the same in every process of the host, attempts under way included', async () => {
    const [a, b] = twoBuses().map((bus) => delaysOn(bus)) as [SignInDelays, SignInDelays];
    let letGo: (isRight: boolean) => void = () => undefined;
    const slow = new Promise<boolean>((resolve) => (letGo = resolve));
    const underWay = [a, a, b].map((each) => each.guard(signIn('ada', '10.0.0.1'), () => slow));
    for (const each of [a, b])
      await expect(each.guard(signIn('ada', '10.0.0.2'), right)).rejects.toMatchObject(REFUSED);
    letGo(false);
    expect(await Promise.all(underWay)).toEqual([false, false, false]);
    await expect(b.guard(signIn('ada', '10.0.0.1'), right)).rejects.toMatchObject({ retryAfterSeconds: 1 });
    await expect(a.guard(signIn('ada', '10.9.9.9'), right)).rejects.toMatchObject(REFUSED);
    expect(await a.guard(signIn('grace', '10.0.0.1'), right)).toBe(true);
  });

  it('end with a success for the network it came from, and for no other', async () => {
    const delays = delaysOn(new ClusterBus());
    for (let attempt = 0; attempt < 2; attempt++) {
      await delays.guard(signIn('ada', '10.0.0.1'), wrong);
      await delays.guard(signIn('ada', '10.0.0.2', true), wrong);
    }
    await expect(delays.guard(signIn('ada', '10.0.0.1'), right)).rejects.toMatchObject(REFUSED);
    expect(await delays.guard(signIn('ada', '10.0.0.2', true), right)).toBe(true);
    // two failures are left, those of the other one
    expect(await delays.guard(signIn('ada', '10.0.0.1'), wrong)).toBe(false);
    await expect(delays.guard(signIn('ada', '10.0.0.3'), right)).rejects.toMatchObject(REFUSED);
  });

  it('take a check that could not be made for no failure', async () => {
    const delays = delaysOn(new ClusterBus());
    const overloaded = () => Promise.reject(new Error('overloaded'));
    for (let attempt = 0; attempt < 20; attempt++)
      await expect(delays.guard(signIn('ada', '10.0.0.1'), overloaded)).rejects.toThrow('overloaded');
    expect(await delays.guard(signIn('ada', '10.0.0.1'), right)).toBe(true);
  });

  it('take a /64 of IPv6 for one client', async () => {
    const delays = delaysOn(new ClusterBus());
    for (let guess = 0; guess < 10; guess++)
      await delays.guard(signIn(`name:n${guess}`, `2001:db8:0:1::${guess}`), wrong);
    await expect(delays.guard(signIn('ada', '2001:db8:0:1::ffff'), right)).rejects.toMatchObject(REFUSED);
    expect(await delays.guard(signIn('ada', '2001:db8:0:2::1'), right)).toBe(true);
  });

  it('do nothing where limits are switched off', async () => {
    const delays = delaysOn(new ClusterBus(), { RATE_LIMIT_ENABLED: 'false' });
    for (let attempt = 0; attempt < 20; attempt++)
      expect(await delays.guard(signIn('ada', '10.0.0.1'), wrong)).toBe(false);
  });
});
