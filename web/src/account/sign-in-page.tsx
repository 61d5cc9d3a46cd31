import { useEffect, useRef, useState } from 'preact/hooks';
import { withQuery } from '../api.js';
import { api, watchAccount } from '../client.js';
import { useTexts } from '../components/context.js';
import { hasSessionMark } from '../session-mark.js';
import { AccountPage } from './account-page.js';
import { ConnectProvider } from './connect-provider.js';
import { type Arrival, labelOf, Refusal, takeArrival } from './providers.js';
import { SignedIn } from './signed-in.js';
import { SignInForm } from './sign-in-form.js';

/** `/sign-in?to=<path>` leads to the path after a sign-in; providers return here. `?connect=<provider>` adds a provider to the account. */
export function SignInPage() {
  const texts = useTexts().signIn;
  const [arrival] = useState(takeArrival);
  const { connected } = arrival;
  return (
    <AccountPage title={connected === undefined ? texts.title : texts.connect(labelOf(connected))}>
      {connected === undefined ? (
        <SignInAndLeave {...arrival} />
      ) : (
        <SignedIn>
          <ConnectProvider {...arrival} provider={connected} />
        </SignedIn>
      )}
    </AccountPage>
  );
}

function SignInAndLeave({ to, code, error }: Arrival) {
  const texts = useTexts().signIn;
  const [isAsking, setAsking] = useState(() => hasSessionMark() && code == null);
  const isLeaving = useRef(false);
  /** Once: a second navigation would abort the first one. */
  const leave = (isSignedIn: boolean): void => {
    if (!isSignedIn) return setAsking(false);
    if (!isLeaving.current) location.replace(to);
    isLeaving.current = true;
  };
  useEffect(() => {
    if (isAsking) void api.resume().then(leave, () => leave(false));
    // The account of the code replaces one that is signed in.
    return code == null ? watchAccount((now) => leave(now !== undefined)) : undefined;
  }, []);
  if (isAsking) return <p role="status">…</p>;
  return (
    <>
      <SignInForm to={to} code={code} done={() => leave(true)}>
        {error != null && <Refusal reason={error} />}
      </SignInForm>
      <p>
        {texts.noAccount} <a href={withQuery('/register', { to: to === '/' ? undefined : to })}>{texts.register}</a>
      </p>
    </>
  );
}
