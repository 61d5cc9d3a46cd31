import { withQuery } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { currentPath, ownPath } from './own-path.js';
import { useLoaded } from './use-loaded.js';

/** Item of sessionStorage while the browser is at a provider. */
const BEGUN = 'provider-sign-in';
/** `own`: a random value in the address of the return. `connected`: the provider that is added to an account. */
type Begun = { own: string; to: string; connected?: string | undefined };

/** What the address of `/sign-in` says: where to go, and after a provider its code or its refusal. */
export type Arrival = { to: string; code?: string | null; error?: string | null; connected?: string | undefined };

/** Begins a return to this tab, which then leads to `to`. @returns the address for the provider */
export function returnAddress(to: string, connected?: string): string {
  const own = Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(36)).join('');
  sessionStorage.setItem(BEGUN, JSON.stringify({ own, to, connected } satisfies Begun));
  return `${location.origin}/sign-in?own=${own}`;
}

/** Reads the address of `/sign-in`. A code is accepted once, and only by the tab that began: a foreign one would sign in another account. */
export function takeArrival(): Arrival {
  const query = new URLSearchParams(location.search);
  const own = query.get('own');
  const connected = query.get('connect') ?? undefined;
  if (own === null) return { to: ownPath(query.get('to')), connected };
  const begun = JSON.parse(sessionStorage.getItem(BEGUN) ?? '{}') as Partial<Begun>;
  const isOwn = begun.own === own;
  sessionStorage.removeItem(BEGUN);
  history.replaceState(null, '', withQuery('/sign-in', { to: isOwn ? begun.to : undefined }));
  if (!isOwn) return { to: ownPath(null), error: 'invalid_response' };
  return { ...begun, to: ownPath(begun.to!), code: query.get('code'), error: query.get('error') };
}

/** Writes the name of a provider as a label. */
export const labelOf = (provider: string): string => provider.charAt(0).toUpperCase() + provider.slice(1);

type Props = { to?: string | undefined; invite?: string | undefined };

/** A button for each provider of the site. The sign-in returns to the path `to`; default: this page. */
export function ProviderButtons({ to, invite }: Props) {
  const { continueWith } = useTexts().signIn;
  const { data } = useLoaded(() => unwrap(api.GET('/v1/instance')));
  const begin = (provider: string): void => {
    const returnTo = returnAddress(to ?? currentPath());
    location.assign(withQuery(`/v1/auth/oidc/${provider}/start`, { returnTo, invite }));
  };
  return data?.providers.map((provider) => (
    <button key={provider} type="button" class="way" onClick={() => begin(provider)}>
      {continueWith(labelOf(provider))}
    </button>
  ));
}

/** Why a provider returned without a code. */
export function Refusal({ reason }: { reason: string }) {
  const { refused } = useTexts().signIn;
  return (
    <p role="alert" class="failure">
      {refused[reason as keyof typeof refused] ?? refused.invalid_response}
    </p>
  );
}
