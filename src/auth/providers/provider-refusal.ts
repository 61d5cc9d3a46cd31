/** The value of `?error=` after a failed sign-in. */
export type RefusalReason =
  /** the person declined */
  | 'access_denied'
  /** the provider does not respond */
  | 'provider_unavailable'
  /** the response belongs to no pending request, or was used before */
  | 'invalid_response'
  /** the provider returns no address, or an unverified one */
  | 'email_not_verified'
  /** an account has the address, but may belong to another person: sign in to the account and link the provider */
  | 'email_taken'
  /** the site refuses addresses of this domain */
  | 'mail_domain_refused'
  /** REGISTRATION does not allow a first sign-in */
  | 'registration_closed'
  | 'invalid_invite'
  /** the network has created too many accounts */
  | 'rate_limited'
  | 'approval_pending';

export const REFUSAL_REASONS: Record<RefusalReason, string> = {
  access_denied: 'the user denied access',
  provider_unavailable: 'the provider does not respond',
  invalid_response: 'the response does not match the request, or was used before',
  email_not_verified: 'the provider vouches for no e-mail address',
  email_taken: 'an account has this e-mail address: sign in to it, and link the provider there',
  mail_domain_refused: 'the site accepts no new account with an address of this domain',
  registration_closed: 'the site accepts no new accounts',
  invalid_invite: 'a new account needs a valid invite',
  rate_limited: 'the network has created too many accounts: try again in an hour',
  approval_pending: 'a moderator decides about the new account',
};

export function isRefusalReason(code: string): code is RefusalReason {
  return Object.hasOwn(REFUSAL_REASONS, code);
}

/** A failed sign-in with a provider, with its reason. */
export class ProviderRefusal extends Error {
  constructor(
    readonly reason: RefusalReason,
    cause?: unknown,
  ) {
    super(REFUSAL_REASONS[reason], { cause });
    this.name = 'ProviderRefusal';
  }
}
