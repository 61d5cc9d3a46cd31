import { Injectable } from '@nestjs/common';
import { CodedError } from '../../common/errors.js';
import { AccessTokenService } from './access-token.service.js';
import type { Viewer } from './viewer.js';

const API_TOKEN = /^Bearer (oca_[A-Za-z0-9_-]{43})$/i;
/** How long a process caches a verified token. A revocation in the meantime is published with the ended tokens. */
const KEPT_MS = 60_000;

/** `expiresAt` null: never */
export type FoundApiToken = { viewer: Viewer; expiresAt: Date | null };
type LookUp = (token: string) => Promise<FoundApiToken | null>;

/**
 * API tokens are rows that must be looked up before AccessTokenService knows them; then it caches them beside access tokens. The module
 * of API tokens registers the lookup.
 */
@Injectable()
export class ApiTokenGate {
  private lookUp: LookUp | undefined;

  constructor(private readonly tokens: AccessTokenService) {}

  register(lookUp: LookUp): void {
    this.lookUp = lookUp;
  }

  /** Null if there is nothing to wait for. Rejects with CodedError `invalid_token` for an unknown, revoked or expired token. */
  prepare(authorization: string | undefined): Promise<void> | null {
    if (authorization === undefined || this.tokens.isKnown(authorization)) return null;
    const token = API_TOKEN.exec(authorization)?.[1];
    return token === undefined ? null : this.find(authorization, token);
  }

  private async find(authorization: string, token: string): Promise<void> {
    const found = await this.lookUp?.(token);
    if (!found) throw new CodedError('invalid_token', 'The API token is unknown, revoked or expired.');
    const untilMs = Math.min(Date.now() + KEPT_MS, found.expiresAt?.getTime() ?? Infinity);
    this.tokens.keep(authorization, Object.freeze(found.viewer), untilMs);
  }
}
