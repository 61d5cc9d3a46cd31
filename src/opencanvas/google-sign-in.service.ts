import { Injectable } from '@nestjs/common';
import { AuthService } from '../auth/auth.service.js';
import type { ClientInfo } from '../auth/client-info.js';
import { ProviderSignInService, type Step } from '../auth/providers/provider-sign-in.service.js';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { FIRST_USE_MS, OpenCanvasTokensService } from './opencanvas-tokens.service.js';

const PROVIDER = 'google';

/** The sign-in flow of the OpenCanvas client, which reads a token from the URL of the redirect. */
@Injectable()
export class GoogleSignInService {
  constructor(
    private readonly config: AppConfig,
    private readonly signIns: ProviderSignInService,
    private readonly auth: AuthService,
    private readonly tokens: OpenCanvasTokensService,
  ) {}

  /**
   * Starts the sign-in.
   * @throws CodedError `provider_not_found` if AUTH_OIDC_PROVIDERS lacks `google`, or PUBLIC_SITE_URL is not set
   */
  async start(cookies: string): Promise<Step> {
    const begun = { provider: PROVIDER, callback: this.callback, returnTo: this.success, linkTo: null };
    const step = await this.signIns.begin(begun, cookies);
    return step.location.startsWith(this.success) ? { ...step, location: this.failure } : step;
  }

  /** Redeems the authorization code and redirects to the client, with a token or an error. */
  async finish(query: Record<string, string | string[]>, cookies: string, client: ClientInfo): Promise<Step> {
    try {
      const step = await this.signIns.finish(PROVIDER, query, cookies, client);
      const code = new URL(step.location).searchParams.get('code');
      return { ...step, location: code === null ? this.failure : await this.signIn(code, client) };
    } catch (error) {
      // Accounts with a second factor also fail, because the client cannot prompt for the factor.
      if (!(error instanceof CodedError) || error.status >= 500) throw error;
      return { location: this.failure, cookies: [] };
    }
  }

  private async signIn(code: string, client: ClientInfo): Promise<string> {
    const credential = await this.signIns.redeem(code);
    const { userId, signInId } = await this.auth.openAfterFirstFactor(credential, client, FIRST_USE_MS);
    return `${this.success}?token=${this.tokens.issue(userId, signInId)}`;
  }

  private get callback(): string {
    const { path = '', isAtRoot } = this.config.opencanvas;
    return `${this.config.http.publicUrl}${isAtRoot ? '' : path}/auth/google/callback`;
  }

  private get success(): string {
    return `${this.siteUrl}/auth/success`;
  }

  private get failure(): string {
    return `${this.siteUrl}/login?error=google_auth_failed`;
  }

  private get siteUrl(): string {
    const { url } = this.config.site;
    if (url === undefined)
      throw new CodedError('provider_not_found', 'The server has no PUBLIC_SITE_URL to redirect to.');
    return url;
  }
}
