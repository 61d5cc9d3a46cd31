import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { account, api, watchAccount } from '../client.js';
import { useTexts } from '../components/context.js';
import { AccountPage, type PageProps } from './account-page.js';
import { SignInForm } from './sign-in-form.js';

/** A page for a signed-in account. */
export function OwnPage({ children, ...page }: PageProps) {
  return (
    <AccountPage {...page}>
      <SignedIn>{children}</SignedIn>
    </AccountPage>
  );
}

/**
 * Shows its content to a signed-in account, and a sign-in to others. When the session ends, the content stays hidden with its entered
 * text until the same account signs in again.
 */
export function SignedIn({ children }: { children: ComponentChildren }) {
  const texts = useTexts().account;
  const [isSignedIn, setSignedIn] = useState(account === undefined ? undefined : true);
  const [hasContent, setHasContent] = useState(false);
  const [changes, setChanges] = useState(0);
  const owner = useRef(account?.id);
  if (isSignedIn === true && !hasContent) setHasContent(true);
  useEffect(() => {
    // Without a connection, the content shows this.
    void api.resume().then(setSignedIn, () => setSignedIn(true));
    return watchAccount((now) => {
      setSignedIn(now !== undefined);
      if (now === undefined) return;
      if (owner.current !== undefined && owner.current !== now.id) setChanges((count) => count + 1);
      owner.current = now.id;
    });
  }, []);
  if (isSignedIn === undefined) return <p role="status">…</p>;
  return (
    <>
      {!isSignedIn && (
        <SignInForm>
          <p role="status">{hasContent ? texts.sessionEnded : texts.signInFirst}</p>
        </SignInForm>
      )}
      {hasContent && (
        <div key={changes} class="signed-in" hidden={!isSignedIn}>
          {children}
        </div>
      )}
    </>
  );
}
