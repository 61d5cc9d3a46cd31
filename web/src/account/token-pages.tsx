import { useState } from 'preact/hooks';
import type { Problem } from '../../../sdk/src/problem.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { AccountPage, BrokenLink, Done, useFragment } from './account-page.js';
import { Field, RequestForm, TextField } from './request-form.js';

const PASSWORD = { minLength: 8, maxLength: 128 };

/** Asks for a mail with the link of `ResetPassword`. */
export function ForgotPassword() {
  const texts = useTexts().account;
  const [isDone, setDone] = useState(false);
  return (
    <AccountPage title={texts.forgotTitle}>
      {isDone ? (
        <Done>{texts.forgotDone}</Done>
      ) : (
        <RequestForm
          action={texts.forgotAction}
          send={({ email = '' }) => api.POST('/v1/auth/password-reset', { body: { email } })}
          done={() => setDone(true)}
        >
          <p>{texts.forgotIntroduction}</p>
          <Field name="email" label={texts.email} type="email" autocomplete="email" maxLength={254} />
        </RequestForm>
      )}
    </AccountPage>
  );
}

export function ResetPassword() {
  const texts = useTexts().account;
  const token = useFragment('token');
  const [state, setState] = useState<'open' | 'done' | 'expired'>(token === undefined ? 'expired' : 'open');
  return (
    <AccountPage title={texts.resetTitle}>
      {state === 'done' && <Done>{texts.resetDone}</Done>}
      {state === 'expired' && (
        <>
          <BrokenLink />
          <p>
            <a class="button" href="/forgot-password">
              {texts.requestAnother}
            </a>
          </p>
        </>
      )}
      {state === 'open' && (
        <RequestForm
          action={texts.resetAction}
          send={({ password = '' }) => api.PUT('/v1/auth/password-reset', { body: { token: token!, password } })}
          done={() => setState('done')}
          handle={(problem) => isOfToken(problem) && (setState('expired'), true)}
        >
          <p>{texts.resetIntroduction}</p>
          <Field
            name="password"
            label={texts.newPassword}
            hint={texts.passwordHint(PASSWORD.minLength)}
            type="password"
            autocomplete="new-password"
            {...PASSWORD}
          />
        </RequestForm>
      )}
    </AccountPage>
  );
}

export const ConfirmEmail = () => (
  <TokenAction name="confirm" send={(token) => api.PUT('/v1/auth/email-verification', { body: { token } })} />
);
export const UndoEmail = () => (
  <TokenAction name="undo" send={(token) => api.PUT('/v1/auth/email/undo', { body: { token } })} />
);
export const RequestExport = () => (
  <TokenAction name="export" send={(token) => api.POST('/v1/users/me/exports/by-mail', { body: { token } })} />
);

export function AppealByMail() {
  return (
    <TokenAction
      name="appeal"
      send={(token, { text = '' }) => api.POST('/v1/appeals/by-mail', { body: { token, text } })}
      hasText
    />
  );
}

type Result = { data?: unknown; error?: unknown; response: Response };
type ActionProps = {
  name: 'confirm' | 'undo' | 'export' | 'appeal';
  send: (token: string, values: Record<string, string>) => Promise<Result>;
  hasText?: true;
};

/** A page with one button, because programs that check links of mails also open them. */
function TokenAction({ name, send, hasText }: ActionProps) {
  const all = useTexts().account;
  const texts = all[name];
  const token = useFragment('token');
  const [state, setState] = useState<'open' | 'done' | 'expired'>(token === undefined ? 'expired' : 'open');
  return (
    <AccountPage title={texts.title}>
      {state === 'done' && <Done>{texts.done}</Done>}
      {state === 'expired' && <BrokenLink />}
      {state === 'open' && (
        <RequestForm
          action={texts.action}
          send={(values) => send(token!, values)}
          done={() => setState('done')}
          handle={(problem) => isOfToken(problem) && (setState('expired'), true)}
        >
          <p>{texts.introduction}</p>
          {hasText && <TextField name="text" label={all.appealText} maxLength={2_000} />}
        </RequestForm>
      )}
    </AccountPage>
  );
}

function isOfToken({ code }: Problem): boolean {
  return code === 'invalid_reset_token' || code === 'invalid_email_token';
}
