import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Encryptor } from '../../common/encryptor.js';
import { AppConfig } from '../../config/app-config.js';

/** The state that this server needs when the browser returns from the provider. */
export type SignInFlow = {
  provider: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  /** validated */
  returnTo: string;
  /** URL of this server to which the provider sends the browser */
  callback: string;
  /** the account to link; null: a sign-in */
  linkTo: string | null;
  /** the code of an invite, for a first sign-in */
  invite?: string | undefined;
};

const FLOW_SECONDS = 600;
const MAX_COOKIE_LENGTH = 4_000;
/** Maximum length of all flows of one browser, because request headers have a limit. */
const MAX_COOKIES_LENGTH = 8_000;

type EncryptedFlow = SignInFlow & { expiresAt: number };

/**
 * Stores each flow in an encrypted cookie named after its state: a response of the provider is valid only in the browser that started the
 * flow, and concurrent sign-ins of one browser do not interfere.
 */
@Injectable()
export class SignInFlows {
  private readonly encryptor: Encryptor;

  constructor(private readonly config: AppConfig) {
    this.encryptor = new Encryptor(config.auth.tokenSecrets, 'oidc-flow');
  }

  /** Returns Set-Cookie values: the new flow, and removals of the oldest flows over the limit. @param cookies of the request */
  startCookies(flow: SignInFlow, cookies: string): string[] {
    const expiresAt = Date.now() + FLOW_SECONDS * 1_000;
    const value = this.encryptor.encrypt({ ...flow, expiresAt }).toString('base64url');
    let left = MAX_COOKIES_LENGTH - value.length;
    const others = this.flowsIn(cookies).sort((a, b) => (b.flow?.expiresAt ?? 0) - (a.flow?.expiresAt ?? 0));
    const tooMany = others.filter(({ length }) => (left -= length) < 0);
    return [this.cookie(this.nameOf(flow.state), value, FLOW_SECONDS), ...tooMany.map(({ name }) => this.cookie(name))];
  }

  /** Returns the Set-Cookie value that removes a flow after its first response. */
  endCookie({ state }: Pick<SignInFlow, 'state'>): string {
    return this.cookie(this.nameOf(state));
  }

  /** Returns null if no flow has this state, or if it was changed or has expired. */
  find(cookies: string, provider: string, state: string): SignInFlow | null {
    const flow = this.flowsIn(cookies).find(({ name }) => name === this.nameOf(state))?.flow ?? null;
    return flow !== null && flow.expiresAt > Date.now() && flow.provider === provider ? flow : null;
  }

  private flowsIn(cookies: string): { name: string; length: number; flow: EncryptedFlow | null }[] {
    return cookies
      .split(/; */)
      .filter((cookie) => cookie.startsWith(this.prefix))
      .map((cookie) => {
        const at = cookie.indexOf('=');
        const encrypted = cookie.length > MAX_COOKIE_LENGTH ? '' : cookie.slice(at + 1);
        const flow = this.encryptor.decrypt(Buffer.from(encrypted, 'base64url')) as EncryptedFlow | null;
        return { name: cookie.slice(0, at), length: cookie.length, flow };
      });
  }

  private cookie(name: string, value = '', maxAge = 0): string {
    return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${this.isSecure ? '; Secure' : ''}`;
  }

  private nameOf(state: string): string {
    return `${this.prefix}${createHash('sha256').update(state).digest('hex').slice(0, 16)}`;
  }

  /** `__Host-` stops other hosts of the domain from setting the cookie, but requires TLS, which local development lacks. */
  private get prefix(): string {
    return this.isSecure ? '__Host-sign-in-' : 'sign-in-';
  }

  private get isSecure(): boolean {
    return this.config.http.publicUrl?.startsWith('https:') ?? true;
  }
}
