import { Injectable } from '@nestjs/common';
import { Sealed } from '../common/sealed.js';
import { AppConfig } from '../config/app-config.js';

/** What this server must know again when the browser comes back from the provider. */
export type SignInFlow = {
  provider: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  /** checked */
  returnTo: string;
  /** the account that is to be linked; null: whoever the provider says signs in */
  linkTo: string | null;
};

const FLOW_SECONDS = 600;
const MAX_COOKIE_LENGTH = 8_000;

/** The flow travels in a cookie of the browser that began it, sealed: an answer of the provider is good in that browser alone. */
@Injectable()
export class SignInFlows {
  private readonly sealed: Sealed;

  constructor(private readonly config: AppConfig) {
    this.sealed = new Sealed(config.auth.tokenSecrets, 'oidc-flow');
  }

  /** A value of Set-Cookie. */
  begun(flow: SignInFlow): string {
    const expiresAt = Date.now() + FLOW_SECONDS * 1_000;
    return this.cookie(this.sealed.seal({ ...flow, expiresAt }).toString('base64url'), FLOW_SECONDS);
  }

  /** A value of Set-Cookie: a flow ends with its first answer. */
  ended(): string {
    return this.cookie('', 0);
  }

  /** Null without one, when it was changed, or when it took too long. */
  find(cookies: string, provider: string): SignInFlow | null {
    const begin = `${this.name}=`;
    const value = cookies.split(/; */).find((cookie) => cookie.startsWith(begin));
    if (value === undefined || value.length > MAX_COOKIE_LENGTH) return null;
    const opened = this.sealed.open(Buffer.from(value.slice(begin.length), 'base64url'));
    const flow = opened as (SignInFlow & { expiresAt: number }) | null;
    return flow !== null && flow.expiresAt > Date.now() && flow.provider === provider ? flow : null;
  }

  private cookie(value: string, maxAge: number): string {
    return `${this.name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${this.isSecure ? '; Secure' : ''}`;
  }

  /** `__Host-`: no other host of the domain can set it. Browsers want TLS for that, which a developer's machine has not. */
  private get name(): string {
    return this.isSecure ? '__Host-sign-in' : 'sign-in';
  }

  private get isSecure(): boolean {
    return this.config.http.publicUrl?.startsWith('https:') ?? true;
  }
}
