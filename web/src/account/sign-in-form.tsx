import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../../sdk/src/problem.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { PasskeyButton } from './passkey-button.js';
import { ProviderButtons } from './providers.js';
import { Field, RequestForm } from './request-form.js';
import { useAction } from './use-action.js';

type Props = {
  /** called after the sign-in */
  done?: () => void;
  /** path for the return from a provider; default: this page */
  to?: string;
  /** code of a provider, which is used at once */
  code?: string | null | undefined;
  /** what the form begins with */
  children?: ComponentChildren;
};

/** Signs in with a password, and a code where the account needs one, or in another way that the site has. */
export function SignInForm({ done = () => undefined, to, code, children }: Props) {
  const texts = useTexts().account;
  const { or } = useTexts().signIn;
  const [mfaToken, setMfaToken] = useState<string>();
  const { run, isBusy, failure } = useAction();
  const handle = (problem: Problem): boolean =>
    problem.code === 'second_factor_required' && (setMfaToken(problem.mfaToken), true);
  useEffect(() => {
    if (code != null) void run(() => api.POST('/v1/auth/exchange', { body: { code } }), done, handle);
  }, []);
  if (isBusy) return <p role="status">…</p>;
  return (
    <div class="sign-in">
      {mfaToken === undefined ? (
        <RequestForm
          key="password"
          action={texts.signIn}
          send={({ login = '', password = '' }) => api.POST('/v1/auth/login', { body: { login, password } })}
          done={done}
          handle={handle}
        >
          {children}
          {failure !== undefined && (
            <p role="alert" class="failure">
              {failure.text}
            </p>
          )}
          <Field name="login" label={texts.login} autocomplete="username webauthn" maxLength={254} />
          <Field
            name="password"
            label={texts.password}
            type="password"
            autocomplete="current-password"
            maxLength={512}
          />
          <p class="small">
            <a href="/forgot-password">{texts.forgotTitle}</a>
          </p>
        </RequestForm>
      ) : (
        <RequestForm
          key="code"
          action={texts.signIn}
          send={({ code = '' }) => api.POST('/v1/auth/login/second-factor', { body: { mfaToken, ...codeOf(code) } })}
          done={done}
          handle={({ code }) => code === 'invalid_mfa_token' && (setMfaToken(undefined), true)}
        >
          <Field name="code" label={texts.code} hint={texts.codeHint} autocomplete="one-time-code" maxLength={64} />
        </RequestForm>
      )}
      <p class="or">{or}</p>
      <PasskeyButton done={done} />
      {mfaToken === undefined && <ProviderButtons to={to} />}
    </div>
  );
}

/** A code of an authenticator app has six digits, a recovery code letters as well. */
export function codeOf(text: string): { code: string } | { recoveryCode: string } {
  const code = text.trim();
  return /^\d{3} ?\d{3}$/.test(code) ? { code } : { recoveryCode: code };
}
