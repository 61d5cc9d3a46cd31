import { Injectable } from '@nestjs/common';
import { CodedError } from '../../common/errors.js';
import { AccessTokenService } from './access-token.service.js';
import type { Audience, Viewer } from './viewer.js';

const BEARER = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i;
/** How long a process caches a verified token. A revocation event rejects the token earlier. */
const CACHE_TTL_MS = 60_000;

/** `expiresAt` null: never */
export type FoundToken = { viewer: Viewer; expiresAt: Date | null };

export type TokenKind = {
  form: RegExp;
  /** the only routes that accept the tokens; absent: all */
  audience?: Audience;
  /** Returns null for a token that is unknown, revoked or expired. */
  find: (token: string) => Promise<FoundToken | null>;
};

/** Looks up long-lived tokens, which modules register by kind, before `AccessTokenService` caches them beside access tokens. */
@Injectable()
export class ApiTokenVerifier {
  private readonly kinds: TokenKind[] = [];
  /** by the whole Authorization header, so that concurrent requests share one lookup */
  private readonly finding = new Map<string, Promise<void>>();

  constructor(private readonly tokens: AccessTokenService) {}

  register(kind: TokenKind): void {
    this.kinds.push(kind);
  }

  /** Returns null if no lookup is needed. Rejects with CodedError `invalid_token` for an unknown, revoked or expired token. */
  prepare(authorization: string | undefined, audience?: Audience): Promise<void> | null {
    if (authorization === undefined || this.tokens.isKnown(authorization)) return null;
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) return null;
    const kind = this.kinds.find(
      (one) => (one.audience === undefined || one.audience === audience) && one.form.test(token),
    );
    if (kind === undefined) return null;
    let found = this.finding.get(authorization);
    if (found === undefined) {
      found = this.find(authorization, kind.find(token)).finally(() => this.finding.delete(authorization));
      this.finding.set(authorization, found);
    }
    return found;
  }

  private async find(authorization: string, finding: Promise<FoundToken | null>): Promise<void> {
    const found = await finding;
    if (found === null) throw new CodedError('invalid_token', 'The token is unknown, revoked or expired.');
    const untilMs = Math.min(Date.now() + CACHE_TTL_MS, found.expiresAt?.getTime() ?? Infinity);
    this.tokens.cacheVerified(authorization, Object.freeze(found.viewer), untilMs);
  }
}
