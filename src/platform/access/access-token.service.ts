import { Injectable } from '@nestjs/common';
import { createSigner, createVerifier } from 'fast-jwt';
import { ObjectId } from 'mongodb';
import { BoundedMap } from '../../common/bounded.js';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { ROLES, type Role, type Viewer, type ViewerClaims } from './viewer.js';

export const TOKEN_ISSUER = 'opencanvas-api';
export const TOKEN_AUDIENCE = 'opencanvas-clients';

/** Maximum number of cached verified tokens. Above it, the cache evicts the oldest token. */
const MAX_VERIFIED = 10_000;

const ID = /^[0-9a-f]{24}$/;
/** The header has exactly one space, because the cache would store every other form as another token. */
const BEARER = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i;

/** `ev`: the e-mail address is verified; `st`: end of the suspension in ms, 0: without an end; both absent otherwise */
type Claims = { sub: string; role: Role; sid?: string; ev?: true; st?: number };
type SignedClaims = Claims & { iat: number; exp: number };
type AccessToken = { accessToken: string; expiresIn: number };
type VerifiedToken = { viewer: Viewer; expiresAtMs: number };

/**
 * Issues and verifies short-lived JWTs with one algorithm, issuer and audience. Caches verified headers until their token expires, so a
 * second request costs a map lookup (fast-jwt's own cache hashes the token first, 4 % of a vote: docs/experiments.md).
 */
@Injectable()
export class AccessTokenService {
  readonly ttlSeconds: number;
  private readonly sign: (claims: Claims) => string;
  private readonly verifiers: ((token: string) => SignedClaims)[];
  /** by the whole Authorization header */
  private readonly verifiedTokens = new BoundedMap<string, VerifiedToken>(MAX_VERIFIED);
  /** deleted accounts and revoked sessions: id -> time (ms) at which all their tokens have expired, the earliest first */
  private readonly revoked = new Map<string, number>();

  /** of `performance.now()`: until then this process has received every revocation */
  trustedUntil = Infinity;
  reportUseAfter = Infinity;
  reportUse: (now: number) => void = () => {};
  private confirming: () => Promise<true> = () => Promise.resolve(true);

  constructor(config: AppConfig) {
    this.ttlSeconds = config.auth.accessTokenTtlSeconds;
    const { tokenSecrets } = config.auth;
    const common = { key: tokenSecrets[0], algorithm: 'HS256' as const };
    this.sign = createSigner({ ...common, expiresIn: this.ttlSeconds * 1000, iss: TOKEN_ISSUER, aud: TOKEN_AUDIENCE });
    this.verifiers = tokenSecrets.map((key) =>
      createVerifier({
        key,
        algorithms: ['HS256'],
        allowedIss: TOKEN_ISSUER,
        allowedAud: TOKEN_AUDIENCE,
        requiredClaims: ['sub', 'exp', 'iat'],
      }),
    );
  }

  issue({ id, role, signInId, isEmailVerified, suspendedUntil }: ViewerClaims): AccessToken {
    const claims: Claims = { sub: id, role };
    if (signInId !== undefined) claims.sid = signInId;
    if (isEmailVerified === true) claims.ev = true;
    if (suspendedUntil !== undefined) claims.st = suspendedUntil === Infinity ? 0 : suspendedUntil;
    return { accessToken: this.sign(claims), expiresIn: this.ttlSeconds };
  }

  /** Returns the viewer of an Authorization header, or null without a header. @throws CodedError `invalid_token` */
  authenticate(authorization: string | undefined): Viewer | null {
    if (authorization === undefined) return null;
    let verified = this.verifiedTokens.get(authorization);
    if (verified === undefined || verified.expiresAtMs <= Date.now()) verified = this.verify(authorization);
    const { viewer } = verified;
    if (this.revoked.size > 0) {
      if (this.revoked.has(viewer.id))
        throw new CodedError('invalid_token', 'The account of this access token was deleted.');
      if (viewer.signInId !== undefined && this.revoked.has(viewer.signInId))
        throw new CodedError('invalid_token', 'The session or API token was revoked. Sign in again.');
    }
    return viewer;
  }

  /** Whether the account of a verified token was deleted, or its session revoked. */
  isRevoked({ id, signInId }: Viewer): boolean {
    return this.revoked.has(id) || (signInId !== undefined && this.revoked.has(signInId));
  }

  /** Returns null while this process has every revocation. Otherwise resolves when it has, and rejects if the database does not respond. */
  confirm(): Promise<true> | null {
    const now = performance.now();
    if (now > this.reportUseAfter) this.reportUse(now);
    return now < this.trustedUntil ? null : this.confirming();
  }

  /** Registers the source of revoked tokens. */
  confirmWith(confirm: () => Promise<true>): void {
    this.confirming = confirm;
  }

  /** Whether the cache contains this header, so that authentication costs a map lookup. */
  isKnown(authorization: string): boolean {
    const verified = this.verifiedTokens.get(authorization);
    return verified !== undefined && verified.expiresAtMs > Date.now();
  }

  /** Caches a verified header. */
  cacheVerified(authorization: string, viewer: Viewer, expiresAtMs: number): VerifiedToken {
    const verified = { viewer, expiresAtMs };
    this.verifiedTokens.set(authorization, verified);
    return verified;
  }

  /** Evicts looked-up tokens after a gap in the event stream, which may have contained their revocation. */
  evictLookedUp(): void {
    for (const [authorization, { viewer }] of this.verifiedTokens) {
      if (viewer.scopes !== undefined || viewer.audience !== undefined) this.verifiedTokens.delete(authorization);
    }
  }

  private verify(authorization: string): VerifiedToken {
    this.verifiedTokens.delete(authorization);
    const match = BEARER.exec(authorization);
    if (!match) throw new CodedError('invalid_token', 'The Authorization header must read `Bearer <token>`.');
    const claims = this.claimsOf(match[1]!);
    const { sub: id, role, sid: signInId, ev, st, exp } = claims;
    if (!ID.test(id) || !ROLES.includes(role) || (signInId !== undefined && !ID.test(signInId))) {
      throw new CodedError('invalid_token', 'The access token belongs to no account.');
    }
    const suspended = st === undefined ? {} : { suspendedUntil: st === 0 ? Infinity : st };
    const _id = ObjectId.createFromHexString(id);
    const viewer = Object.freeze({ _id, id, role, signInId, isEmailVerified: ev, ...suspended });
    return this.cacheVerified(authorization, viewer, exp * 1000);
  }

  private claimsOf(token: string): SignedClaims {
    for (const verify of this.verifiers) {
      try {
        return verify(token);
      } catch {
        // The token has another secret or issuer.
      }
    }
    throw new CodedError(
      'invalid_token',
      'The access token is malformed, expired or not one of ours; refresh it or sign in again.',
    );
  }

  /** Rejects all tokens of an account or session. The doubled lifetime covers tokens that a host with a fast clock has just issued. */
  revoke(id: string): void {
    const now = Date.now();
    for (const [earliest, until] of this.revoked) {
      if (until > now) break;
      this.revoked.delete(earliest);
    }
    this.revoked.delete(id);
    this.revoked.set(id, now + 2 * this.ttlSeconds * 1000);
  }
}
