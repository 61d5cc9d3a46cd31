import { CountedSignIn } from '../sign-in-metrics.js';
import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import type { SignedInDto } from '../account.dto.js';
import { AuthService } from '../auth.service.js';
import { PasswordsService } from '../passwords.service.js';
import type { ClientInfo } from '../client-info.js';
import type { Credential } from '../credential.schema.js';
import { CredentialsService } from '../credentials.service.js';
import { OneTimeTokensService, type TokenKind } from '../one-time-tokens.service.js';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import type { BeginLinkBody, IdentityDto, StartQuery } from './dto/identity.dto.js';
import { IdentitiesService, SIGN_IN_CODE } from './identities.service.js';
import { OidcProviders, type Person } from './oidc-providers.js';
import { ProviderRefusal } from './provider-refusal.js';
import { type SignInFlow, SignInFlows } from './sign-in-flow.js';

/** The next URL of the browser, with values of Set-Cookie. */
export type Step = { location: string; cookies: string[] };
type StartedLink = { provider: string; returnTo: string };

const LINK_STARTED: TokenKind<StartedLink> = { name: 'oidc-link-begun', ttlMs: 600_000 };
const LINK_CODE: TokenKind<Person> = { name: 'oidc-link', ttlMs: 60_000 };

/** Redirects a browser to a provider and back, and exchanges the resulting code. */
@Injectable()
export class ProviderSignInService {
  constructor(
    private readonly config: AppConfig,
    private readonly mongo: MongoService,
    private readonly providers: OidcProviders,
    private readonly flows: SignInFlows,
    private readonly identities: IdentitiesService,
    private readonly tokens: OneTimeTokensService,
    private readonly credentials: CredentialsService,
    private readonly auth: AuthService,
    private readonly passwords: PasswordsService,
  ) {}

  providerNames(): string[] {
    return Object.keys(this.config.auth.oidcProviders).sort();
  }

  /** @throws CodedError `provider_not_found`, `invalid_input`, `invalid_code` */
  async start(provider: string, query: StartQuery, cookies: string): Promise<Step> {
    this.providers.requireKnown(provider);
    const callback = `${this.config.http.publicUrl}/v1/auth/oidc/${provider}/callback`;
    return this.begin({ provider, callback, ...(await this.flowFor(provider, query)) }, cookies);
  }

  /** Starts a sign-in with a callback and a return address of this server's choice. @throws CodedError `provider_not_found` */
  async begin(
    flow: Pick<SignInFlow, 'provider' | 'callback' | 'returnTo' | 'linkTo' | 'invite'>,
    cookies: string,
  ): Promise<Step> {
    try {
      const { url, ...secrets } = await this.providers.begin(flow.provider, flow.callback);
      return { location: url, cookies: this.flows.startCookies({ ...flow, ...secrets }, cookies) };
    } catch (error) {
      return { location: failedAddress(flow.returnTo, error), cookies: [] };
    }
  }

  /** @throws CodedError `provider_not_found`, `sign_in_not_begun` */
  async finish(
    provider: string,
    query: Record<string, string | string[]>,
    cookies: string,
    client: ClientInfo,
  ): Promise<Step> {
    this.providers.requireKnown(provider);
    const { state } = query;
    const flow = typeof state === 'string' ? this.flows.find(cookies, provider, state) : null;
    if (flow === null)
      throw new CodedError(
        'sign_in_not_begun',
        'This browser started no sign-in, or its sign-in expired. Start again.',
      );
    const ended = [this.flows.endCookie(flow)];
    try {
      const person = await this.providers.finish(flow, paramsOf(query));
      return { location: withOutcome(flow.returnTo, 'code', await this.codeFor(flow, person, client)), cookies: ended };
    } catch (error) {
      return { location: failedAddress(flow.returnTo, error), cookies: ended };
    }
  }

  /** @throws CodedError `invalid_code`, and the errors of a required second factor */
  @CountedSignIn()
  async exchange(code: string, client: ClientInfo): Promise<SignedInDto> {
    return this.auth.signInAfterFirstFactor(await this.redeem(code), client);
  }

