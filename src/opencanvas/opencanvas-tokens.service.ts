import { Injectable, type OnModuleInit } from '@nestjs/common';
import { createSigner, createVerifier } from 'fast-jwt';
import { ObjectId } from 'mongodb';
import { CredentialsService } from '../auth/credentials.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { canonicalAddress } from '../common/canonical-address.js';
import { AppConfig } from '../config/app-config.js';
import { TOKEN_ISSUER } from '../platform/access/access-token.service.js';
import { ApiTokenVerifier, type FoundToken } from '../platform/access/api-token-verifier.js';
import { viewerOf } from '../users/actor.js';
import { isBanned } from '../users/standing.js';
import { UserAccountsService } from '../users/user-accounts.service.js';

const AUDIENCE = 'opencanvas';
const TTL_MS = 7 * 86_400_000;
/** A session expires unless its token, which was sent in a URL, is used within this time. */
export const FIRST_USE_MS = 5 * 60_000;

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const ID = /^[0-9a-f]{24}$/;

/** `sid`: the session id */
type Claims = { sub: string; sid: string; exp: number };
/** claims of tokens issued by an OpenCanvas server */
type OldClaims = { userId: unknown; email: unknown; exp: number };
type Verify<T> = (token: string) => T;

/**
 * Tokens of the OpenCanvas API: JWTs valid for seven days, because the client cannot refresh them. ApiTokenVerifier looks up the session of
 * each token, so a token expires with its session. With OPENCANVAS_JWT_SECRET, the server accepts unexpired tokens of the earlier server
 * for imported accounts whose address is unchanged.
 */
@Injectable()
export class OpenCanvasTokensService implements OnModuleInit {
  private readonly sign: (claims: Pick<Claims, 'sub' | 'sid'>) => string;
  private readonly verifiers: Verify<Claims>[];
  private readonly oldVerifiers: Verify<OldClaims>[];

  constructor(
    { auth: { tokenSecrets }, opencanvas: { jwtSecret } }: AppConfig,
    private readonly sessions: SessionsService,
    private readonly accounts: UserAccountsService,
    private readonly credentials: CredentialsService,
    private readonly tokenVerifier: ApiTokenVerifier,
  ) {
    const issued = { iss: TOKEN_ISSUER, aud: AUDIENCE, expiresIn: TTL_MS };
    this.sign = createSigner({ key: tokenSecrets[0], algorithm: 'HS256', ...issued });
    const own = { allowedIss: TOKEN_ISSUER, allowedAud: AUDIENCE, requiredClaims: ['sub', 'sid', 'exp'] };
    this.verifiers = tokenSecrets.map((key) => createVerifier({ key, algorithms: ['HS256'], ...own }));
    const old = { algorithms: ['HS256' as const], requiredClaims: ['userId', 'email', 'exp'] };
    this.oldVerifiers = jwtSecret === undefined ? [] : [createVerifier({ key: jwtSecret, ...old })];
  }

  onModuleInit(): void {
    this.tokenVerifier.register({ form: JWT, audience: AUDIENCE, find: (token) => this.find(token) });
  }

  /** Returns a token for a session that was opened with a lifetime of FIRST_USE_MS. */
  issue(userId: ObjectId, signInId: string): string {
    return this.sign({ sub: userId.toHexString(), sid: signInId });
  }

  private async find(token: string): Promise<FoundToken | null> {
    const claims = claimsIn(token, this.verifiers);
    if (claims !== null) return this.ofSession(claims);
    const old = claimsIn(token, this.oldVerifiers);
    return old === null ? null : this.ofImported(old);
  }

  private async ofSession({ sid, exp }: Claims): Promise<FoundToken | null> {
    if (!ID.test(sid)) return null;
    const expiresAt = new Date(exp * 1_000);
    const userId = await this.sessions.keepOpen(new ObjectId(sid), expiresAt);
    return userId === null ? null : this.tokenOf(userId, expiresAt, sid);
  }

  private async ofImported({ userId, email, exp }: OldClaims): Promise<FoundToken | null> {
    if (typeof userId !== 'string' || !ID.test(userId) || typeof email !== 'string') return null;
    const credential = await this.credentials.findById(new ObjectId(userId));
    const isImported = credential?.importedAt instanceof Date && credential.email === canonicalAddress(email);
    return isImported ? this.tokenOf(credential._id, new Date(exp * 1_000)) : null;
  }

  private async tokenOf(userId: ObjectId, expiresAt: Date, signInId?: string): Promise<FoundToken | null> {
    const owner = await this.accounts.actor(userId);
    if (owner === null || isBanned(owner)) return null;
    return { viewer: { ...viewerOf(owner), signInId, audience: AUDIENCE }, expiresAt };
  }
}

/** Returns null for a token that no verifier accepts. */
function claimsIn<T>(token: string, verifiers: Verify<T>[]): T | null {
  for (const verify of verifiers) {
    try {
      return verify(token);
    } catch {
      // The token is signed with another secret, expired, or issued for another audience.
    }
  }
  return null;
}
