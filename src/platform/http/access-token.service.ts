import { Injectable } from '@nestjs/common';
import { createSigner, createVerifier } from 'fast-jwt';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { ROLES, type Role, type Viewer } from './viewer.js';

export const TOKEN_ISSUER = 'opencanvas-api';
export const TOKEN_AUDIENCE = 'opencanvas-clients';

type Claims = { sub: string; role: Role };

/**
 * Short-lived JWTs with one fixed algorithm, issuer and audience. Verifying is one HMAC over a ready key: no database read, no key
 * derivation. Verified tokens are remembered until they expire, so a client's second request costs a map lookup.
 */
@Injectable()
export class AccessTokenService {
  readonly ttlSeconds: number;
  private readonly sign: (claims: Claims) => string;
  private readonly verifyToken: (token: string) => Claims & { iat: number };
  /** accounts that ended while their tokens still live: user id -> end (ms); filled by whoever ends an account, in every process */
  private readonly revoked = new Map<string, number>();

  constructor(config: AppConfig) {
    this.ttlSeconds = config.auth.accessTokenTtlSeconds;
    const key = config.auth.tokenSecret;
    const common = { key, algorithm: 'HS256' as const };
    this.sign = createSigner({ ...common, expiresIn: this.ttlSeconds * 1000, iss: TOKEN_ISSUER, aud: TOKEN_AUDIENCE });
    this.verifyToken = createVerifier({
      key,
      algorithms: ['HS256'],
      allowedIss: TOKEN_ISSUER,
      allowedAud: TOKEN_AUDIENCE,
      requiredClaims: ['sub', 'exp', 'iat'],
      cache: 10_000,
      cacheTTL: 60_000,
    });
  }

  issue(viewer: Viewer): { accessToken: string; expiresIn: number } {
    return { accessToken: this.sign({ sub: viewer.id, role: viewer.role }), expiresIn: this.ttlSeconds };
  }

  /** @throws CodedError `invalid_token` for an expired, forged, foreign or malformed token, or one of an ended account */
  verify(token: string): Viewer {
    let claims: Claims & { iat: number };
    try {
      claims = this.verifyToken(token);
    } catch {
      throw new CodedError(
        'invalid_token',
        'The access token is malformed, expired or not one of ours; refresh it or sign in again.',
      );
    }
    if (!/^[0-9a-f]{24}$/.test(claims.sub) || !ROLES.includes(claims.role)) {
      throw new CodedError('invalid_token', 'The access token does not name an account of ours.');
    }
    const revokedAt = this.revoked.get(claims.sub);
    if (revokedAt !== undefined && claims.iat * 1000 <= revokedAt) {
      throw new CodedError('invalid_token', 'The account behind this access token has ended.');
    }
    return { id: claims.sub, role: claims.role };
  }

  /** Refuses every token of the account issued up to `at` (ms since the epoch). Entries live as long as such a token could. */
  revokeAccount(userId: string, at: number = Date.now()): void {
    const horizon = Date.now() - this.ttlSeconds * 1000;
    for (const [id, time] of this.revoked) if (time < horizon) this.revoked.delete(id);
    this.revoked.set(userId, at);
  }
}