  /** Uses up a code and returns its account. @throws CodedError `invalid_code` */
  async redeem(code: string): Promise<Credential> {
    // Reads both rows in one snapshot, so that the sign-in detects a later password reset, which may remove the provider.
    const credential = await this.mongo.transaction(async (tx) => {
      const used = await this.tokens.use(SIGN_IN_CODE, code, tx);
      return used === null ? null : this.credentials.findById(used.userId, tx);
    });
    if (credential === null) throw invalidCode();
    return credential;
  }

  /**
   * Returns the URL to open, valid once, for ten minutes.
   * @throws CodedError `provider_not_found`, `invalid_input`, and as `requireRecentProof`
   */
  async beginLink(
    viewer: Viewer,
    provider: string,
    { returnTo, password }: BeginLinkBody,
    client: ClientInfo,
  ): Promise<{ url: string }> {
    this.providers.requireKnown(provider);
    const data = { provider, returnTo: this.requireReturnAddress(returnTo) };
    const { _id } = await this.passwords.requireRecentProof(viewer, 'password', password, client);
    const token = await this.mongo.transaction((tx) => this.tokens.issue(LINK_STARTED, _id, data, tx));
    return { url: `${this.config.http.publicUrl}/v1/auth/oidc/${provider}/start?link=${token}` };
  }

  /**
   * Accepts the code only from the account that started the link: a victim who opens an attacker's URL links nothing.
   * @throws CodedError `invalid_code`, `identity_taken`
   */
  async finishLink({ id }: Viewer, provider: string, code: string): Promise<IdentityDto> {
    this.providers.requireKnown(provider);
    return this.mongo.transaction(async (tx) => {
      const used = await this.tokens.use(LINK_CODE, code, tx);
      const isOwn = used?.userId.toHexString() === id && used.data.identity.startsWith(`${provider}:`);
      if (!isOwn) throw invalidCode();
      return this.identities.link(used.userId, used.data, tx);
    });
  }

  private async flowFor(
    provider: string,
    query: StartQuery,
  ): Promise<Pick<SignInFlow, 'returnTo' | 'linkTo' | 'invite'>> {
    const { invite } = query;
    if (query.link === undefined) return { returnTo: this.requireReturnAddress(query.returnTo), linkTo: null, invite };
    const { link } = query;
    const linking = await this.mongo.transaction((tx) => this.tokens.use(LINK_STARTED, link, tx));
    if (linking === null || linking.data.provider !== provider) throw invalidCode();
    // Checks again, because the operator may have changed the origins.
    return { returnTo: this.requireReturnAddress(linking.data.returnTo), linkTo: linking.userId.toHexString() };
  }

  private async codeFor({ linkTo, invite }: SignInFlow, person: Person, { address }: ClientInfo): Promise<string> {
    if (linkTo === null) return this.identities.signIn(person, address, invite);
    return this.mongo.transaction((tx) => this.tokens.issue(LINK_CODE, new ObjectId(linkTo), person, tx));
  }

  private requireReturnAddress(address = ''): string {
    const returnTo = returnAddress(address, this.config.auth.returnOrigins);
    if (returnTo !== null) return returnTo;
    throw new CodedError('invalid_input', 'returnTo must be on an origin that the server allows.', {
      fields: [{ field: 'returnTo', message: 'must be the address of a page of a known client' }],
    });
  }
}

/** Returns the URL for a refusal. @throws all other errors */
function failedAddress(returnTo: string, error: unknown): string {
  if (error instanceof ProviderRefusal) return withOutcome(returnTo, 'error', error.reason);
  throw error;
}

function paramsOf(query: Record<string, string | string[]>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
  );
}

function invalidCode(): CodedError {
  return new CodedError('invalid_code', 'The code is unknown, expired, used, or belongs to another account.');
}

const MAX_LENGTH = 2_000;

/** Returns the canonical address, or null unless it is a page on an allowed origin. */
function returnAddress(text: string, origins: readonly string[]): string | null {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.hash === '';
  return isPlain && origins.includes(url.origin) ? url.href : null;
}

/** Adds the outcome of the sign-in to the return address, and removes earlier parameters of these names. */
function withOutcome(address: string, name: 'code' | 'error', value: string): string {
  const url = new URL(address);
  for (const other of ['code', 'error']) url.searchParams.delete(other);
  url.searchParams.set(name, value);
  return url.href;
}
