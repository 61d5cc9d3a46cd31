import { useEffect, useState } from 'preact/hooks';
import { api, watchAccount } from '../client.js';
import { useTexts } from '../components/context.js';
import { hasSessionMark } from '../session-mark.js';
import { AccountPage } from './account-page.js';
import { ownUrl } from './own-path.js';
import { SignInForm } from './sign-in-form.js';

/** `/sign-in?to=<path>` leads to the path after a sign-in, also in another tab. */
export function SignInPage() {
  const [to] = useState(() => ownUrl(new URLSearchParams(location.search).get('to')));
  const [isAsking, setAsking] = useState(hasSessionMark);
  useEffect(() => {
    const leave = (isSignedIn: boolean): void => (isSignedIn ? location.replace(to) : setAsking(false));
    void api.resume().then(leave, () => leave(false));
    return watchAccount((now) => leave(now !== undefined));
  }, []);
  return (
    <AccountPage title={useTexts().signIn.title}>{isAsking ? <p role="status">…</p> : <SignInForm />}</AccountPage>
  );
}
