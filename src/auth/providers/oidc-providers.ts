import { Injectable, Logger } from '@nestjs/common';
import * as client from 'openid-client';
import { canonicalAddress } from '../../common/canonical-address.js';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { OutgoingError } from '../../platform/safe-http/outgoing-error.js';
import { SafeHttpClient } from '../../platform/safe-http/safe-http-client.js';
import { ProviderRefusal, type RefusalReason } from './provider-refusal.js';
import type { SignInFlow } from './sign-in-flow.js';

/** The person's data at a provider. */
export type Person = {
  /** `provider:sub` */
  identity: string;
  /** canonical; null unless the provider has verified the address and is trusted for its domain */
  email: string | null;
  name: string;
};

type Settings = AppConfig['auth']['oidcProviders'][string];
type Discovered = { configuration: Promise<client.Configuration>; until: number };

const DISCOVERY_MS = 3_600_000;
const SCOPE = 'openid email profile';
const MAX_SUBJECT_LENGTH = 255;
/** error of an authorization response (RFC 6749, 4.1.2.1) -> error for the client */
const REASONS = new Map<string, RefusalReason>([
  ['access_denied', 'access_denied'],
  ['server_error', 'provider_unavailable'],
  ['temporarily_unavailable', 'provider_unavailable'],
]);

/** OpenID Connect client for the configured providers, whose metadata is fetched on first use. */
@Injectable()
export class OidcProviders {
  private readonly logger = new Logger('Identities');
  private readonly discovered = new Map<string, Discovered>();

  constructor(
    private readonly config: AppConfig,
    private readonly outgoing: SafeHttpClient,
  ) {}

  /** @throws CodedError `provider_not_found` */
  requireKnown(provider: string): void {
    this.settingsOf(provider);
  }

  /** Returns the URL for the browser, and the state for its return. @throws ProviderRefusal */
  async begin(
    provider: string,
    callback: string,
  ): Promise<Pick<SignInFlow, 'state' | 'nonce' | 'codeVerifier'> & { url: string }> {
    return this.withProvider(provider, async (configuration) => {
      const [state, nonce, codeVerifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ];
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callback,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return { state, nonce, codeVerifier, url: url.href };
    });
  }

  /** @param query of the callback. @throws ProviderRefusal */
  async finish(flow: SignInFlow, query: URLSearchParams): Promise<Person> {
    const { provider, state, nonce, codeVerifier, callback } = flow;
    return this.withProvider(provider, async (configuration) => {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${callback}?${query.toString()}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      if (claims.sub.length > MAX_SUBJECT_LENGTH) throw new ProviderRefusal('invalid_response');
      // The ID token of many providers lacks the address, or the claim that it is verified.
      const isWhole =
        (claims['email'] !== undefined && claims['email_verified'] !== undefined) ||
        configuration.serverMetadata().userinfo_endpoint === undefined;
      const userInfo: Record<string, unknown> = isWhole
        ? {}
        : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      // The address and its verification must come from the same source.
      const profile = userInfo['email'] === undefined ? claims : userInfo;
      return personOf(`${provider}:${claims.sub}`, { name: claims['name'], ...profile }, this.settingsOf(provider));
    });
  }

  private async withProvider<T>(
    provider: string,
    work: (configuration: client.Configuration) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(await this.discover(provider));
    } catch (error) {
      if (error instanceof ProviderRefusal || error instanceof CodedError) throw error;
      const reason = error instanceof client.AuthorizationResponseError ? REASONS.get(error.error) : undefined;
      if (reason !== undefined) throw new ProviderRefusal(reason, error);
      const refusal = new ProviderRefusal(isOutage(error) ? 'provider_unavailable' : 'invalid_response', error);
      this.logger.warn(`sign-in with ${provider}: ${refusal.message}: ${String(error)}`);
      throw refusal;
    }
  }

  private discover(provider: string): Promise<client.Configuration> {
    const known = this.discovered.get(provider);
    if (known !== undefined && known.until > Date.now()) return known.configuration;
    const configuration = this.discoverMetadata(this.settingsOf(provider));
    this.discovered.set(provider, { configuration, until: Date.now() + DISCOVERY_MS });
    // A failed discovery must not stay cached.
    configuration.catch(() => this.discovered.delete(provider));
    return configuration;
  }

  private async discoverMetadata({ issuer, clientId, clientSecret }: Settings): Promise<client.Configuration> {
    const url = new URL(issuer);
    return client.discovery(url, clientId, undefined, authenticationBy(clientSecret), {
      // Trusts this host, also in a private network, because the operator chose it. Redirects and metadata reach no other private host.
      [client.customFetch]: (input, init) => this.outgoing.fetch(input, init, url),
      execute: [
        // Checks the signature of an ID token, not only the connection.
        client.enableNonRepudiationChecks,
        // The schema of the environment allows plain http only on loopback.
        ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
  }

  private settingsOf(provider: string): Settings {
    const { oidcProviders } = this.config.auth;
    if (!Object.hasOwn(oidcProviders, provider)) throw new CodedError('provider_not_found', 'Provider not found.');
    return oidcProviders[provider]!;
  }
}

/** Prefers POST where the provider supports it, because not all providers support both methods. */
function authenticationBy(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  return (server, ...rest) => {
    const acceptsPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
    (acceptsPost ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret))(server, ...rest);
  };
}

function personOf(identity: string, profile: Record<string, unknown>, { domains }: Settings): Person {
  const { email, email_verified: isVerified, name } = profile;
  // Apple and Cognito send `email_verified` as a string.
  const isOwn = typeof email === 'string' && (isVerified === true || isVerified === 'true');
  const address = isOwn ? canonicalAddress(email) : null;
  const isItsDomain = domains === 'any' || domains.includes(address?.split('@')[1] ?? '');
  return { identity, email: isItsDomain ? address : null, name: typeof name === 'string' ? name : '' };
}

function isOutage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutgoingError) return true;
    if (cause instanceof client.ResponseBodyError) return cause.status >= 500;
    if (cause.cause instanceof Response) return cause.cause.status >= 500;
  }
  return false;
}
