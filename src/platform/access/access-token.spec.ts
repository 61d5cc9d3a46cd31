import { jest } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { AppConfig } from '../../config/app-config.js';
import { ENV_SCHEMA } from '../../config/env.schema.js';
import { AccessTokenService } from './access-token.service.js';

const ACCOUNT = { id: '64b000000000000000000001', role: 'user' } as const;
const REFUSED = expect.objectContaining({ code: 'invalid_token' }) as Error;

describe('cached access tokens', () => {
  let tokens: AccessTokenService;
  beforeEach(async () => {
    jest.useFakeTimers({ now: 1_800_000_000_000 });
    const env = { AUTH_TOKEN_SECRET: 'x'.repeat(40), AUTH_ACCESS_TOKEN_TTL_SECONDS: '900' };
    const module = await Test.createTestingModule({ providers: [AppConfig, AccessTokenService] })
      .overrideProvider(AppConfig)
      .useValue(new AppConfig(ENV_SCHEMA.parse(env)))
      .compile();
    tokens = module.get(AccessTokenService);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are refused once they expired: being remembered lengthens no life', () => {
    const { accessToken } = tokens.issue(ACCOUNT);
    expect(tokens.authenticate(`Bearer ${accessToken}`)).toMatchObject(ACCOUNT);
    jest.setSystemTime(1_800_000_000_000 + 899_000);
    expect(tokens.authenticate(`Bearer ${accessToken}`)).toMatchObject(ACCOUNT);
    jest.setSystemTime(1_800_000_000_000 + 900_001);
    expect(() => tokens.authenticate(`Bearer ${accessToken}`)).toThrow(REFUSED);
  });

  it('are refused after the deletion of their account', () => {
    const { accessToken } = tokens.issue(ACCOUNT);
    expect(tokens.authenticate(`Bearer ${accessToken}`)).toMatchObject(ACCOUNT);
    tokens.revoke(ACCOUNT.id);
    expect(() => tokens.authenticate(`Bearer ${accessToken}`)).toThrow(REFUSED);
  });

  it('are refused after the end of their session, until they expire, unlike those of other sessions', () => {
    const [ended, other] = ['a', 'b'].map((digit) => {
      const signInId = digit.repeat(24);
      return { signInId, header: `Bearer ${tokens.issue({ ...ACCOUNT, signInId }).accessToken}` };
    }) as [{ signInId: string; header: string }, { signInId: string; header: string }];
    expect(tokens.authenticate(ended.header)).toMatchObject({ ...ACCOUNT, signInId: ended.signInId });
    tokens.revoke(ended.signInId);
    jest.setSystemTime(1_800_000_000_000 + 899_000);
    tokens.revoke('c'.repeat(24));
    expect(() => tokens.authenticate(ended.header)).toThrow(REFUSED);
    expect(tokens.authenticate(other.header)?.signInId).toBe(other.signInId);
  });

  it('vouch for no other token: one changed character is a forgery', () => {
    const { accessToken } = tokens.issue(ACCOUNT);
    tokens.authenticate(`Bearer ${accessToken}`);
    const forged = accessToken.slice(0, -2) + (accessToken.endsWith('AA') ? 'BB' : 'AA');
    expect(() => tokens.authenticate(`Bearer ${forged}`)).toThrow(REFUSED);
  });
});
